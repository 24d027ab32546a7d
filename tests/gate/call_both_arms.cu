// One function with a barrier, called from both sides of a thread test: two sites.
__device__ __noinline__ void publish(float *s, float v)
{
    s[threadIdx.x] = v;
    __syncthreads();                                   // @op
}

extern "C" __global__ void call_both_arms(float *out, int kk)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    // Without the comments a compiler may make one call of the two.
    if (t < kk) {
        publish(s, 1.f);
        asm volatile("// first");
    } else {
        publish(s, 2.f);
        asm volatile("// second");
    }
    out[t] = s[blockDim.x - 1 - t];
}
