// Two consumer warpgroups that take turns through ordered named barriers; a producer warpgroup feeds both.
#define STAGES 2
#define WAIT(a, parity) \
    asm volatile("{\n .reg .pred P1;\nLAB_WAIT:\n mbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1;\n" \
                 " @P1 bra DONE;\n bra LAB_WAIT;\nDONE:\n}" :: "r"(a), "r"(parity) : "memory")
extern "C" __global__ void __launch_bounds__(384) ws_pingpong(const float *in, float *out, int tiles, int turn)
{
    __shared__ alignas(1024) char a[STAGES][8192];
    __shared__ unsigned long long full[STAGES], empty[STAGES];
    unsigned f = (unsigned)__cvta_generic_to_shared(full), e = (unsigned)__cvta_generic_to_shared(empty);
    int wg = threadIdx.x / 128;
    if (threadIdx.x == 0)
        for (int i = 0; i < STAGES; i++) {
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(f + 8 * i) : "memory");
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(e + 8 * i) : "memory");
        }
    __syncthreads();
    if (wg == 0) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x == 0)
            for (int k = 0; k < tiles; k++) {
                unsigned s = k % STAGES;
                WAIT(e + 8 * s, (k / STAGES & 1) ^ 1);
                asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 8192;" :: "r"(f + 8 * s) : "memory");
                asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 8192, [%2];"
                             :: "r"((unsigned)__cvta_generic_to_shared(a[s])), "l"(in + k * 2048), "r"(f + 8 * s) : "memory");
            }
        return;
    }
    float d[4] = {0.f, 0.f, 0.f, 0.f};
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    if (wg == 1) asm volatile("bar.arrive 1, 256;" ::: "memory");              // the first turn is warpgroup 2's
    for (int k = wg - 1; k < tiles; k += 2) {
        unsigned s = k % STAGES;
        // wait for the turn: barrier wg, completed by the other warpgroup
        if (wg == 1) asm volatile("bar.sync 2, %0;" :: "r"(turn) : "memory");  // @turn1
        else         asm volatile("bar.sync 1, 256;" ::: "memory");            // @turn2
        WAIT(f + 8 * s, k / STAGES & 1);
        unsigned long long desc = (unsigned long long)((unsigned)__cvta_generic_to_shared(a[s]) >> 4);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        asm volatile("{ wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0; }"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(desc), "l"(desc));
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        if (threadIdx.x % 128 == 0)
            asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" :: "r"(e + 8 * s) : "memory");
        // give the turn
        if (wg == 1) asm volatile("bar.arrive 1, 256;" ::: "memory");
        else         asm volatile("bar.arrive 2, 256;" ::: "memory");
    }
    out[threadIdx.x - 128] = d[0] + d[1] + d[2] + d[3];
}
