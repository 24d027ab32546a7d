// Decoupled look-back, a bin a thread: the ballot feeds its own mask, lanes leave one by one.
extern "C" __global__ void lookback_bins(volatile int *state, int *out)
{
    int bin = threadIdx.x, sum = 0;
    unsigned want = 0xffffffffu;
    for (int j = (int)blockIdx.x - 1; j >= 0; --j) {
        int v;
        do {
            v = state[j * blockDim.x + bin];
        } while (v == 0);
        sum += v & 0x3fffffff;
        want = __ballot_sync(want, (v & 0x80000000) == 0);
        if (v & 0x80000000) break;
    }
    out[blockIdx.x * blockDim.x + bin] = sum;
}
