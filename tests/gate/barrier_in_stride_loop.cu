//
//
//
__global__ void barrier_in_stride_loop(int n, float *d)
{
    __shared__ int hits;
    for (int p = threadIdx.x; p < n; p += 256) {
        if (threadIdx.x == 0) hits = 0;
        __syncthreads();
        if (d[p] > 0) atomicAdd(&hits, 1);
        __syncthreads();
        if (hits >= 3) break;
    }
    __syncthreads();
    d[threadIdx.x] = hits;
}
