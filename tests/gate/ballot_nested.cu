// A ballot within a ballot, each used under its own branch.
extern "C" __global__ void ballot_nested(int *x)
{
    int t = threadIdx.x, v = x[t], w = x[t + 64];
    unsigned m = __ballot_sync(0xffffffffu, v > 0);
    if (v > 0) {
        unsigned n = __ballot_sync(m, w > 0);
        if (w > 0) {
            __syncwarp(n);
            v += __shfl_sync(n, v, __ffs(n) - 1);
        }
        v += __any_sync(m, v > 100);
    }
    x[t] = v;
}
