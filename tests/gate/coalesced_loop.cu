// A coalesced group in every trip of a loop that lanes leave one by one.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
extern "C" __global__ void coalesced_loop(int *x, int *count)
{
    int t = threadIdx.x, v = x[t];
    while (v > 0) {
        cg::coalesced_group g = cg::coalesced_threads();
        int base = 0;
        if (g.thread_rank() == 0) base = atomicAdd(count, (int)g.size());
        v = x[g.shfl(base, 0) + g.thread_rank()];
    }
    x[t] = v;
}
