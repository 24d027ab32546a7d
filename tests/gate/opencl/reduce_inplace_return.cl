// Tree reduction in which retired threads return.
__kernel void reduce_inplace_return(__global const float *in, __global float *out)
{
    __local float sd[1024];
    unsigned t = get_local_id(0);
    sd[t] = in[t];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (unsigned live = get_local_size(0) >> 1; live > 0; live >>= 1) {
        if (t >= live) return;
        sd[t] += sd[t + live];
        barrier(CLK_LOCAL_MEM_FENCE);            // @op
    }
    out[0] = sd[0];
}
