// SAFE lookalike: strided per-thread loops, barriers only between them.
__kernel void histogram_smem(__global const int *in, __global int *hist, int n)
{
    __local int bins[64];
    for (int b = get_local_id(0); b < 64; b += get_local_size(0)) bins[b] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_group_id(0) * get_local_size(0) + get_local_id(0); i < n; i += get_num_groups(0) * get_local_size(0))
        atomic_add(&bins[in[i] & 63], 1);
    barrier(CLK_LOCAL_MEM_FENCE);                // @op
    for (int b = get_local_id(0); b < 64; b += get_local_size(0)) atomic_add(&hist[b], bins[b]);
}
