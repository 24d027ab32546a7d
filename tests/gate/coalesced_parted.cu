// A coalesced group used by some of its members.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
extern "C" __global__ void coalesced_parted(int *x, int *count)
{
    int t = threadIdx.x, v = x[t];
    if (v > 0) {
        cg::coalesced_group g = cg::coalesced_threads();
        int base = 0;
        if (g.thread_rank() == 0) base = atomicAdd(count, (int)g.size());
        if (v & 1) v = g.shfl(base, 0) + g.thread_rank();                              // @op
    }
    x[t] = v;
}
