// A consumer that forgets to release its stage: the ring fills up and the producer waits for ever.
#define WAIT(a, parity) \
    asm volatile("{\n .reg .pred P1;\nLAB_WAIT:\n mbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1;\n" \
                 " @P1 bra DONE;\n bra LAB_WAIT;\nDONE:\n}" :: "r"(a), "r"(parity) : "memory")
extern "C" __global__ void ws_no_release(float *out, int tiles)
{
    __shared__ float buf[2][32];
    __shared__ unsigned long long full[2], empty[2];
    unsigned f = (unsigned)__cvta_generic_to_shared(full), e = (unsigned)__cvta_generic_to_shared(empty);
    if (threadIdx.x < 2) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 32;" :: "r"(f + 8 * threadIdx.x) : "memory");
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(e + 8 * threadIdx.x) : "memory");
    }
    __syncthreads();
    float sum = 0.f;
    if (threadIdx.x < 32)
        for (int k = 0; k < tiles; k++) {
            WAIT(e + k % 2 * 8, (k / 2 & 1) ^ 1);                              // @producer
            buf[k % 2][threadIdx.x] = k;
            asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" :: "r"(f + k % 2 * 8) : "memory");
        }
    else
        for (int k = 0; k < tiles; k++) {
            WAIT(f + k % 2 * 8, k / 2 & 1);                                    // @consumer
            sum += buf[k % 2][threadIdx.x % 32];
        }
    out[threadIdx.x] = sum;
}
