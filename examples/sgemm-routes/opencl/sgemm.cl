/*
 * C = A * B in single precision, row-major: A is m by k, B is k by n, C is m by n; m is a
 * multiple of BM, n of BN, k of BK.
 *
 * The tiles of ../sgemm.cu, but that a work-item has TM rows of one vector of C, eight
 * columns that lie together: on a processor that is what its registers are like.
 */
#define THREADS_N (BN / 8)
#define THREADS_M (BM / TM)
#define THREADS (THREADS_M * THREADS_N)

__kernel void
sgemm(__global const float *a, __global const float *b, __global float *c, int m, int n, int k)
{
	__local float slice_a[BK * BM], slice_b[BK * BN];
	int t = get_local_id(0);
	int my_m = t / THREADS_N, my_n = t % THREADS_N;
	int row = get_group_id(1) * BM, column = get_group_id(0) * BN;
	float8 sum[TM];

	for (int i = 0; i < TM; i++)
		sum[i] = 0;
	for (int depth = 0; depth < k; depth += BK) {
		for (int i = t; i < BM * BK; i += THREADS)
			slice_a[i % BK * BM + i / BK] =
				a[(row + i / BK) * k + depth + i % BK];
		for (int i = t; i < BK * BN / 8; i += THREADS)
			vstore8(vload8(0, b + (depth + i / THREADS_N) * n + column +
						  i % THREADS_N * 8),
				i, slice_b);
		barrier(CLK_LOCAL_MEM_FENCE);
		for (int d = 0; d < BK; d++) {
			float8 right = vload8(my_n, slice_b + d * BN);
			for (int i = 0; i < TM; i++)
				sum[i] += slice_a[d * BM + i * THREADS_M + my_m] * right;
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	for (int i = 0; i < TM; i++)
		vstore8(sum[i], my_n, c + (row + i * THREADS_M + my_m) * n + column);
}
