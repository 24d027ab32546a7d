//
//
//
//
extern "C" __global__ void ml_mborder(float *out)
{
    __shared__ unsigned long long mb;
    __shared__ float s[128];
    unsigned a = (unsigned)__cvta_generic_to_shared(&mb);
    int wg = threadIdx.x / 128, t = threadIdx.x % 128;
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 128;" :: "r"(a) : "memory");
    __syncthreads();
    if (wg == 1)
        asm volatile("{\n .reg .pred P;\nW: mbarrier.try_wait.parity.shared::cta.b64 P, [%0], 0;\n @!P bra W;\n }" :: "r"(a) : "memory");
    s[t] = threadIdx.x;
    asm volatile("bar.sync 1, 128;" ::: "memory");
    out[blockIdx.x * 256 + threadIdx.x] = s[t ^ 1];
    asm volatile("bar.sync 1, 128;" ::: "memory");
    if (wg == 0)
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" :: "r"(a) : "memory");
}
