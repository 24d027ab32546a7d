// SAFE lookalike: block-uniform value loaded from global memory.
__kernel void global_uniform_load(__global const int *cfg, __global float *out)
{
    __local float s[128];
    unsigned t = get_local_id(0);
    s[t] = (float)t;
    int c = cfg[get_group_id(0)];
    for (int r = 0; r < c; ++r) {
        barrier(CLK_LOCAL_MEM_FENCE);            // @op
        s[t] += 0.5f;
    }
    out[get_group_id(0) * get_local_size(0) + t] = s[t];
}
