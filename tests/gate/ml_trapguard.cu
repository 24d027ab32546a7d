//
//
//
//
extern "C" __global__ void ml_trapguard(float *out, const float *in, int n)
{
    __shared__ float s[256];
    if (n % 256 != 0)
        __trap();
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        s[threadIdx.x] = in[i];
        __syncthreads();
        out[i] = s[threadIdx.x ^ 1];
        __syncthreads();
    }
}
