// Segments of 16 lanes read from an unknown lane each.
extern "C" __global__ void shfl_segment_unknown(int *x, int s)
{
    int t = threadIdx.x;
    if (__shfl_sync(0xffffffffu, x[t], s, 16) > 0) __syncwarp();                       // @op
    __syncthreads();
    x[t] = t;
}
