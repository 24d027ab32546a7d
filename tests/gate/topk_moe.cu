// A warp a row that leaves as a whole; k rounds of full-mask shuffles.
extern "C" __global__ void topk_moe(int *ids, const float *logits, int rows, int experts, int k) {
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    float v[4];
    for (int i = 0; i < 4; i++) { int e = i * 32 + threadIdx.x; v[i] = e < experts ? logits[row * experts + e] : -1e30f; }
    for (int j = 0; j < k; j++) {
        float best = v[0]; int at = threadIdx.x;
        for (int i = 1; i < 4; i++) if (v[i] > best) { best = v[i]; at = i * 32 + threadIdx.x; }
        for (int m = 16; m; m >>= 1) { float b = __shfl_xor_sync(0xffffffffu, best, m, 32); int a = __shfl_xor_sync(0xffffffffu, at, m, 32); if (b > best || (b == best && a < at)) { best = b; at = a; } }
        if ((at & 31) == threadIdx.x) { v[at >> 5] = -1e30f; ids[row * k + j] = at; }
    }
}
