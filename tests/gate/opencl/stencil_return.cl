// 1-D stencil: threads past the end return before the tile barrier.
#define R 2
__kernel void stencil_return(__global const float *in, __global float *out, int n)
{
    __local float t[256 + 2 * R];
    int i = get_group_id(0) * get_local_size(0) + get_local_id(0);
    if (i >= n) return;
    int l = get_local_id(0) + R;
    t[l] = in[i];
    if (get_local_id(0) < R) {
        t[l - R] = i >= R ? in[i - R] : 0.f;
        t[l + get_local_size(0)] = i + (int)get_local_size(0) < n ? in[i + get_local_size(0)] : 0.f;
    }
    barrier(CLK_LOCAL_MEM_FENCE);                // @op
    float a = 0.f;
    for (int d = -R; d <= R; ++d) a += t[l + d];
    out[i] = a;
}
