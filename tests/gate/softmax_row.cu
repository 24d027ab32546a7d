// A row a block; blocks take rows in turns, every loop with a barrier has the same bounds in all threads.
extern "C" __global__ void softmax_row(float *o, const float *x, int rows, int cols) {
    extern __shared__ float sh[];
    int row = blockIdx.x;
    for (; row < rows; row += gridDim.x) {
        float m = -1e30f;
        for (int i = threadIdx.x; i < cols; i += blockDim.x) m = fmaxf(m, x[row * cols + i]);
        sh[threadIdx.x] = m; __syncthreads();
        for (int s = blockDim.x / 2; s > 0; s >>= 1) { if (threadIdx.x < s) sh[threadIdx.x] = fmaxf(sh[threadIdx.x], sh[threadIdx.x + s]); __syncthreads(); }
        m = sh[0]; __syncthreads();
        float z = 0;
        for (int i = threadIdx.x; i < cols; i += blockDim.x) z += expf(x[row * cols + i] - m);
        sh[threadIdx.x] = z; __syncthreads();
        for (int s = blockDim.x / 2; s > 0; s >>= 1) { if (threadIdx.x < s) sh[threadIdx.x] += sh[threadIdx.x + s]; __syncthreads(); }
        for (int i = threadIdx.x; i < cols; i += blockDim.x) o[row * cols + i] = expf(x[row * cols + i] - m) / sh[0];
        __syncthreads();
    }
}
