// Groups of equal keys, parted by what is the same in a group.
extern "C" __global__ void match_then_size(int *x)
{
    int t = threadIdx.x, v = x[t];
    unsigned m = __match_any_sync(0xffffffffu, v);
    if (__popc(m) > 1) v += __shfl_sync(m, t, __ffs(m) - 1);
    x[t] = v;
}
