// In the manner of attention on Hopper: a producer warp, two consumer warpgroups, a persistent loop over
// tiles with fewer key blocks in the last one, named barriers that hand Q back and order the two softmaxes.
#define STAGES 2
#define WAIT(a, parity) \
    asm volatile("{\n .reg .pred P1;\nLAB_WAIT:\n mbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1;\n" \
                 " @P1 bra DONE;\n bra LAB_WAIT;\nDONE:\n}" :: "r"(a), "r"(parity) : "memory")
#define BULK(dst, src, bytes, bar) \
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(bar), "n"(bytes) : "memory"); \
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" \
                 :: "r"((unsigned)__cvta_generic_to_shared(dst)), "l"(src), "n"(bytes), "r"(bar) : "memory")
extern "C" __global__ void __launch_bounds__(384)
ws_attention(const float *q, const float *kv, float *out, int tiles, int blocks, int last)
{
    __shared__ alignas(1024) float sq[2048], skv[STAGES][2048];
    __shared__ unsigned long long qfull, full[STAGES], empty[STAGES];
    unsigned qf = (unsigned)__cvta_generic_to_shared(&qfull), f = (unsigned)__cvta_generic_to_shared(full),
             e = (unsigned)__cvta_generic_to_shared(empty);
    int wg = threadIdx.x / 128, warp = __shfl_sync(~0u, threadIdx.x / 32, 0);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(qf) : "memory");
        for (int i = 0; i < STAGES; i++) {
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(f + 8 * i) : "memory");
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 8;" :: "r"(e + 8 * i) : "memory");
        }
    }
    __syncthreads();
    int it = 0, round = 0;
    if (wg == 0) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
        if (warp == 0) {
            for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
                int n = tile == tiles - 1 ? last : blocks;
                asm volatile("bar.sync 1, 288;" ::: "memory");                 // @qempty Q may be overwritten
                if (threadIdx.x == 0) { BULK(sq, q + tile * 2048, 8192, qf); }
                for (int k = 0; k < n; k++, it++) {
                    unsigned s = it % STAGES;
                    if (threadIdx.x == 0) {
                        WAIT(e + 8 * s, (it / STAGES & 1) ^ 1);
                        BULK(skv[s], kv + k * 2048, 8192, f + 8 * s);
                    }
                }
            }
        }
    } else {
        float acc = 0.f;
        asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
        asm volatile("bar.arrive 1, 288;" ::: "memory");                       // Q is free
        if (wg == 1) asm volatile("bar.arrive 2, 256;" ::: "memory");
        for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x, round++) {
            int n = tile == tiles - 1 ? last : blocks;
            WAIT(qf, round & 1);
            for (int k = 0; k < n; k++, it++) {
                unsigned s = it % STAGES;
                WAIT(f + 8 * s, it / STAGES & 1);
                if (wg == 1) asm volatile("bar.sync 3, 256;" ::: "memory");    // @order1
                else         asm volatile("bar.sync 2, 256;" ::: "memory");    // @order2
                acc += sq[threadIdx.x] * skv[s][threadIdx.x];
                if (wg == 1) asm volatile("bar.arrive 2, 256;" ::: "memory");
                else         asm volatile("bar.arrive 3, 256;" ::: "memory");
                __syncwarp();
                if (threadIdx.x % 32 == 0)
                    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" :: "r"(e + 8 * s) : "memory");
            }
            asm volatile("bar.arrive 1, 288;" ::: "memory");
            out[tile * 256 + threadIdx.x - 128] = acc;
        }
    }
}
