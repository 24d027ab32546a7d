// Guard against min(n - base, blockDim): partial only in the last block.
__kernel void min_tail_guard(__global const float *in, __global float *out, unsigned n)
{
    __local float s[1024];
    unsigned base = get_group_id(0) * get_local_size(0);
    unsigned live = min(n - base, (uint)get_local_size(0));
    if (get_local_id(0) < live) {
        s[get_local_id(0)] = in[base + get_local_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);            // @op
        s[get_local_id(0)] += s[0];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) < live) out[base + get_local_id(0)] = s[get_local_id(0)];
}
