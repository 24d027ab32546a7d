// Groups of equal keys, parted by something else.
extern "C" __global__ void match_then_branch(int *x, const int *flag)
{
    int t = threadIdx.x, v = x[t];
    unsigned m = __match_any_sync(0xffffffffu, v);
    if (flag[t]) v += __shfl_sync(m, v, __ffs(m) - 1);                                 // @op
    x[t] = v;
}
