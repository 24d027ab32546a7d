// Producer and consumer loop as often, with two named barriers between them.
extern "C" __global__ void prodcons(float *o, const float *in, int rounds) {
    __shared__ float buf[128];
    if (threadIdx.x < 128) {
        for (int i = 0; i < rounds; i++) {
            asm volatile("bar.sync 2, 256;" ::: "memory");
            buf[threadIdx.x] = in[i * 128 + threadIdx.x];
            asm volatile("bar.arrive 1, 256;" ::: "memory");
        }
        asm volatile("bar.sync 2, 256;" ::: "memory");
    } else {
        asm volatile("bar.arrive 2, 256;" ::: "memory");
        for (int i = 0; i < rounds; i++) {
            asm volatile("bar.sync 1, 256;" ::: "memory");
            o[i * 128 + threadIdx.x - 128] = buf[threadIdx.x - 128];
            asm volatile("bar.arrive 2, 256;" ::: "memory");
        }
    }
}
