// grid.sync() only where there is something to synchronise with: a launch that is not
// cooperative is fine, too.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void cg_grid_valid(float *x, int always)
{
    cg::grid_group g = cg::this_grid();
    float v = x[threadIdx.x];
    if (always || g.is_valid()) g.sync();                                      // @op
    x[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
