// labeled_partition and a reduction of each group.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
extern "C" __global__ void labeled_partition_reduce(const int *x, int *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, v = x[i];
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    auto g = cg::labeled_partition(tile, v & 7);
    int s = cg::reduce(g, v, cg::plus<int>());
    if (g.thread_rank() == 0) atomicAdd(y + (v & 7), s);
}
