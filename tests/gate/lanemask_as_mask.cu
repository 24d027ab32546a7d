// Every lane names itself and those above.
extern "C" __global__ void lanemask_as_mask(int *x)
{
    unsigned ge, t = threadIdx.x;
    asm("mov.u32 %0, %%lanemask_ge;" : "=r"(ge));
    x[t] = __any_sync(ge, x[t] > 0);                                                   // @op
}
