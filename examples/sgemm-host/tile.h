/*
 * A tile of C in registers: MR rows of NV vectors.  The vectors are the compiler's own
 * (gcc and clang), of 8 floats: one register with AVX, two without.
 */
#ifndef TILE_H
#define TILE_H

enum { LANES = 8, NR = NV * LANES };

typedef float vector __attribute__((vector_size(LANES * sizeof(float)), aligned(4)));

/* c[MR][NR] += a[MR][depth] * b[depth][NR]; strides in floats. */
static inline void
tile_multiply(const float *a, int stride_a, const float *b, int stride_b, float *c,
	int stride_c, int depth)
{
	vector sum[MR][NV];

#pragma GCC unroll 16
	for (int i = 0; i < MR; i++)
#pragma GCC unroll 16
		for (int j = 0; j < NV; j++)
			sum[i][j] = *(const vector *)(c + i * stride_c + j * LANES);
	for (int d = 0; d < depth; d++) {
		vector right[NV];

#pragma GCC unroll 16
		for (int j = 0; j < NV; j++)
			right[j] = *(const vector *)(b + d * stride_b + j * LANES);
#pragma GCC unroll 16
		for (int i = 0; i < MR; i++) {
			float left = a[i * stride_a + d];

#pragma GCC unroll 16
			for (int j = 0; j < NV; j++)
				sum[i][j] += left * right[j];
		}
	}
#pragma GCC unroll 16
	for (int i = 0; i < MR; i++)
#pragma GCC unroll 16
		for (int j = 0; j < NV; j++)
			*(vector *)(c + i * stride_c + j * LANES) = sum[i][j];
}

/* What is left at the edges, of any size. */
static inline void
edge_multiply(const float *a, int stride_a, const float *b, int stride_b, float *c,
	int stride_c, int rows, int columns, int depth)
{
	for (int i = 0; i < rows; i++)
		for (int d = 0; d < depth; d++)
			for (int j = 0; j < columns; j++)
				c[i * stride_c + j] +=
					a[i * stride_a + d] * b[d * stride_b + j];
}

#endif
