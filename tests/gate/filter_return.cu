// The same where the others return.
extern "C" __global__ void filter_return(const int *in, int *out, int *count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, v = in[i];
    unsigned m = __ballot_sync(0xffffffffu, v > 0);
    if (v <= 0) return;
    int w = in[i + 1];
    unsigned even = __ballot_sync(m, (w & 1) == 0);
    if (w & 1) return;
    int base = 0, leader = __ffs(even) - 1;
    if ((threadIdx.x & 31) == leader) base = atomicAdd(count, __popc(even));
    out[__shfl_sync(even, base, leader)] = v;
}
