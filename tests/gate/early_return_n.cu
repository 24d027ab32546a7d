//
//
//
__global__ void early_return_n(int n, float *d)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    __shared__ float k;
    if (threadIdx.x == 0) k = d[0];
    __syncthreads();
    d[i] += k;
}
