// Warp index from the linear thread id of a 2-D block.
__kernel void linear_warp0_2d(__global float *out)
{
    __local float s[1024];
    unsigned lin = get_local_id(1) * get_local_size(0) + get_local_id(0);
    s[lin] = (float)lin;
    if (lin / 32 == 0) {
        barrier(CLK_LOCAL_MEM_FENCE);            // @op
        s[lin] += s[0];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[lin] = s[lin];
}
