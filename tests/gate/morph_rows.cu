// A return for whole rows before the barrier, one for threads after it.
extern "C" __global__ void morph_rows(unsigned char *o, const unsigned char *in, int w, int h, int r) {
    __shared__ unsigned char s[512];
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (y >= h) return;
    for (int c = threadIdx.x; c < blockDim.x + 2 * r; c += blockDim.x) { int gx = (int)(blockIdx.x * blockDim.x) - r + c; s[c] = gx >= 0 && gx < w ? in[y * w + gx] : 255; }
    __syncthreads();
    if (x >= w) return;
    unsigned char m = 255;
    for (int k = 0; k <= 2 * r; k++) m = min(m, s[threadIdx.x + k]);
    o[y * w + x] = m;
}
