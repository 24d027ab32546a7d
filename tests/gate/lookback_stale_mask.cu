// A look-back whose mask is one trip behind.
extern "C" __global__ void lookback_stale_mask(volatile int *state, int *out)
{
    int bin = threadIdx.x, sum = 0;
    unsigned want = 0xffffffffu, next = 0xffffffffu;
    for (int j = (int)blockIdx.x - 1; j >= 0; --j) {
        int v = state[j * blockDim.x + bin];
        sum += v & 0x3fffffff;
        unsigned now = next;
        next = __ballot_sync(want, (v & 0x80000000) == 0);                             // @op
        want = now;
        if (v & 0x80000000) break;
    }
    __syncthreads();
    out[blockIdx.x * blockDim.x + bin] = sum;
}
