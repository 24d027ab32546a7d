// A warp a row, rows in grid strides: a warp leaves the loop as a whole.
extern "C" __global__ void layernorm_warp(float *o, const float *x, const float *w, int N, int C) {
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31, nw = (gridDim.x * blockDim.x) >> 5;
    for (int r = warp; r < N; r += nw) {
        float s = 0, q = 0;
        for (int c = lane * 4; c < C; c += 128) { float v = x[(size_t)r * C + c]; s += v; q += v * v; }
        for (int k = 16; k; k >>= 1) { s += __shfl_xor_sync(0xffffffffu, s, k); q += __shfl_xor_sync(0xffffffffu, q, k); }
        for (int c = lane; c < C; c += 32) o[(size_t)r * C + c] = (x[(size_t)r * C + c] - s) * q * w[c];
    }
}
