// Nested guards: blockIdx outer, threadIdx inner.
__kernel void block2d_nested(__global float *out, int edge)
{
    __local float s[256];
    unsigned t = get_local_id(1) * get_local_size(0) + get_local_id(0);
    s[t] = (float)t;
    if ((int)get_group_id(1) == edge) {
        if (get_local_id(1) < 4) {
            barrier(CLK_LOCAL_MEM_FENCE);        // @op
            s[t] += 1.f;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[(get_group_id(1) * get_num_groups(0) + get_group_id(0)) * get_local_size(0) * get_local_size(1) + t] = s[t];
}
