// Loop until a per-thread convergence test on loaded data.
__kernel void while_done_private(__global const float *x, __global float *y, int maxit)
{
    __local float s[128];
    unsigned t = get_local_id(0);
    float v = x[t];
    bool done = v < 1.f;
    int it = 0;
    while (!done) {
        s[t] = v;
        barrier(CLK_LOCAL_MEM_FENCE);            // @op
        v = 0.5f * s[t];
        done = v < 1.f || ++it >= maxit;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    y[t] = v;
}
