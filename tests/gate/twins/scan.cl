/* examples/scan/scan.cu in OpenCL C. */
#define WARPS (BLOCK / 32)

#if SHUFFLE
inline uint
warp_scan(uint value, int width)
{
	int lane = get_local_id(0) % 32;

	for (int step = 1; step < width; step *= 2) {
		uint below = sub_group_shuffle_up(value, step);
		if (lane >= step)
			value += below;
	}
	return value;
}
#endif

__kernel void
scan(__global const int *in, __global int *out, __global int *sums, int n)
{
	int t = get_local_id(0);
	int first = (get_group_id(0) * BLOCK + t) * ITEMS;
	uint item[ITEMS];
	uint total = 0;

	for (int i = 0; i < ITEMS; i++) {
		total += first + i < n ? (uint)in[first + i] : 0;
		item[i] = total;
	}

	uint value = total;
#if SHUFFLE
	__local uint warp_sums[32];

	value = warp_scan(value, 32);
	if (t % 32 == 31)
		warp_sums[t / 32] = value;
	barrier(CLK_LOCAL_MEM_FENCE);

	if (t < WARPS)
		warp_sums[t] = warp_scan(warp_sums[t], WARPS);
	barrier(CLK_LOCAL_MEM_FENCE);

	if (t >= 32)
		value += warp_sums[t / 32 - 1];
#else
	__local uint totals[BLOCK];

	totals[t] = value;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int step = 1; step < BLOCK; step *= 2) {
		uint below = t >= step ? totals[t - step] : 0;
		barrier(CLK_LOCAL_MEM_FENCE);
		value += below;
		totals[t] = value;
		barrier(CLK_LOCAL_MEM_FENCE);
	}
#endif
	uint before = value - total;

	for (int i = 0; i < ITEMS; i++)
		if (first + i < n)
			out[first + i] = (int)(before + item[i]);
	if (t == BLOCK - 1)
		sums[get_group_id(0)] = (int)value;
}
