// A store at an index that data decide touches the flag's array, or another one.
extern "C" __global__ void mem_smem_index(float *out, const int *in, int same)
{
    __shared__ volatile int flag[32], data[32];
    __shared__ float s[256];
    int t = threadIdx.x;
    if (t < 32) { flag[t] = t == 3; data[t] = 0; }
    s[t] = (float)t;
    __syncthreads();
    if (t < 32) {
        if (same) flag[in[t] & 31] = t & 1;
        else      data[in[t] & 31] = t & 1;
    }
    __syncthreads();
    if (flag[t & 31]) {
        __syncwarp(0x00000008u);        // @op
        s[t] += 1.f;
    }
    out[t] = s[t];
}
