// Out-of-range threads return before the block barrier.
__kernel void early_return_1d(__global const float *in, __global float *out, int n)
{
    __local float s[1024];
    int i = get_group_id(0) * get_local_size(0) + get_local_id(0);
    if (i >= n) return;
    s[get_local_id(0)] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);                // @op
    out[i] = s[get_local_id(0)] + s[0];
}
