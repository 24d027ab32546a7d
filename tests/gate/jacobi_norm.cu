// Two exits: a shared sum that all read, and a count.
extern "C" __global__ void jacobi_norm(float *x, const float *b, int n, int iters, float tol, float *res) {
    __shared__ float err; int it = 0;
    do {
        float e = 0;
        for (int i = threadIdx.x + 1; i < n - 1; i += blockDim.x) { float v = 0.5f * (x[i - 1] + x[i + 1] - b[i]); e += fabsf(v - x[i]); }
        if (threadIdx.x == 0) err = 0;
        __syncthreads();
        atomicAdd(&err, e);
        __syncthreads();
        if (threadIdx.x == 0) res[it] = err;
        it++;
        float g = err;
        __syncthreads();
        if (g < tol) break;
    } while (it < iters);
}
