// A warp a row; trip counts differ between lanes, but the shuffles come after the loop.
extern "C" __global__ void spmv_warp(const int *ptr, const int *col, const float *v, const float *x, float *y, int rows) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row < rows) {
        float s = 0;
        for (int i = ptr[row] + lane; i < ptr[row + 1]; i += 32) s += v[i] * x[col[i]];
        for (int k = 16; k; k /= 2) s += __shfl_down_sync(0xffffffffu, s, k);
        if (lane == 0) y[row] = s;
    }
}
