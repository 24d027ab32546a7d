// A lane from memory is read under a ballot.
extern "C" __global__ void shfl_any_of_ballot(int *x, const int *from)
{
    int t = threadIdx.x, v = x[t], s = from[t];
    unsigned m = __ballot_sync(0xffffffffu, v > 0);
    if (v > 0) v += __shfl_sync(m, v, s);                                              // @op
    x[t] = v;
}
