// One block of a cluster of two waits for arrivals that the other makes.
extern "C" __global__ void __cluster_dims__(2, 1, 1) cluster_remote(float *out)
{
    __shared__ unsigned long long mb;
    unsigned a = (unsigned)__cvta_generic_to_shared(&mb), rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 64;" :: "r"(a) : "memory");
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
    if (rank == 1)
        asm volatile("{ .reg .b32 r; mapa.shared::cluster.u32 r, %0, 0; mbarrier.arrive.release.cluster.shared::cluster.b64 _, [r]; }" :: "r"(a) : "memory");
    else
        asm volatile("{ .reg .pred P;\nW: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 P, [%0], 0;\n @!P bra W;\n }" :: "r"(a) : "memory");
    out[threadIdx.x] = rank;
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
}
