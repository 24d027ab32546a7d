/*
 * One step of the two-dimensional heat equation, a 5-point stencil on nx by ny cells:
 *
 *   out[y][x] = in[y][x] / 2
 *             + (in[y][x-1] + in[y][x+1] + in[y-1][x] + in[y+1][x]) / 8
 *
 * Cells outside the grid count as 0. Each block keeps its cells and a border of one
 * cell in shared memory. The block's shape comes from the launch alone, so there is
 * one specialization for all candidates.
 *
 * There is a bug in it that depends on block and size together: see README.md.
 */
static __device__ inline float
cell(const float *__restrict__ in, int x, int y, int nx, int ny)
{
	return x >= 0 && x < nx && y >= 0 && y < ny ? in[y * nx + x] : 0.0f;
}

extern "C" __global__ void
stencil(const float *__restrict__ in, float *__restrict__ out, int nx, int ny)
{
	extern __shared__ float tile[];	/* (blockDim.y + 2) rows of `width` */
	int width = blockDim.x + 2;
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;

	if (x >= nx || y >= ny)
		return;			/* before the barrier */

	float *mine = tile + (threadIdx.y + 1) * width + threadIdx.x + 1;

	*mine = in[y * nx + x];
	if (threadIdx.x == 0)
		mine[-1] = cell(in, x - 1, y, nx, ny);
	if (threadIdx.x == blockDim.x - 1 || x == nx - 1)
		mine[1] = cell(in, x + 1, y, nx, ny);
	if (threadIdx.y == 0)
		mine[-width] = cell(in, x, y - 1, nx, ny);
	if (threadIdx.y == blockDim.y - 1 || y == ny - 1)
		mine[width] = cell(in, x, y + 1, nx, ny);
	__syncthreads();

	float around = mine[-1] + mine[1] + mine[-width] + mine[width];

	out[y * nx + x] = 0.5f * *mine + 0.125f * around;
}
