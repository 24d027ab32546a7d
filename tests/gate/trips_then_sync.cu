// Lanes count trips of their own; the count decides who syncs.
extern "C" __global__ void trips_then_sync(const int *d, int *out)
{
    int t = threadIdx.x, k = 0;
    while (d[t * 32 + k] > 0) k++;
    if (k > 2) __syncwarp();                                                           // @op
    __syncthreads();
    out[t] = k;
}
