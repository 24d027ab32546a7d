// The exit test rounds the position down to a multiple of the block: uniform only where the chunk is one too.
extern "C" __global__ void string_search(int *pos, const unsigned char *s, int n, int chunk) {
    __shared__ int count; __shared__ int list[256];
    int base = blockIdx.x * chunk, last = min(base + chunk, n);
    for (int p = base + threadIdx.x; (p / 256) * 256 < last; p += 256) {
        if (threadIdx.x == 0) count = 0;
        __syncthreads();
        if (p < last && s[p] == 'a') list[atomicAdd(&count, 1)] = p;
        __syncthreads();
        for (int j = threadIdx.x; j < count; j += 256) pos[list[j]] = 1;
        __syncthreads();
    }
}
