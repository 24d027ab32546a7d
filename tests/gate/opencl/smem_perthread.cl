// Per-thread predicate parked in shared memory and read back.
__kernel void smem_perthread(__global float *out, int kk)
{
    volatile __local int p[128];
    __local float s[128];
    int t = get_local_id(0);
    s[t] = (float)t;
    p[t] = t < kk;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (p[t]) {
        barrier(CLK_LOCAL_MEM_FENCE);            // @op
        s[t] += 1.f;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[t] = s[t];
}
