//
//
//
//
//
extern "C" __global__ void ml_condrefuse(float *out, const float *in, int tiles)
{
    __shared__ float s[4][32];
    float v = 0.f;
    for (int i = 0; i < tiles; i++) {
        s[threadIdx.y][threadIdx.x] = in[i * 128 + threadIdx.y * 32 + threadIdx.x];
        __syncthreads();
        if (threadIdx.y % 2 == 0) {
            float a = s[threadIdx.y][threadIdx.x] + (blockDim.y > 1 ? s[threadIdx.y + 1][threadIdx.x] : 0.f);
            a += __shfl_xor_sync(0xffffffffu, a, 16);
            __syncthreads();
            s[threadIdx.y][threadIdx.x] = a;
        } else {
            __syncthreads();
        }
        __syncthreads();
        v += s[threadIdx.y & 2][threadIdx.x];
        __syncthreads();
    }
    out[threadIdx.y * 32 + threadIdx.x] = v;
}
