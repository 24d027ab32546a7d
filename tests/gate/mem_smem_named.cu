// The word passes from producers to consumers at a named barrier.
extern "C" __global__ void mem_smem_named(float *out, const int *in, int full)
{
    __shared__ volatile int n;
    int t = threadIdx.x, w = t / 32;
    if (w == 0) {
        if (t == 0) n = in[0] & 3;
        __syncwarp();
        asm volatile("bar.arrive 1, 64;" ::: "memory");
    } else if (w == 1) {
        if (full) asm volatile("bar.sync 1, 64;" ::: "memory");
        int k = n;
        for (int i = 0; i < k; i++)
            out[t + i] = __shfl_sync(0xffffffffu, (float)i, t & k);     // @op
        if (!full) asm volatile("bar.sync 1, 64;" ::: "memory");
    }
}
