// Each lane has the mask of those on its side.
extern "C" __global__ void complement_mask(int *x)
{
    int t = threadIdx.x, v = x[t];
    bool p = v > 0;
    unsigned m = __ballot_sync(0xffffffffu, p);
    m = p ? m : ~m;
    x[t] = v + __shfl_sync(m, v, __ffs(m) - 1) + __popc(m);
}
