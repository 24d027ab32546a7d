// Arrival and wait apart, and at different places for the two roles of a block.
extern "C" __global__ void __cluster_dims__(2, 1, 1) cluster_roles(float *out, int split, int late, int skip)
{
    if ((int)threadIdx.x < split) {
        asm volatile("barrier.cluster.arrive.release;" ::: "memory");
        out[threadIdx.x] = 1.f;
        asm volatile("barrier.cluster.wait.acquire;" ::: "memory");            // @role1
    } else {
        if ((int)threadIdx.x >= late) return;
        if (!skip) {
            asm volatile("barrier.cluster.arrive.release;" ::: "memory");
            asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
        }
        asm volatile("// both ways");
        if (skip == 2) asm volatile("barrier.cluster.wait.acquire;" ::: "memory"); // @nowait
        if (skip == 1) asm volatile("bar.sync 1, 128;" ::: "memory");          // @stuck
    }
}
