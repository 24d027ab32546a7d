// One function with a counted barrier, called by two roles: participants may be anywhere.
__device__ __noinline__ void meet(int id, int count)
{
    asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(count) : "memory");   // @op
}

extern "C" __global__ void call_both_arms_named(float *out, int kk)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    if (t < kk) {
        s[t] = 1.f;
        meet(1, blockDim.x);
    } else {
        meet(1, blockDim.x);
        out[t] = s[0];
    }
}
