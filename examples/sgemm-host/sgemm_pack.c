/*
 * C = A * B, a tile of C in registers at a time, with the columns of B that are in use
 * copied one after the other first: reading them then touches few pages, and no two
 * lines that fall on the same place of the cache.
 */
#include "tile.h"

void
sgemm(const float *restrict a, const float *restrict b, float *restrict c, int m, int n,
	int k)
{
	static float panel[KC * NR] __attribute__((aligned(64)));

	for (int i = 0; i < m * n; i++)
		c[i] = 0;
	for (int from = 0; from < k; from += KC) {
		int depth = k - from < KC ? k - from : KC;

		for (int j = 0; j < n; j += NR) {
			int columns = n - j < NR ? n - j : NR;

			for (int d = 0; d < depth; d++)
				for (int x = 0; x < columns; x++)
					panel[d * NR + x] = b[(from + d) * n + j + x];
			for (int i = 0; i < m; i += MR) {
				const float *pa = a + i * k + from;
				float *pc = c + i * n + j;

				if (m - i >= MR && columns == NR)
					tile_multiply(pa, k, panel, NR, pc, n, depth);
				else
					edge_multiply(pa, k, panel, NR, pc, n,
						m - i < MR ? m - i : MR, columns, depth);
			}
		}
	}
}
