//
//
//
//
extern "C" __global__ void ml_longknown(float *out, const float *in, int T)
{
    int lane = threadIdx.x % 32, t3 = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (t3 >= T)
        return;
    float r = 0.f;
    for (int t = t3; t < T; t++) {
        float s = 0.f;
        for (int t2 = lane; t2 <= t; t2 += 32)
            s += in[t * T + t2];
        for (int o = 16; o > 0; o >>= 1)
            s += __shfl_xor_sync(0xffffffffu, s, o);
        r += s;
    }
    out[t3 * 32 + lane] = r;
}
