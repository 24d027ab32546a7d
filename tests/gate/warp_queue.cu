//
//
__global__ void warp_queue(int *next, int n, int *out)
{
    int lane = threadIdx.x % 32, i;
    if (lane == 0) i = atomicAdd(next, 1);
    i = __shfl_sync(0xffffffffu, i, 0);
    while (i < n) {
        out[i * 32 + lane] = i;
        if (lane == 0) i = atomicAdd(next, 1);
        i = __shfl_sync(0xffffffffu, i, 0);
    }
}
