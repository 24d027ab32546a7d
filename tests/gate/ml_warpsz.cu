//
//
//
extern "C" __global__ void ml_warpsz(float *out, const float *in, int n)
{
    int lane = threadIdx.x % warpSize, w = threadIdx.x / warpSize;
    float s = 0.f;
    for (int r = w; r < n; r += blockDim.x / warpSize) {
        for (int i = lane; i < n; i += warpSize)
            s += in[r * n + i];
        for (int o = warpSize / 2; o > 0; o /= 2)
            s += __shfl_xor_sync(0xffffffffu, s, o);
    }
    out[threadIdx.x] = s;
}
