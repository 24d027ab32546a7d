// Ballots of half warps as masks.
extern "C" __global__ void half_warp_ballot(int *x)
{
    int t = threadIdx.x, v = x[t];
    unsigned half = 0xffffu << (t & 16), m = __ballot_sync(half, v > 0);
    if (v > 0) v += __shfl_sync(m, v, __ffs(m) - 1);
    x[t] = v;
}
