//
//
__global__ void warpsz_unknown(int *d, int *sums)
{
    int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
    int v = d[blockIdx.x * blockDim.x + threadIdx.x];
    __shared__ int s[32];
    for (int i = 1; i < warpSize; i *= 2) {
        int n = __shfl_up_sync(0xffffffffu, v, i);
        if (lane >= i) v += n;
    }
    if (lane == warpSize - 1) s[warp] = v;
    __syncthreads();
    if (warp == 0 && lane < blockDim.x / warpSize) {
        int w = s[lane];
        unsigned m = (1u << (blockDim.x / warpSize)) - 1;
        for (int i = 1; i < blockDim.x / warpSize; i *= 2) {
            int n = __shfl_up_sync(m, w, i);
            if (lane >= i) w += n;
        }
        sums[blockIdx.x * 32 + lane] = w;
    }
}
