// 'continue' jumps over the barrier for some threads.
__kernel void continue_skips(__global float *out, int step)
{
    __local float s[256];
    float acc = 0.f;
    for (int r = 0; r < 4; ++r) {
        s[get_local_id(0)] = acc + r;
        if ((int)get_local_id(0) < r * step) continue;
        barrier(CLK_LOCAL_MEM_FENCE);            // @op
        acc += s[get_local_size(0) - 1];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_local_id(0)] = acc;
}
