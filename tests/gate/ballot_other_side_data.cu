// The same, decided by data.
extern "C" __global__ void ballot_other_side_data(int *x)
{
    int t = threadIdx.x, v = x[t];
    unsigned m = __ballot_sync(0xffffffffu, v > 0);
    if (v <= 0) __syncwarp(m);                                                         // @op
    x[t] = v + m;
}
