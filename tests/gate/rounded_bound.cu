//
//
//
__global__ void rounded_bound(unsigned n, float *d)
{
    unsigned step = blockDim.x * gridDim.x;
    unsigned up = ((n - 1) / step + 1) * step;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < up; i += step) {
        if (i < n) d[i] += 1;
        __syncthreads();
    }
}
