//
//
//
__kernel void barrier_in_stride_loop(int n, __global float *d)
{
    __local int hits;
    for (int p = get_local_id(0); p < n; p += 256) {
        if (get_local_id(0) == 0) hits = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (d[p] > 0) atomic_add(&hits, 1);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (hits >= 3) break;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    d[get_local_id(0)] = hits;
}
