// Lanes make trips of their own, then meet.
extern "C" __global__ void trips_then_barrier(const int *d, int *out)
{
    int t = threadIdx.x, k = 0;
    while (d[t * 32 + k] > 0) k++;
    if (__syncthreads_or(k > 2)) __syncthreads();
    out[t] = k;
}
