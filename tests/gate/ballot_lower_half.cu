// A ballot cut to half a warp, used by that half.
extern "C" __global__ void ballot_lower_half(int *x)
{
    int t = threadIdx.x, v = x[t];
    unsigned m = __ballot_sync(0xffffffffu, v > 0) & 0xffffu;
    if (v > 0 && (t & 31) < 16) v += __any_sync(m, v > 9);
    x[t] = v;
}
