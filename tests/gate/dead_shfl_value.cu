//
//
//
//
__global__ void dead_shfl_value(float *d)
{
    float e = d[threadIdx.y * 16 + threadIdx.x];
    __shared__ float s[16];
    if (threadIdx.x == 0) s[threadIdx.y] = e;
    __syncthreads();
    if (threadIdx.y == 0) {
        e = s[threadIdx.x];
        for (int o = 8; o > 0; o /= 2) e += __shfl_down_sync(0xffffffffu, e, o);
        if (threadIdx.x == 0) atomicAdd(d, e);
    }
}
