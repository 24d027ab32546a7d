// Switch on threadIdx modulo an argument.
__kernel void switch_mod(__global float *out, unsigned m)
{
    __local float s[256];
    unsigned t = get_local_id(0);
    float v = (float)t;
    s[t] = v;
    switch (t % m) {
    case 0: v += 1.f; barrier(CLK_LOCAL_MEM_FENCE); v += s[0]; break;   // @op
    case 1: v += 2.f; break;
    case 2: v += 4.f; break;
    case 3: v += 8.f; break;
    default: break;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[t] = v;
}
