// What lane 0 found goes to its warp through shared memory, ordered by __syncwarp.
extern "C" __global__ void mem_smem_warp(float *out, const float *in, int whole)
{
    __shared__ volatile int pick[8];
    int t = threadIdx.x, w = t / 32;
    if (t % 32 == 0) pick[w] = in[w] > 0.f;
    if (whole) __syncwarp();
    if (pick[w]) {
        float v = __shfl_down_sync(0xffffffffu, in[t], 1);     // @op
        out[t] = v;
    }
}
