// Hillis-Steele scan that drops finished threads out of the loop.
__kernel void scan_break(__global float *data, int steps)
{
    __local float s[512];
    int t = get_local_id(0);
    s[t] = data[t];
    barrier(CLK_LOCAL_MEM_FENCE);
    int d = 1;
    for (int r = 0; r < steps; ++r, d <<= 1) {
        if (t < d) break;
        float v = s[t - d];
        barrier(CLK_LOCAL_MEM_FENCE);            // @op
        s[t] += v;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    data[t] = s[t];
}
