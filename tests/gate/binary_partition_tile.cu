// binary_partition of a tile of 16.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
extern "C" __global__ void binary_partition_tile(int *x, int *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, v = x[i];
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    auto g = cg::binary_partition(tile, v > 0);
    x[i] = g.shfl(v, 0);
    if (g.thread_rank() == 0) atomicAdd(y + (v > 0), g.size());
    g.sync();
}
