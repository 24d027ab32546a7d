/*
 * C = A * B, a few rows of C at a time: each element of A is multiplied with a row of B,
 * and B is read from the cache once for MR rows.  Depth is cut into pieces of KC, so that
 * the rows of B that are in use stay in the cache.
 */
void
sgemm(const float *restrict a, const float *restrict b, float *restrict c, int m, int n,
	int k)
{
	for (int i = 0; i < m * n; i++)
		c[i] = 0;
	for (int from = 0; from < k; from += KC) {
		int to = from + KC < k ? from + KC : k;

		for (int i = 0; i < m; i += MR) {
			int rows = m - i < MR ? m - i : MR;

			for (int d = from; d < to; d++)
				for (int r = 0; r < rows; r++) {
					float left = a[(i + r) * k + d];

					for (int j = 0; j < n; j++)
						c[(i + r) * n + j] += left * b[d * n + j];
				}
		}
	}
}
