//
//
//
//
//
extern "C" __global__ void ml_labelscope(float *out)
{
    __shared__ unsigned long long mb[2];
    unsigned a = (unsigned)__cvta_generic_to_shared(mb);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(a) : "memory");
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(a + 8) : "memory");
    }
    __syncthreads();
#define WAIT(addr) asm volatile("{\n .reg .pred P1;\nLAB_WAIT:\n mbarrier.try_wait.parity.shared::cta.b64 P1, [%0], 0;\n" \
                                " @P1 bra DONE;\n bra LAB_WAIT;\nDONE:\n }" :: "r"(addr) : "memory")
    if (threadIdx.x >= 32) {
        if (threadIdx.x == 32) {
            WAIT(a);
            asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" :: "r"(a + 8) : "memory");
        }
        __syncwarp();
        asm volatile("bar.sync 1, 32;" ::: "memory");
    } else {
        if (threadIdx.x == 0) asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" :: "r"(a) : "memory");
        __syncwarp();
        WAIT(a + 8);
        asm volatile("bar.sync 2, 32;" ::: "memory");
        out[blockIdx.x * 32 + threadIdx.x] = __shfl_xor_sync(0xffffffffu, (float)threadIdx.x, 1);
    }
}
