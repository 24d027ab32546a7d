/*
 * The transpose of an n x n matrix, a block of BY x BX at a time; DOWN goes down the
 * columns of a block, so that what is written is next to each other, else what is read.
 */
#define WORDS(x)    _Pragma(#x)
#define UNROLLED(n) WORDS(GCC unroll n)

static inline void
block(const float *restrict in, float *restrict out, int n, int height, int width)
{
#if DOWN
	for (int x = 0; x < width; x++) {
		UNROLLED(UNROLL)
		for (int y = 0; y < height; y++)
			out[x * n + y] = in[y * n + x];
	}
#else
	for (int y = 0; y < height; y++) {
		UNROLLED(UNROLL)
		for (int x = 0; x < width; x++)
			out[x * n + y] = in[y * n + x];
	}
#endif
}

void
transpose(const float *restrict in, float *restrict out, int n)
{
	for (int y = 0; y < n; y += BY)
		for (int x = 0; x < n; x += BX) {
			const float *from = in + y * n + x;
			float *to = out + x * n + y;

			if (n - y >= BY && n - x >= BX)
				block(from, to, n, BY, BX);
			else
				block(from, to, n, n - y < BY ? n - y : BY,
					n - x < BX ? n - x : BX);
		}
}
