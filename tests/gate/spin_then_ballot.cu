// Lanes spin by themselves, then vote together.
extern "C" __global__ void spin_then_ballot(volatile int *state, int *out)
{
    int v;
    do v = state[threadIdx.x]; while (v == 0);
    unsigned m = __ballot_sync(0xffffffffu, v < 0);
    if (v < 0) out[threadIdx.x] = __shfl_sync(m, v, __ffs(m) - 1);
}
