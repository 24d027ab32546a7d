/*
 * A 7 x 7 convolution of an n x n image, whose input has a margin of 3 on each side.
 * BX x BY threads compute TX x TY outputs each, a block apart; SHARED stages the input in
 * shared memory, PAD spare floats a row.
 */
#define SIDE 7
#define IN_X (BX * TX + SIDE - 1)
#define IN_Y (BY * TY + SIDE - 1)

extern "C" __global__ void __launch_bounds__(BX *BY)
	conv(const float *in, const float *taps, float *out, int n)
{
	int width = n + SIDE - 1;
	int x0 = blockIdx.x * (BX * TX), y0 = blockIdx.y * (BY * TY);
	float sum[TY][TX] = {};

#if SHARED
	__shared__ float tile[IN_Y][IN_X + PAD];
	for (int y = threadIdx.y; y < IN_Y; y += BY)
		for (int x = threadIdx.x; x < IN_X; x += BX)
			tile[y][x] = x0 + x < width && y0 + y < width
					     ? in[(y0 + y) * width + x0 + x]
					     : 0.0f;
	__syncthreads();
#define AT(y, x) tile[y][x]
#else
#define AT(y, x)                                                                         \
	(x0 + (x) < width && y0 + (y) < width ? __ldg(in + (y0 + (y)) * width + x0 + (x)) : 0.0f)
#endif

#if UNROLL
#pragma unroll
#else
#pragma unroll 1
#endif
	for (int i = 0; i < SIDE; i++)
#pragma unroll
		for (int j = 0; j < SIDE; j++) {
			float tap = __ldg(taps + i * SIDE + j);
#pragma unroll
			for (int ty = 0; ty < TY; ty++)
#pragma unroll
				for (int tx = 0; tx < TX; tx++)
					sum[ty][tx] += tap * AT(threadIdx.y + ty * BY + i,
								     threadIdx.x + tx * BX + j);
		}
#pragma unroll
	for (int ty = 0; ty < TY; ty++)
#pragma unroll
		for (int tx = 0; tx < TX; tx++) {
			int x = x0 + threadIdx.x + tx * BX, y = y0 + threadIdx.y + ty * BY;
			if (x < n && y < n)
				out[y * n + x] = sum[ty][tx];
		}
}
