//
//
//
__global__ void tail_warp_shfl(float *d)
{
    float v = d[threadIdx.y * 16 + threadIdx.x];
    for (int o = 8; o > 0; o /= 2) {
        float t = __shfl_down_sync(0xffffffffu, v, o);
        if (t < v) v = t;
    }
    if (threadIdx.x == 0) d[threadIdx.y] = v;
}
