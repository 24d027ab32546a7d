// Barrier two calls deep; guard at the outer call.
__attribute__((noinline)) void leaf(__local float *s, int t) { s[t] *= 2.f; barrier(CLK_LOCAL_MEM_FENCE); }   // @op
__attribute__((noinline)) void middle(__local float *s, int t, int reps) { for (int r = 0; r < reps; ++r) leaf(s, t); }
__kernel void noinline_nested(__global float *out, int warps, int reps)
{
    __local float s[512];
    int t = get_local_id(0);
    s[t] = 1.f;
    if (t / 32 < warps) middle(s, t, reps);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[t] = s[t];
}
