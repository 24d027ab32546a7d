/* examples/stencil/stencil.cu in OpenCL C. */
inline float
cell(__global const float *in, int x, int y, int nx, int ny)
{
	return x >= 0 && x < nx && y >= 0 && y < ny ? in[y * nx + x] : 0.0f;
}

__kernel void
stencil(__global const float *in, __global float *out, int nx, int ny, __local float *tile)
{
	int tx = get_local_id(0), ty = get_local_id(1);
	int wx = get_local_size(0), wy = get_local_size(1);
	int width = wx + 2;
	int x = (int)get_group_id(0) * wx + tx;
	int y = (int)get_group_id(1) * wy + ty;

	if (x >= nx || y >= ny)
		return;			/* before the barrier */

	__local float *mine = tile + (ty + 1) * width + tx + 1;

	*mine = in[y * nx + x];
	if (tx == 0)
		mine[-1] = cell(in, x - 1, y, nx, ny);
	if (tx == wx - 1 || x == nx - 1)
		mine[1] = cell(in, x + 1, y, nx, ny);
	if (ty == 0)
		mine[-width] = cell(in, x, y - 1, nx, ny);
	if (ty == wy - 1 || y == ny - 1)
		mine[width] = cell(in, x, y + 1, nx, ny);
	barrier(CLK_LOCAL_MEM_FENCE);

	float around = mine[-1] + mine[1] + mine[-width] + mine[width];

	out[y * nx + x] = 0.5f * *mine + 0.125f * around;
}
