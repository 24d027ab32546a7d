// The first mask after the second return.
extern "C" __global__ void filter_return_stale(const int *in, int *out, int *count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, v = in[i];
    unsigned m = __ballot_sync(0xffffffffu, v > 0);
    if (v <= 0) return;
    int w = in[i + 1];
    if (w & 1) return;
    int base = 0, leader = __ffs(m) - 1;
    if ((threadIdx.x & 31) == leader) base = atomicAdd(count, __popc(m));
    out[__shfl_sync(m, base, leader)] = v;                                             // @op
}
