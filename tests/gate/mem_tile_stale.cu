// Tile numbers through shared memory without the barrier that frees the word: the producer
// may write the next one before all have read this one.
extern "C" __global__ void mem_tile_stale(float *out, unsigned *ticket, unsigned ntiles)
{
    __shared__ volatile unsigned tile;
    for (;;) {
        if (threadIdx.x == 0) tile = atomicAdd(ticket, 1);
        __syncthreads();                // @op
        unsigned t = tile;
        if (t >= ntiles) break;
        out[t * blockDim.x + threadIdx.x] = t;
    }
}
