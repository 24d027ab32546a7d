//
//
//
//
extern "C" __global__ void ml_leftover(float *out, int rounds)
{
    int wg = threadIdx.x / 128;
    float v = 0.f;
    if (wg == 1)
        asm volatile("bar.arrive 1, 256;" ::: "memory");
    for (int i = 0; i < rounds; i++) {
        if (wg == 0) { asm volatile("bar.sync 1, 256;" ::: "memory"); v += i; asm volatile("bar.arrive 2, 256;" ::: "memory"); }
        else         { asm volatile("bar.sync 2, 256;" ::: "memory"); v -= i; asm volatile("bar.arrive 1, 256;" ::: "memory"); }
    }
    out[blockIdx.x * 256 + threadIdx.x] = v;
}
