//
//
//
#include <cooperative_groups.h>
__global__ void coalesced_group(int *dst, int *count, const int *src, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && src[i] > 0) {
        auto g = cooperative_groups::coalesced_threads();
        int base = 0;
        if (g.thread_rank() == 0) base = atomicAdd(count, g.size());
        dst[g.shfl(base, 0) + g.thread_rank()] = src[i];
    }
}
