// The same, cut to the lanes that voted.
extern "C" __global__ void complement_cut_mask(int *x)
{
    int t = threadIdx.x, v = x[t];
    if ((t & 31) < 16) {
        unsigned m = __ballot_sync(0xffffu, v > 0);
        m = v > 0 ? m : ~m & 0xffffu;
        v += __any_sync(m, v > 3);
    }
    __syncthreads();
    x[t] = v;
}
