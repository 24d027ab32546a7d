// Lane 0 is read under a ballot that may not name it.
extern "C" __global__ void shfl_lane0_of_ballot(int *x)
{
    int t = threadIdx.x, v = x[t];
    unsigned m = __ballot_sync(0xffffffffu, v > 0);
    if (v > 0) v += __shfl_sync(m, v, 0);                                              // @op
    x[t] = v;
}
