// Strided loop whose trip count depends on threadIdx, barrier inside.
__kernel void loop_tid_trip(__global float *out, int tile)
{
    __local float s[2048];
    float acc = 0.f;
    for (int i = get_local_id(0); i < tile; i += get_local_size(0)) {
        s[i] = (float)i;
        barrier(CLK_LOCAL_MEM_FENCE);            // @op
        acc += s[tile - 1 - i];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_group_id(0) * get_local_size(0) + get_local_id(0)] = acc;
}
