// Guard on a per-thread global load.
__kernel void global_thread_load(__global const int *data, __global float *out)
{
    __local float s[128];
    unsigned t = get_local_id(0);
    s[t] = (float)t;
    if (data[get_group_id(0) * get_local_size(0) + t] > 3) {
        barrier(CLK_LOCAL_MEM_FENCE);            // @op
        s[t] += 0.5f;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_group_id(0) * get_local_size(0) + t] = s[t];
}
