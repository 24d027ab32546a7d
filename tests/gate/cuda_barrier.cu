// cuda::barrier of the block: every thread arrives and waits, or arrives early and waits late.
#include <cuda/barrier>
using barrier = cuda::barrier<cuda::thread_scope_block>;
extern "C" __global__ void cuda_barrier(float *out, int expect, int rounds, int mode)
{
    #pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ barrier bar;
    if (threadIdx.x == 0) init(&bar, expect);
    __syncthreads();
    float v = 0.f;
    for (int i = 0; i < rounds; i++) {
        if (mode == 0) bar.arrive_and_wait();                  // @op
        if (mode == 1) { auto t = bar.arrive(); v += i; bar.wait(std::move(t)); }
        if (mode == 2 && threadIdx.x >= 32) bar.arrive_and_wait();
        if (mode == 3) { if (threadIdx.x == 0 && i == 1) { bar.arrive_and_drop(); break; } bar.arrive_and_wait(); }
    }
    out[threadIdx.x] = v;
}
