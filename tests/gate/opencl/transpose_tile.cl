// SAFE: tiled transpose, edge guards do not cover the barrier.
__kernel void transpose_tile(__global const float *in, __global float *out, int w, int h)
{
    __local float tile[16][17];
    int x = get_group_id(0) * 16 + get_local_id(0), y = get_group_id(1) * 16 + get_local_id(1);
    if (x < w && y < h) tile[get_local_id(1)][get_local_id(0)] = in[y * w + x];
    barrier(CLK_LOCAL_MEM_FENCE);                // @op
    x = get_group_id(1) * 16 + get_local_id(0);
    y = get_group_id(0) * 16 + get_local_id(1);
    if (x < h && y < w) out[y * h + x] = tile[get_local_id(0)][get_local_id(1)];
}
