// A block learns from a shared word whether it is the last.
extern "C" __global__ void reduce_last_block(float *out, float *part, unsigned *ticket, const float *in, unsigned n) {
    __shared__ float s[256]; __shared__ bool last;
    unsigned tid = threadIdx.x; float v = 0;
    for (unsigned i = blockIdx.x * 512 + tid; i < n; i += 512 * gridDim.x) { v += in[i]; if (i + 256 < n) v += in[i + 256]; }
    s[tid] = v; __syncthreads();
    for (unsigned k = 128; k > 32; k >>= 1) { if (tid < k) s[tid] += s[tid + k]; __syncthreads(); }
    if (tid < 32) { float w = s[tid] + s[tid + 32]; for (int k = 16; k; k >>= 1) w += __shfl_down_sync(0xffffffffu, w, k); if (tid == 0) part[blockIdx.x] = w; }
    if (gridDim.x > 1) {
        __threadfence();
        if (tid == 0) { unsigned t = atomicInc(ticket, gridDim.x); last = t == gridDim.x - 1; }
        __syncthreads();
        if (last) { float a = 0; for (unsigned i = tid; i < gridDim.x; i += 256) a += part[i]; s[tid] = a; __syncthreads(); for (unsigned k = 128; k; k >>= 1) { if (tid < k) s[tid] += s[tid + k]; __syncthreads(); } if (tid == 0) *out = s[0]; }
    }
}
