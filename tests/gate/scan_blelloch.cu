// Work-efficient scan: the loops run over an argument, the guards hold no barrier.
extern "C" __global__ void scan_blelloch(float *o, const float *in, int n) {
    extern __shared__ float t[];
    int th = threadIdx.x, off = 1;
    t[2 * th] = in[2 * th]; t[2 * th + 1] = in[2 * th + 1];
    for (int d = n >> 1; d > 0; d >>= 1) { __syncthreads(); if (th < d) { int a = off * (2 * th + 1) - 1, b = off * (2 * th + 2) - 1; t[b] += t[a]; } off *= 2; }
    if (th == 0) t[n - 1] = 0;
    for (int d = 1; d < n; d *= 2) { off >>= 1; __syncthreads(); if (th < d) { int a = off * (2 * th + 1) - 1, b = off * (2 * th + 2) - 1; float v = t[a]; t[a] = t[b]; t[b] += v; } }
    __syncthreads();
    o[2 * th] = t[2 * th]; o[2 * th + 1] = t[2 * th + 1];
}
