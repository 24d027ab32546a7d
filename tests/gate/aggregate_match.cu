// Warp-aggregated atomics by address, of the lanes that are together.
extern "C" __global__ void aggregate_match(const int *key, int *bin, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int *p = bin + (key[i] & 63), lane = threadIdx.x & 31, old;
        unsigned m = __match_any_sync(__activemask(), (unsigned long long)p);
        int leader = __ffs(m) - 1;
        if (lane == leader) old = atomicAdd(p, __popc(m));
        old = __shfl_sync(m, old, leader);
        bin[64 + i] = old + __popc(m & ((1u << lane) - 1));
    }
}
