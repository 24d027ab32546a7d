//
//
//
__global__ void uniform_floor(unsigned n, int *d)
{
    __shared__ int count;
    unsigned pos = threadIdx.x;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    while (true) {
        if (pos < n && d[pos] == 7) atomicAdd(&count, 1);
        pos += 256;
        __syncthreads();
        int c = count;
        __syncthreads();
        if (c < 256 && (pos / 256) * 256 < n) continue;
        break;
    }
    d[threadIdx.x] = count;
}
