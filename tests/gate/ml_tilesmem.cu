//
//
//
//
extern "C" __global__ void ml_tilesmem(float *out, unsigned *ticket, unsigned ntiles)
{
    __shared__ volatile unsigned tile;
    int wg = threadIdx.x / 128;
    if (wg == 0) {
        for (;;) {
            if (threadIdx.x == 0) tile = atomicAdd(ticket, 1);
            asm volatile("bar.sync 1, 256;" ::: "memory"); /* tile ready */
            unsigned t = tile;
            asm volatile("bar.sync 2, 256;" ::: "memory"); /* tile read */
            if (t >= ntiles) break;
        }
    } else {
        for (;;) {
            asm volatile("bar.sync 1, 256;" ::: "memory");
            unsigned t = tile;
            asm volatile("bar.sync 2, 256;" ::: "memory");
            if (t >= ntiles) break;
            out[t * 128 + threadIdx.x - 128] = t;
        }
    }
}
