// How often blocks of a cluster of two meet depends on their rank in it.
#define CLUSTER_SYNC() asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory")
extern "C" __global__ void __cluster_dims__(2, 1, 1) cluster_ranks(float *out, int extra, int mode)
{
    unsigned rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    if (mode == 0)
        for (int i = 0; i < (rank == 0 ? 2 : 2 + extra); i++) CLUSTER_SYNC();  // @op
    if (mode == 1 && (blockIdx.x ^ rank) & 1) CLUSTER_SYNC();                  // never: the parity of the block is its rank
    if (mode == 2) for (int i = 0; i < extra; i++) CLUSTER_SYNC();             // as often in every block
    out[blockIdx.x * blockDim.x + threadIdx.x] = rank;
    CLUSTER_SYNC();
}
