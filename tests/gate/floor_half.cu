// The exit test rounds down to half the block: the halves leave at different times.
extern "C" __global__ void floor_half(int *d, unsigned n)
{
    for (unsigned pos = threadIdx.x; (pos / 64) * 64 < n; pos += 128) {
        __syncthreads();
        d[pos] = pos;
    }
}
