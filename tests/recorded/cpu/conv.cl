/* ../conv/conv.cu in OpenCL C. */
#define SIDE 7
#define IN_X (BX * TX + SIDE - 1)
#define IN_Y (BY * TY + SIDE - 1)

__kernel void
conv(__global const float *in, __global const float *taps, __global float *out, int n)
{
	int width = n + SIDE - 1, me_x = get_local_id(0), me_y = get_local_id(1);
	int x0 = (int)get_group_id(0) * (BX * TX), y0 = (int)get_group_id(1) * (BY * TY);
	float sum[TY][TX];

	for (int ty = 0; ty < TY; ty++)
		for (int tx = 0; tx < TX; tx++)
			sum[ty][tx] = 0.0f;

#if LOCAL
	__local float tile[IN_Y][IN_X];
	for (int y = me_y; y < IN_Y; y += BY)
		for (int x = me_x; x < IN_X; x += BX)
			tile[y][x] = x0 + x < width && y0 + y < width ? in[(y0 + y) * width + x0 + x] : 0.0f;
	barrier(CLK_LOCAL_MEM_FENCE);
#define AT(y, x) tile[y][x]
#else
#define AT(y, x) (x0 + (x) < width && y0 + (y) < width ? in[(y0 + (y)) * width + x0 + (x)] : 0.0f)
#endif

	for (int i = 0; i < SIDE; i++)
		for (int j = 0; j < SIDE; j++) {
			float tap = taps[i * SIDE + j];
			for (int ty = 0; ty < TY; ty++)
				for (int tx = 0; tx < TX; tx++)
					sum[ty][tx] += tap * AT(me_y + ty * BY + i, me_x + tx * BX + j);
		}
	for (int ty = 0; ty < TY; ty++)
		for (int tx = 0; tx < TX; tx++) {
			int x = x0 + me_x + tx * BX, y = y0 + me_y + ty * BY;
			if (x < n && y < n)
				out[y * n + x] = sum[ty][tx];
		}
}
