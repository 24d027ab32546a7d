// A ballot cut to the lanes below: not the mask of anybody.
extern "C" __global__ void ballot_below(int *x)
{
    unsigned le, t = threadIdx.x;
    int v = x[t];
    asm("mov.u32 %0, %%lanemask_le;" : "=r"(le));
    unsigned m = __ballot_sync(0xffffffffu, v > 0) & le;
    if (v > 0) v += __any_sync(m, v > 9);                                              // @op
    x[t] = v;
}
