/*
 * C = A * B, a tile of C in registers at a time, with A and B where they lie.  Depth is
 * cut into pieces of KC, so that the columns of B that are in use stay in the cache.
 */
#include "tile.h"

void
sgemm(const float *restrict a, const float *restrict b, float *restrict c, int m, int n,
	int k)
{
	for (int i = 0; i < m * n; i++)
		c[i] = 0;
	for (int from = 0; from < k; from += KC) {
		int depth = k - from < KC ? k - from : KC;

		for (int j = 0; j < n; j += NR)
			for (int i = 0; i < m; i += MR) {
				const float *pa = a + i * k + from, *pb = b + from * n + j;
				float *pc = c + i * n + j;

				if (m - i >= MR && n - j >= NR)
					tile_multiply(pa, k, pb, n, pc, n, depth);
				else
					edge_multiply(pa, k, pb, n, pc, n,
						m - i < MR ? m - i : MR,
						n - j < NR ? n - j : NR, depth);
			}
	}
}
