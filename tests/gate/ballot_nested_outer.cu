// The outer mask under the inner branch.
extern "C" __global__ void ballot_nested_outer(int *x, int kk)
{
    int t = threadIdx.x, v = x[t];
    unsigned m = __ballot_sync(0xffffffffu, t < kk);
    if (t < kk) {
        if (t & 1) __syncwarp(m);                                                      // @op
        v++;
    }
    __syncthreads();
    x[t] = v;
}
