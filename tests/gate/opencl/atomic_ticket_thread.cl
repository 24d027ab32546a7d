// Guard on a per-thread atomic ticket.
__kernel void atomic_ticket_thread(__global int *ctr, __global float *out, int kk)
{
    __local float s[128];
    unsigned t = get_local_id(0);
    s[t] = 1.f;
    int ticket = atomic_add(ctr, 1);
    if (ticket < kk) {
        barrier(CLK_LOCAL_MEM_FENCE);            // @op
        s[t] += 1.f;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_group_id(0) * get_local_size(0) + t] = s[t];
}
