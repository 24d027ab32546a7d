// SAFE lookalike: function with a barrier, called by all, thread-dependent arguments.
__attribute__((noinline)) float rotate(__local float *s, int t, int by)
{
    s[t] += 1.f;
    barrier(CLK_LOCAL_MEM_FENCE);                // @op
    return s[(t + by) % get_local_size(0)];
}
__kernel void noinline_uniform(__global float *out, int by)
{
    __local float s[256];
    int t = get_local_id(0);
    s[t] = (float)t;
    float v = rotate(s, t, by) ;
    v += rotate(s, t, t);
    out[get_group_id(0) * get_local_size(0) + t] = v;
}
