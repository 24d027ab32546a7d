// Filter: one lane reserves places for all that passed.
extern "C" __global__ void filter_ballot(const int *in, int *out, int *count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, v = in[i];
    unsigned m = __ballot_sync(0xffffffffu, v > 0);
    if (v > 0) {
        int leader = __ffs(m) - 1, lane = threadIdx.x & 31, base = 0;
        if (lane == leader) base = atomicAdd(count, __popc(m));
        base = __shfl_sync(m, base, leader);
        out[base + __popc(m & ((1u << lane) - 1))] = v;
    }
}
