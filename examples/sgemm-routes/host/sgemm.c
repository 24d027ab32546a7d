/*
 * C = A * B in single precision, row-major: A is m by k, B is k by n, C is m by n; m is a
 * multiple of TM, n of 8 * TV.
 *
 * A tile of C, TM rows of TV vectors, stays in registers while BK of the depth are
 * added to it.  The vectors are the compiler's own (gcc and clang).
 */
enum { LANES = 8, TN = TV * LANES };

typedef float vector __attribute__((vector_size(LANES * sizeof(float)), aligned(4)));

static inline void
tile(const float *a, const float *b, float *c, int n, int k, int depth)
{
	vector sum[TM][TV];

#pragma GCC unroll 16
	for (int i = 0; i < TM; i++)
#pragma GCC unroll 16
		for (int j = 0; j < TV; j++)
			sum[i][j] = *(const vector *)(c + i * n + j * LANES);
	for (int d = 0; d < depth; d++)
#pragma GCC unroll 16
		for (int i = 0; i < TM; i++)
#pragma GCC unroll 16
			for (int j = 0; j < TV; j++)
				sum[i][j] += a[i * k + d] *
					     *(const vector *)(b + d * n + j * LANES);
#pragma GCC unroll 16
	for (int i = 0; i < TM; i++)
#pragma GCC unroll 16
		for (int j = 0; j < TV; j++)
			*(vector *)(c + i * n + j * LANES) = sum[i][j];
}

void
sgemm(const float *a, const float *b, float *c, int m, int n, int k)
{
	for (int i = 0; i < m * n; i++)
		c[i] = 0;
	for (int from = 0; from < k; from += BK) {
		int depth = k - from < BK ? k - from : BK;

		for (int j = 0; j < n; j += TN)
			for (int i = 0; i < m; i += TM)
				tile(a + i * k + from, b + from * n + j, c + i * n + j, n,
					k, depth);
	}
}
