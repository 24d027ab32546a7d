// The flag is written again while other warps may still read it.
extern "C" __global__ void mem_smem_race(float *out)
{
    __shared__ volatile int flag;
    __shared__ float s[256];
    int t = threadIdx.x;
    if (t == 0) flag = 1;
    s[t] = (float)t;
    __syncthreads();
    int n = flag;
    if (t == 0) flag = 0;
    if (n)
        __syncthreads();                // @op
    out[t] = s[t ^ 1];
}
