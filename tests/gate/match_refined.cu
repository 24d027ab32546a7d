// Groups of equal keys, and the members with a flag.
extern "C" __global__ void match_refined(int *x, const int *flag)
{
    int t = threadIdx.x, v = x[t], f = flag[t];
    unsigned m = __match_any_sync(0xffffffffu, v);
    m = __ballot_sync(m, f > 0);
    if (f > 0) v += __shfl_sync(m, t, __ffs(m) - 1);
    x[t] = v;
}
