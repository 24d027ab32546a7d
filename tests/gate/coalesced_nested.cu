// A coalesced group for each side of a second branch.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
extern "C" __global__ void coalesced_nested(int *x, int *count)
{
    int t = threadIdx.x, v = x[t];
    if (v > 0) {
        if (v & 1) {
            cg::coalesced_group g = cg::coalesced_threads();
            int base = 0;
            if (g.thread_rank() == 0) base = atomicAdd(count, (int)g.size());
            v = g.shfl(base, 0) + g.thread_rank();
        } else {
            cg::coalesced_group g = cg::coalesced_threads();
            int base = 0;
            if (g.thread_rank() == 0) base = atomicSub(count, (int)g.size());
            v = g.shfl(base, 0) - g.thread_rank();
        }
    }
    x[t] = v;
}
