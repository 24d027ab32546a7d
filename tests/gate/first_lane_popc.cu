// The first lane of a mask as popc(~m & (m - 1)), the way LLVM writes __ffs(m) - 1.
extern "C" __global__ void first_lane_popc(int *x, unsigned off)
{
    int t = threadIdx.x, v = x[t];
    unsigned m = __ballot_sync(0xffffffffu, v > 0);
    if (v > 0) v += __shfl_sync(m, v, (m ? __popc(~m & (m - 1)) : -1) + off);   // @op
    x[t] = v;
}
