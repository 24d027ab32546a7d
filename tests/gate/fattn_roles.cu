// Warps whose columns are out of range skip shuffles, not barriers, and return as wholes.
extern "C" __global__ void fattn_roles(float *o, const float *kv, int n_kv, int ncols) {
    __shared__ float tile[2][128];
    int w = threadIdx.y;
    float acc = 0;
    for (int k0 = 0; k0 < n_kv; k0 += 64) {
        if (w < 2) tile[w][threadIdx.x] = kv[k0 + threadIdx.x];
        __syncthreads();
        if (w * 8 < ncols) { for (int j = 0; j < 32; j++) acc += tile[w & 1][j]; acc += __shfl_xor_sync(0xffffffffu, acc, 8); }
        __syncthreads();
    }
    if (w * 8 >= ncols) return;
    for (int m = 16; m; m >>= 1) acc += __shfl_xor_sync(0xffffffffu, acc, m);
    o[w * 32 + threadIdx.x] = acc;
}
