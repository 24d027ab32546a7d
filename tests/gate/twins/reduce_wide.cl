/* examples/reduce-stable/reduce_wide.cu in OpenCL C. */
inline float
warp_sum(float sum)
{
	for (int lane = 16; lane > 0; lane /= 2)
		sum += sub_group_shuffle_down(sum, lane);
	return sum;
}

__kernel void
reduce(__global const float *in, __global float *out, int n, __local float *part)
{
	int t = get_local_id(0), size = get_local_size(0);
	int n_warps = size / 32;
	int first = get_group_id(0) * TILE;
	float sum = 0.0f;

	if (first + TILE <= n) {
		for (int i = t; i < TILE / 4; i += size) {
			float4 v = vload4(i, in + first);
			sum += (v.x + v.y) + (v.z + v.w);
		}
	} else {
		for (int i = t; i < n - first; i += size)
			sum += in[first + i];
	}

	sum = warp_sum(sum);
	if (t % 32 == 0)
		part[t / 32] = sum;
	barrier(CLK_LOCAL_MEM_FENCE);

	if (t < 32) {
		sum = warp_sum(t < n_warps ? part[t] : 0.0f);
		if (t == 0)
			out[get_group_id(0)] = sum;
	}
}
