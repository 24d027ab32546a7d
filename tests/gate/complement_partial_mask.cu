// The complement of a ballot of some lanes names the rest of the warp, too.
extern "C" __global__ void complement_partial_mask(int *x)
{
    int t = threadIdx.x, v = x[t];
    if ((t & 31) < 16) {
        unsigned m = __ballot_sync(0xffffu, v > 0);
        m = v > 0 ? m : ~m;
        v += __any_sync(m, v > 3);                                                     // @op
    }
    __syncthreads();
    x[t] = v;
}
