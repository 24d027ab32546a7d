//
//
//
//
//
extern "C" __global__ void ml_warprow(float *out, const float *in, int n, int c)
{
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int row = blockIdx.x * (blockDim.x / 32) + warp;
    if (row >= n)
        return;
    float s = 0.f;
    for (int i = lane; i < c; i += 32)
        s += in[(size_t)row * c + i];
    for (int o = 16; o > 0; o >>= 1)
        s += __shfl_xor_sync(0xffffffffu, s, o);
    if (lane == 0)
        out[row] = s;
}
