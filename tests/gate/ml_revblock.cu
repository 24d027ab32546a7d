//
//
//
extern "C" __global__ void ml_revblock(float *out, const float *in, int n)
{
    int lane = threadIdx.x % 32, row = (gridDim.x - blockIdx.x - 1) * (blockDim.x / 32) + threadIdx.x / 32;
    if (row >= n)
        return;
    float s = in[(size_t)row * 32 + lane];
    for (int o = 16; o > 0; o >>= 1)
        s += __shfl_xor_sync(0xffffffffu, s, o);
    if (lane == 0)
        out[row] = s;
}
