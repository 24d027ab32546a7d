//
//
//
__global__ void volatile_flag_loop(const int *a, int *out)
{
    volatile __shared__ int found, mid;
    if (threadIdx.x == 0) { found = 0; mid = 0; }
    __syncthreads();
    while (!found) {
        int v = a[mid + threadIdx.x];
        __syncthreads();
        if (v == 7) { found = 1; out[blockIdx.x] = mid; }
        __syncthreads();
        if (threadIdx.x == 0) mid += 32;
        __syncthreads();
    }
}
