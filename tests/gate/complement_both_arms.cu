// Each side meets with its own mask under the branch.
extern "C" __global__ void complement_both_arms(int *x)
{
    int t = threadIdx.x, v = x[t];
    unsigned m = __ballot_sync(0xffffffffu, v > 0);
    if (v > 0)
        v += __shfl_sync(m, v, __ffs(m) - 1);
    else
        v -= __shfl_sync(~m, v, __ffs(~m) - 1);
    x[t] = v;
}
