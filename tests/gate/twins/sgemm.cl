/* examples/sgemm/sgemm.cu in OpenCL C. */
#define THREADS_N (BN / TN)
#define THREADS ((BM / TM) * THREADS_N)
#define STRIDE_A (BM + PAD)
#define LOADS_A (BM * BK / 4 / THREADS)
#define LOADS_B (BK * BN / 4 / THREADS)
#define WARP_M (32 / WARP_N)
#define WARPS_N (THREADS_N / WARP_N)

inline float4
row_read(__global const float *row, int column, int width, int row_exists)
{
	float4 four = 0.0f;

	if (row_exists && width % 4 == 0) {
		if (column < width)
			four = vload4(0, row + column);
	} else if (row_exists) {
		for (int i = 0; i < 4; i++)
			if (column + i < width)
				((float *)&four)[i] = row[column + i];
	}
	return four;
}

inline void
row_write(__global float *row, int column, int width, float4 four)
{
	if (width % 4 == 0) {
		if (column < width)
			vstore4(four, 0, row + column);
	} else {
		for (int i = 0; i < 4; i++)
			if (column + i < width)
				row[column + i] = ((float *)&four)[i];
	}
}

__kernel void
sgemm(__global const float *a, __global const float *b, __global float *c, int m, int n, int k)
{
	__local float slice_a[BUFFERS * BK * STRIDE_A];
	__local float slice_b[BUFFERS * BK * BN];
	int t = get_local_id(0);
	int warp = t / 32, lane = t % 32;
	int first_row = get_group_id(1) * BM;
	int first_column = get_group_id(0) * BN;
	int my_row = (warp / WARPS_N * WARP_M + lane / WARP_N) * 4;
	int my_column = (warp % WARPS_N * WARP_N + lane % WARP_N) * 4;
	int now = 0;
	float4 next_a[LOADS_A], next_b[LOADS_B];
	float sum[TM][TN];

	for (int i = 0; i < TM; i++)
		for (int j = 0; j < TN; j++)
			sum[i][j] = 0.0f;
	for (int depth = -BK; depth < k; depth += BK) {
		int ahead = depth + BK;

		if (ahead < k) {
			for (int i = 0; i < LOADS_A; i++) {
				int at = i * THREADS + t;
				int row = first_row + at / (BK / 4);
				int column = ahead + at % (BK / 4) * 4;
				next_a[i] = row_read(a + (long)row * k, column, k, row < m);
			}
			for (int i = 0; i < LOADS_B; i++) {
				int at = i * THREADS + t;
				int row = ahead + at / (BN / 4);
				int column = first_column + at % (BN / 4) * 4;
				next_b[i] = row_read(b + (long)row * n, column, n, row < k);
			}
		}

		if (depth >= 0) {
			__local const float *my_a = slice_a + now * BK * STRIDE_A + my_row;
			__local const float *my_b = slice_b + now * BK * BN + my_column;
			for (int d = 0; d < BK; d++)
				for (int i = 0; i < TM; i++)
					for (int j = 0; j < TN; j++)
						sum[i][j] += my_a[d * STRIDE_A + i / 4 * (BM / TM) * 4 + i % 4] *
							     my_b[d * BN + j / 4 * THREADS_N * 4 + j % 4];
			if (BUFFERS == 1)
				barrier(CLK_LOCAL_MEM_FENCE);	/* it may be overwritten */
		}

		if (ahead < k) {
			now = BUFFERS - 1 - now;
			for (int i = 0; i < LOADS_A; i++) {
				int at = i * THREADS + t;
				int row = at / (BK / 4);
				int column = at % (BK / 4) * 4;
				__local float *to = slice_a + now * BK * STRIDE_A + column * STRIDE_A + row;
				for (int e = 0; e < 4; e++)
					to[e * STRIDE_A] = ((float *)&next_a[i])[e];
			}
			for (int i = 0; i < LOADS_B; i++)
				vstore4(next_b[i], i * THREADS + t, slice_b + now * BK * BN);
			barrier(CLK_LOCAL_MEM_FENCE);	/* the slices are complete */
		}
	}

	for (int i = 0; i < TM; i++) {
		int row = first_row + my_row + i / 4 * (BM / TM) * 4 + i % 4;
		for (int j = 0; j < TN / 4; j++) {
			int column = first_column + my_column + j * THREADS_N * 4;
			float4 four = (float4)(sum[i][j * 4], sum[i][j * 4 + 1],
					       sum[i][j * 4 + 2], sum[i][j * 4 + 3]);
			if (row < m)
				row_write(c + (long)row * n, column, n, four);
		}
	}
}
