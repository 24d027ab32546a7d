// One word, read by the two halves of a block at different loads.
extern "C" __global__ void mem_smem_sites(float *out, const int *work, int late)
{
    __shared__ int rounds;
    __shared__ float s[256];
    int t = threadIdx.x;
    if (t == 0) rounds = work[blockIdx.x];
    s[t] = (float)t;
    __syncthreads();
    int n;
    if (t < 64) n = *(volatile int *)&rounds;
    else        n = ((volatile int *)&rounds)[0] + late;
    if (n > 5)
        __syncthreads();                // @op
    out[t] = s[t ^ 1];
}
