// Grid-stride loop with a barrier inside.
__kernel void gridstride_barrier(__global const float *in, __global float *out, int n)
{
    __local float s[1024];
    int stride = get_num_groups(0) * get_local_size(0);
    for (int i = get_group_id(0) * get_local_size(0) + get_local_id(0); i < n; i += stride) {
        s[get_local_id(0)] = in[i];
        barrier(CLK_LOCAL_MEM_FENCE);            // @op
        out[i] = s[get_local_size(0) - 1 - get_local_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}
