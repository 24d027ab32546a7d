//
//
__global__ void barrier_in_data_loop(int *next, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int t;
        while ((t = next[i]) >= 0 && next[t] >= 0) {
            t = next[t];
            __syncthreads();
            next[i] = t;
        }
    }
}
