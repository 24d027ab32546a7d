// Two barriers a buffer, as the CUDA programming guide shows it: ready and filled.
#include <cuda/barrier>
using barrier = cuda::barrier<cuda::thread_scope_block>;
__device__ void producer(barrier ready[], barrier filled[], float *buf, const float *in, int n, int len)
{
    for (int i = 0; i < n / len; ++i) {
        ready[i % 2].arrive_and_wait();
        for (int k = threadIdx.x; k < len; k += 32) buf[i % 2 * len + k] = in[i * len + k];
        barrier::arrival_token t = filled[i % 2].arrive();
    }
}
__device__ void consumer(barrier ready[], barrier filled[], float *buf, float *out, int n, int len)
{
    barrier::arrival_token t1 = ready[0].arrive();
    barrier::arrival_token t2 = ready[1].arrive();
    for (int i = 0; i < n / len; ++i) {
        filled[i % 2].arrive_and_wait();
        for (int k = threadIdx.x - 32; k < len; k += blockDim.x - 32) out[i * len + k] = buf[i % 2 * len + k];
        barrier::arrival_token t = ready[i % 2].arrive();
    }
}
extern "C" __global__ void pg_producer_consumer(const float *in, float *out, int n, int len)
{
    extern __shared__ float buf[];
    #pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ barrier bar[4];
    if (threadIdx.x < 4) init(bar + threadIdx.x, blockDim.x);
    __syncthreads();
    if (threadIdx.x < 32) producer(bar, bar + 2, buf, in, n, len);
    else consumer(bar, bar + 2, buf, out, n, len);
}
