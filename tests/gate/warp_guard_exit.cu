//
//
__global__ void warp_guard_exit(int n, float *d)
{
    int row = blockIdx.x * 8 + threadIdx.x / 32;
    if (row >= n) return;
    float v = d[row * 32 + threadIdx.x % 32];
    for (int i = 16; i > 0; i /= 2) v += __shfl_xor_sync(0xffffffffu, v, i);
    if (threadIdx.x % 32 == 0) d[row] = v;
}
