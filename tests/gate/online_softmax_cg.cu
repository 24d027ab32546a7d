// Tiles of 32 of cooperative groups; a tile leaves as a whole.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void online_softmax_cg(float *o, const float *x, int N, int C) {
    cg::thread_block blk = cg::this_thread_block();
    cg::thread_block_tile<32> w = cg::tiled_partition<32>(blk);
    int row = blockIdx.x * w.meta_group_size() + w.meta_group_rank();
    if (row >= N) return;
    float m = -1e30f, s = 0;
    for (int i = w.thread_rank(); i < C; i += w.size()) { float v = x[row * C + i]; if (v > m) { s *= expf(m - v); m = v; } s += expf(v - m); }
    for (int k = w.size() / 2; k > 0; k /= 2) { float om = w.shfl_down(m, k), os = w.shfl_down(s, k); if (om > m) { s = s * expf(m - om) + os; m = om; } else s += os * expf(om - m); }
    m = w.shfl(m, 0); s = w.shfl(s, 0);
    for (int i = w.thread_rank(); i < C; i += w.size()) o[row * C + i] = expf(x[row * C + i] - m) / s;
}
