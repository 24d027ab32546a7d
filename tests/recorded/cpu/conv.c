/*
 * A 7 x 7 convolution of an n x n image, whose input has a margin of 3 on each side:
 * ROWS x VECTORS vectors of LANES outputs at a time, in registers.
 */
enum { SIDE = 7, COLUMNS = VECTORS * LANES };

typedef float vector __attribute__((vector_size(LANES * sizeof(float)), aligned(4)));

/* Preprocessor tokens in a pragma are only expanded by _Pragma. */
#define WORDS(x)    _Pragma(#x)
#define UNROLLED(n) WORDS(GCC unroll n)

static inline void
tile(const float *in, int width, const float *taps, float *out, int n)
{
	vector sum[ROWS][VECTORS] = {0};

	UNROLLED(UNROLL_I)
	for (int i = 0; i < SIDE; i++) {
		UNROLLED(UNROLL_J)
		for (int j = 0; j < SIDE; j++) {
			float tap = taps[i * SIDE + j];

			UNROLLED(16)
			for (int y = 0; y < ROWS; y++) {
				UNROLLED(16)
				for (int v = 0; v < VECTORS; v++) {
					int at = (y + i) * width + v * LANES + j;

					sum[y][v] += tap * *(const vector *)(in + at);
				}
			}
		}
	}
	UNROLLED(16)
	for (int y = 0; y < ROWS; y++) {
		UNROLLED(16)
		for (int v = 0; v < VECTORS; v++)
			*(vector *)(out + y * n + v * LANES) = sum[y][v];
	}
}

/* What is left at the edges. */
static float
single(const float *in, int width, const float *taps)
{
	float sum = 0;

	for (int i = 0; i < SIDE; i++)
		for (int j = 0; j < SIDE; j++)
			sum += taps[i * SIDE + j] * in[i * width + j];
	return sum;
}

void
conv(const float *restrict in, const float *restrict taps, float *restrict out, int n)
{
	int width = n + SIDE - 1;

	for (int y = 0; y < n; y += ROWS)
		for (int x = 0; x < n; x += COLUMNS) {
			if (n - y >= ROWS && n - x >= COLUMNS) {
				tile(in + y * width + x, width, taps, out + y * n + x, n);
				continue;
			}
			for (int r = y; r < n && r < y + ROWS; r++)
				for (int c = x; c < n && c < x + COLUMNS; c++)
					out[r * n + c] =
						single(in + r * width + c, width, taps);
		}
}
