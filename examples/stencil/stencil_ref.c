/* The 5-point stencil of stencil.cu; cells outside the grid count as 0. */
#include "lanewise_oracle.h"

static double
cell(const float *in, int64_t x, int64_t y, int64_t nx, int64_t ny)
{
	return x >= 0 && x < nx && y >= 0 && y < ny ? in[y * nx + x] : 0;
}

int
lanewise_oracle(const struct lanewise_arg *args, int n_args)
{
	int64_t nx = lanewise_size(args, n_args, "nx");
	int64_t ny = lanewise_size(args, n_args, "ny");
	const float *in =
		nx > 0 && ny > 0 ? lanewise_f32(args, n_args, "in", nx * ny) : NULL;
	size_t n_out;
	double *out = lanewise_out_f32(args, n_args, "out", &n_out);

	if (!in || !out || n_out != (size_t)(nx * ny))
		return 1;

	for (int64_t y = 0; y < ny; y++)
		for (int64_t x = 0; x < nx; x++) {
			double row =
				cell(in, x - 1, y, nx, ny) + cell(in, x + 1, y, nx, ny);
			double column =
				cell(in, x, y - 1, nx, ny) + cell(in, x, y + 1, nx, ny);
			out[y * nx + x] = in[y * nx + x] / 2.0 + (row + column) / 8;
		}
	return 0;
}
