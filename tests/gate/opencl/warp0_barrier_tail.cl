// Same guard, but the skipping warps leave the kernel straight away.
__kernel void warp0_barrier_tail(__global float *out)
{
    __local float s[32];
    unsigned t = get_local_id(0);
    if (t < 32) {
        s[t] = (float)t * 0.5f;
        barrier(CLK_LOCAL_MEM_FENCE);            // @op
        out[get_group_id(0) * 32 + t] = s[31 - t];
    }
}
