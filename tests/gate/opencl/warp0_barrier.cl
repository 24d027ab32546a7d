// Block barrier guarded by "am I in warp 0"; a second, common barrier follows.
__kernel void warp0_barrier(__global float *out)
{
    __local float s[1024];
    unsigned t = get_local_id(0);
    s[t] = (float)t;
    if (t / 32 == 0) {
        barrier(CLK_LOCAL_MEM_FENCE);            // @op
        s[t] += s[(t + 1) & 31];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_group_id(0) * get_local_size(0) + t] = s[t ^ 1];
}
