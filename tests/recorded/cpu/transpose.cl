/*
 * The transpose of an n x n matrix. A work-group of BX x BY moves a tile of BX columns and
 * BY * ROWS rows, LOCAL by way of local memory, a spare float a row.
 */
#define HEIGHT (BY * ROWS)

__kernel void
transpose(__global const float *in, __global float *out, int n)
{
	int me_x = get_local_id(0), me_y = get_local_id(1);
	int x0 = (int)get_group_id(0) * BX, y0 = (int)get_group_id(1) * HEIGHT;

#if LOCAL
	__local float tile[HEIGHT][BX + 1];
	for (int r = 0; r < ROWS; r++) {
		int x = x0 + me_x, y = y0 + me_y + r * BY;
		if (x < n && y < n)
			tile[me_y + r * BY][me_x] = in[y * n + x];
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int i = me_y * BX + me_x; i < BX * HEIGHT; i += BX * BY) {
		int x = i / HEIGHT, y = i % HEIGHT;
		if (x0 + x < n && y0 + y < n)
			out[(x0 + x) * n + y0 + y] = tile[y][x];
	}
#else
	for (int r = 0; r < ROWS; r++) {
		int x = x0 + me_x, y = y0 + me_y + r * BY;
		if (x < n && y < n)
			out[x * n + y] = in[y * n + x];
	}
#endif
}
