//
//
__global__ void live_shfl_value(float *d)
{
    float e = d[threadIdx.y * 16 + threadIdx.x];
    if (threadIdx.y == 0) {
        for (int o = 8; o > 0; o /= 2) e += __shfl_down_sync(0xffffffffu, e, o);
        d[threadIdx.x] = e;
    }
}
