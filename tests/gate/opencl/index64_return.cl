// 64-bit index arithmetic in the guard.
__kernel void index64_return(__global const float *in, __global float *out, long n)
{
    __local float s[512];
    long i = (long)get_group_id(0) * get_local_size(0) + get_local_id(0);
    if (i >= n) return;
    s[get_local_id(0)] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);                // @op
    out[i] = s[get_local_id(0) ^ 1];
}
