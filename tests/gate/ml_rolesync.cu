//
//
//
//
//
extern "C" __global__ void ml_rolesync(float *out)
{
    __shared__ float s[32];
    int wg = threadIdx.x / 128;
    if (wg == 2) {
        if (threadIdx.x % 128 < 32) s[threadIdx.x % 32] = 1.f;
        asm volatile("bar.sync 15;" ::: "memory");
        asm volatile("bar.sync 13, 128;" ::: "memory");
    } else {
        if (blockDim.x > 128) asm volatile("bar.sync 15;" ::: "memory");
        out[blockIdx.x * 256 + threadIdx.x] = s[threadIdx.x % 32];
    }
}
