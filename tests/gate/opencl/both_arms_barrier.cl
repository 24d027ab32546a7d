// Every thread reaches *a* barrier, but not the same one.
__kernel void both_arms_barrier(__global float *out, int np)
{
    __local float s[1024];
    int lin = get_local_id(1) * get_local_size(0) + get_local_id(0);
    s[lin] = (float)lin;
    if (get_local_id(1) % np == 0) {
        float acc = s[lin];
        for (int r = 1; r < np; ++r) acc += (float)r * s[get_local_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);            // @op
        s[lin] = acc;
    } else {
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_group_id(0) * get_local_size(0) * get_local_size(1) + lin] = s[lin];
}
