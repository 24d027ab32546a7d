// Half a warp votes, and only one half goes on to a full-mask barrier.
extern "C" __global__ void half_warp_any(int *x)
{
    int t = threadIdx.x;
    unsigned half = 0xffffu << (t & 16);
    if (__any_sync(half, (t & 31) >= 16)) __syncwarp();                                // @op
    __syncthreads();
    x[t] = t;
}
