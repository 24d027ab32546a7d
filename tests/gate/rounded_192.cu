// A signed bound rounded up to a multiple of a block that is no power of two.
extern "C" __global__ void rounded_192(float *d, int n)
{
    int up = (n + 191) / 192 * 192;
    for (int i = blockIdx.x * 192 + threadIdx.x; i < up; i += gridDim.x * 192) {
        if (i < n)
            d[i] += 1;
        __syncthreads();
    }
}
