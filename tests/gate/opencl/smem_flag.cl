// SAFE lookalike: predicate written by thread 0 to shared memory, read by all after a barrier.
__kernel void smem_flag(__global float *out, int arg)
{
    volatile __local int flag;
    __local float s[128];
    unsigned t = get_local_id(0);
    s[t] = (float)t;
    if (t == 0) flag = arg;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (flag > 3) {
        barrier(CLK_LOCAL_MEM_FENCE);            // @op
        s[t] += 1.f;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[t] = s[t];
}
