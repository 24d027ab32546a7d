// SAFE lookalike: tid/blockDim is always 0.
__kernel void always_true_div(__global float *out)
{
    __local float s[512];
    unsigned t = get_local_id(0);
    s[t] = (float)t;
    if (t / get_local_size(0) == 0) {
        barrier(CLK_LOCAL_MEM_FENCE);            // @op
        s[t] = s[get_local_size(0) - 1 - t];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[t] = s[t];
}
