// A 64-bit bound rounded up to a multiple of the grid, with a barrier in the loop.
extern "C" __global__ void dropout_grid(float *o, const float *x, size_t total, float p) {
    size_t idx = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t rounded = ((total - 1) / (blockDim.x * gridDim.x * 4) + 1) * blockDim.x * gridDim.x * 4;
    for (size_t i = idx; i < rounded; i += (size_t)blockDim.x * gridDim.x * 4) {
        for (int k = 0; k < 4; k++) { size_t j = i + (size_t)blockDim.x * gridDim.x * k; if (j < total) o[j] = x[j] * p; }
        __syncthreads();
    }
}
