//
//
//
//
extern "C" __global__ void ml_madcrash(float *out, int n, int lim)
{
    int m = __shfl_sync(0xffffffffu, threadIdx.x < 32 ? n : (int)threadIdx.x, 0);
    int idx = m * 24 + (int)blockIdx.x * 5;
    if (idx < lim)
        out[threadIdx.x] = __shfl_xor_sync(0xffffffffu, out[threadIdx.x], 1);
}
