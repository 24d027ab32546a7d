/* examples/reduce-stable/reduce_tree.cu in OpenCL C. */
__kernel void
reduce(__global const float *in, __global float *out, int n, __local float *part)
{
	int t = get_local_id(0), size = get_local_size(0);

	for (int tile = get_group_id(0); tile * TILE < n; tile += get_num_groups(0)) {
		float sum = 0.0f;
		for (int i = t; i < TILE; i += size)
			if (tile * TILE + i < n)
				sum += in[tile * TILE + i];
		part[t] = sum;
		barrier(CLK_LOCAL_MEM_FENCE);

		for (int fold = size / 2; fold > 0; fold /= 2) {
			if (t < fold)
				part[t] += part[t + fold];
			barrier(CLK_LOCAL_MEM_FENCE);
		}
		if (t == 0)
			out[tile] = part[0];

		barrier(CLK_LOCAL_MEM_FENCE);	/* the next tile reuses part[] */
	}
}
