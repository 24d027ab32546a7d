// match.all: all lanes, where they agree.
extern "C" __global__ void match_all_mask(int *x)
{
    int t = threadIdx.x, v = x[t], all;
    unsigned m = __match_all_sync(0xffffffffu, v, &all);
    if (all) v = __shfl_sync(m, v + t, __ffs(m) - 1);
    x[t] = v;
}
