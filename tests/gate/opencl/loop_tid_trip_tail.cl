// As loop_tid_trip, but threads that finish early leave the kernel.
__kernel void loop_tid_trip_tail(__global float *out, int tile)
{
    __local float s[1024];
    for (int i = get_local_id(0); i < tile; i += get_local_size(0)) {
        s[get_local_id(0)] = (float)i * 0.25f;
        barrier(CLK_LOCAL_MEM_FENCE);            // @op
        out[i] = s[(get_local_id(0) + 1) % get_local_size(0)];
    }
}
