// A callee writes through a pointer to a local variable of its caller.
__device__ __noinline__ void decide(int *n, int t, int limit)
{
    *n = t < limit ? 2 : 0;
}
extern "C" __global__ void mem_local_pointer(float *out, int limit)
{
    __shared__ float s[256];
    int t = threadIdx.x, n;
    decide(&n, t, limit);
    s[t] = (float)t;
    if (n) {
        __syncthreads();                // @op
        s[t] += 1.f;
    }
    __syncthreads();
    out[t] = s[t ^ 1];
}
