/*
 * C = A * B in double precision. The one oracle here that has to be quick: it takes
 * ROWS rows of C and COLUMNS columns at a time, so that a piece of B stays in the
 * cache and each of its elements is used ROWS times.
 */
#include <stdlib.h>

#include "lanewise_oracle.h"

enum { ROWS = 4, COLUMNS = 8 };

/* rows <= ROWS rows of C from `row` on, COLUMNS columns from `column` on. */
static void
block_multiply(const float *a, const double *panel, double *c, int64_t row, int64_t rows,
	int64_t column, int64_t columns, int64_t n, int64_t k)
{
	double sum[ROWS][COLUMNS] = {{0}};

	for (int64_t d = 0; d < k; d++)
		for (int64_t i = 0; i < ROWS; i++) {
			double left = i < rows ? a[(row + i) * k + d] : 0;
			for (int64_t j = 0; j < COLUMNS; j++)
				sum[i][j] += left * panel[d * COLUMNS + j];
		}
	for (int64_t i = 0; i < rows; i++)
		for (int64_t j = 0; j < columns; j++)
			c[(row + i) * n + column + j] = sum[i][j];
}

int
lanewise_oracle(const struct lanewise_arg *args, int n_args)
{
	int64_t m = lanewise_size(args, n_args, "m");
	int64_t n = lanewise_size(args, n_args, "n");
	int64_t k = lanewise_size(args, n_args, "k");

	if (m <= 0 || n <= 0 || k <= 0)
		return 1;

	const float *a = lanewise_f32(args, n_args, "a", m * k);
	const float *b = lanewise_f32(args, n_args, "b", k * n);
	size_t n_out;
	double *c = lanewise_out_f32(args, n_args, "c", &n_out);
	double *panel = malloc(k * COLUMNS * sizeof(*panel));

	if (!a || !b || !c || n_out != (size_t)(m * n) || !panel) {
		free(panel);
		return 1;
	}
	for (int64_t column = 0; column < n; column += COLUMNS) {
		int64_t columns = n - column < COLUMNS ? n - column : COLUMNS;

		for (int64_t d = 0; d < k; d++)
			for (int64_t j = 0; j < COLUMNS; j++)
				panel[d * COLUMNS + j] =
					j < columns ? b[d * n + column + j] : 0;
		for (int64_t row = 0; row < m; row += ROWS)
			block_multiply(a, panel, c, row, m - row < ROWS ? m - row : ROWS,
				column, columns, n, k);
	}
	free(panel);
	return 0;
}
