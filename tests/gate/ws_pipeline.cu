// One producer warpgroup, consumer warpgroups, a ring of stages with full and empty mbarriers.
#define STAGES 4
#define WAIT(a, parity) \
    asm volatile("{\n .reg .pred P1;\nLAB_WAIT:\n mbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1;\n" \
                 " @P1 bra DONE;\n bra LAB_WAIT;\nDONE:\n}" :: "r"(a), "r"(parity) : "memory")           // @wait
extern "C" __global__ void __launch_bounds__(384) ws_pipeline(const float *in, float *out, int tiles)
{
    __shared__ alignas(128) float buf[STAGES][1024];
    __shared__ unsigned long long full[STAGES], empty[STAGES];
    unsigned f = (unsigned)__cvta_generic_to_shared(full), e = (unsigned)__cvta_generic_to_shared(empty);
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; i++) {
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(f + 8 * i) : "memory");
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 128;" :: "r"(e + 8 * i) : "memory");
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    int stage = 0, phase = 0;
    if (threadIdx.x / 128 == 0) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x == 0)
            for (int k = 0; k < tiles; k++) {
                WAIT(e + 8 * stage, phase ^ 1);
                asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 4096;" :: "r"(f + 8 * stage) : "memory");
                asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 4096, [%2];"
                             :: "r"((unsigned)__cvta_generic_to_shared(buf[stage])), "l"(in + k * 1024), "r"(f + 8 * stage) : "memory");
                if (++stage == STAGES) { stage = 0; phase ^= 1; }
            }
    } else {
        float sum = 0.f;
        asm volatile("setmaxnreg.inc.sync.aligned.u32 160;");
        for (int k = 0; k < tiles; k++) {
            WAIT(f + 8 * stage, phase);
            for (int i = threadIdx.x % 128; i < 1024; i += 128) sum += buf[stage][i];
            asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" :: "r"(e + 8 * stage) : "memory");
            if (++stage == STAGES) { stage = 0; phase ^= 1; }
        }
        out[blockIdx.x * 256 + threadIdx.x - 128] = sum;
    }
}
