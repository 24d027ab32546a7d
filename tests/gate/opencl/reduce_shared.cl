// SAFE: classic shared-memory tree reduction.
__kernel void reduce_shared(__global const float *in, __global float *out, int n, __local float *sd)
{
    // sd: one float a work-item, given by the launch
    unsigned t = get_local_id(0), i = get_group_id(0) * get_local_size(0) + t;
    sd[t] = i < (unsigned)n ? in[i] : 0.f;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (unsigned s = get_local_size(0) / 2; s > 0; s >>= 1) {
        if (t < s) sd[t] += sd[t + s];
        barrier(CLK_LOCAL_MEM_FENCE);            // @op
    }
    if (t == 0) out[get_group_id(0)] = sd[0];
}
