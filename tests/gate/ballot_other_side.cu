// The mask of those with p, used by those without.
extern "C" __global__ void ballot_other_side(float *x, int kk)
{
    int t = threadIdx.x;
    float v = x[t];
    unsigned m = __ballot_sync(0xffffffffu, t < kk);
    if (t >= kk) v += __shfl_sync(m, v, 31);                                           // @op
    x[t] = v;
}
