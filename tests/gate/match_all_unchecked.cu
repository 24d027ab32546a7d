// match.all used without looking whether they agree.
extern "C" __global__ void match_all_unchecked(int *x)
{
    int t = threadIdx.x, v = x[t], all;
    unsigned m = __match_all_sync(0xffffffffu, v, &all);
    x[t] = v + __any_sync(m, t > 3);                                                   // @op
}
