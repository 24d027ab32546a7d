// SAFE lookalike: thread 0 decides, all threads read the decision after a barrier.
__kernel void coop_early_exit_shared(__global const int *work, __global float *out)
{
    __local int quit;
    __local float s[256];
    if (get_local_id(0) == 0) quit = (work[get_group_id(0)] < 2);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (quit) return;
    s[get_local_id(0)] = (float)work[get_group_id(0)] + get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);                // @op
    out[get_group_id(0) * get_local_size(0) + get_local_id(0)] = s[get_local_size(0) - 1 - get_local_id(0)];
}
