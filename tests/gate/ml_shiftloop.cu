//
//
//
//
extern "C" __global__ void ml_shiftloop(float *y, const float *k, int T, int C, int H)
{
    __shared__ float s[64];
    int tid = threadIdx.x, hs = C / H, b = blockIdx.x / H, h = blockIdx.x % H;
    float acc = 0.f;
    for (int t = b * T * C + h * hs + tid; t < (b + 1) * T * C + h * hs + tid; t += C) {
        __syncthreads();
        s[tid] = k[t];
        __syncthreads();
        for (int j = 0; j < hs; j++)
            acc += s[j];
        y[t] = acc;
    }
}
