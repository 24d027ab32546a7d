// The bound is rounded up to the block, so all threads come to the ballots and the barrier.
extern "C" __global__ void radix_count(unsigned *cnt, const unsigned *k, unsigned n, int shift) {
    __shared__ unsigned c[16][8];
    int lane = threadIdx.x & 31, w = threadIdx.x >> 5;
    if (threadIdx.x < 128) c[threadIdx.x >> 3][threadIdx.x & 7] = 0;
    __syncthreads();
    unsigned up = (n + 255) & ~255u;
    for (unsigned i = blockIdx.x * 256 + threadIdx.x; i < up; i += gridDim.x * 256) {
        unsigned d = i < n ? (k[i] >> shift) & 15 : 16;
        for (unsigned b = 0; b < 16; b++) {
            unsigned m = __ballot_sync(0xffffffffu, d == b);
            if (lane == 0) c[b][w] += __popc(m);
        }
        __syncthreads();
    }
    if (threadIdx.x < 16) { unsigned s = 0; for (int j = 0; j < 8; j++) s += c[threadIdx.x][j]; cnt[blockIdx.x * 16 + threadIdx.x] = s; }
}
