// SAFE lookalike: barrier in odd blocks only.
__kernel void blockidx_guard(__global float *out)
{
    __local float s[128];
    unsigned t = get_local_id(0);
    s[t] = (float)t;
    if (get_group_id(0) & 1) {
        barrier(CLK_LOCAL_MEM_FENCE);            // @op
        s[t] = s[t ^ 1];
    }
    out[get_group_id(0) * get_local_size(0) + t] = s[t];
}
