// Two counters in step from an unknown width; the trip count is one for all.
extern "C" __global__ void matmul_tiles(float *C, const float *A, const float *B, int wA, int wB) {
    __shared__ float As[16][16], Bs[16][16];
    int aBegin = wA * 16 * blockIdx.y, aEnd = aBegin + wA - 1, bBegin = 16 * blockIdx.x, bStep = 16 * wB;
    float acc = 0;
    for (int a = aBegin, b = bBegin; a <= aEnd; a += 16, b += bStep) {
        As[threadIdx.y][threadIdx.x] = A[a + wA * threadIdx.y + threadIdx.x];
        Bs[threadIdx.y][threadIdx.x] = B[b + wB * threadIdx.y + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < 16; k++) acc += As[threadIdx.y][k] * Bs[k][threadIdx.x];
        __syncthreads();
    }
    C[wB * 16 * blockIdx.y + 16 * blockIdx.x + wB * threadIdx.y + threadIdx.x] = acc;
}
