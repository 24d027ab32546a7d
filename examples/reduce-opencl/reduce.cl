/*
 * out[k] = the sum of in[k * TILE .. k * TILE + TILE - 1].
 *
 * A work-group takes one tile after another. Each work-item sums a strided share of the
 * tile, the work-group folds those partial sums down to 32, and the first 32 work-items
 * finish.
 *
 * There is a bug in it, and it depends on the work-group size: see README.md.
 * TILE comes from the compiler's command line, the work-group size from the launch.
 */
__kernel void
reduce(__global const float *in, __global float *out, int n,
	__local float *part)		/* one partial sum a work-item */
{
	int t = get_local_id(0), size = get_local_size(0);

	for (int tile = get_group_id(0); tile * TILE < n; tile += get_num_groups(0)) {
		float sum = 0.0f;
		for (int i = t; i < TILE; i += size)
			if (tile * TILE + i < n)
				sum += in[tile * TILE + i];
		part[t] = sum;
		barrier(CLK_LOCAL_MEM_FENCE);

		for (int fold = size / 2; fold >= 32; fold /= 2) {
			if (t < fold)
				part[t] += part[t + fold];
			barrier(CLK_LOCAL_MEM_FENCE);
		}

		/* 32 partial sums are left, and they belong to the first work-items. */
		if (t / 32 == 0) {
			for (int fold = 16; fold > 0; fold /= 2) {
				if (t < fold)
					part[t] += part[t + fold];
				barrier(CLK_LOCAL_MEM_FENCE);	/* not all come here */
			}
			if (t == 0)
				out[tile] = part[0];
		}

		barrier(CLK_LOCAL_MEM_FENCE);	/* the next tile reuses part[] */
	}
}
