// A shared counter that all threads raise; everybody reads the sum after the barrier.
extern "C" __global__ void mem_smem_atomic(float *out, const float *in, int own)
{
    __shared__ int count;
    __shared__ float s[256];
    int t = threadIdx.x;
    if (t == 0) count = 0;
    __syncthreads();
    int at = in[t] > 0.f ? atomicAdd(&count, 1) : 0;
    __syncthreads();
    s[t] = (float)at;
    if ((own ? at : *(volatile int *)&count) > 10)
        __syncthreads();                // @op
    out[t] = s[t ^ 1];
}
