// Slots of shared memory: each thread writes its own, all read one of another warp.
extern "C" __global__ void mem_smem_slots(float *out, int limit, int mine)
{
    __shared__ int slot[128];
    __shared__ float s[128];
    int t = threadIdx.x;
    slot[t] = t < limit ? 3 : 1;
    s[t] = (float)t;
    __syncthreads();
    int n = mine ? slot[t] : slot[blockDim.x - 1];
    for (int i = 0; i < n; i++) {
        __syncthreads();                // @op
        s[t] += s[t ^ 1];
    }
    out[t] = s[t];
}
