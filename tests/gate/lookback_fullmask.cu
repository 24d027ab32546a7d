// The same with the full mask in every trip, though lanes have left.
extern "C" __global__ void lookback_fullmask(volatile int *state, int *out)
{
    int bin = threadIdx.x, sum = 0;
    unsigned any = 0;
    for (int j = (int)blockIdx.x - 1; j >= 0; --j) {
        int v = state[j * blockDim.x + bin];
        sum += v & 0x3fffffff;
        any += __ballot_sync(0xffffffffu, (v & 0x80000000) == 0);                      // @op
        if (v & 0x80000000) break;
    }
    __syncthreads();
    out[blockIdx.x * blockDim.x + bin] = sum + any;
}
