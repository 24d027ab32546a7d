/*
 * C = A * B in single precision, row-major: A is m by k, B is k by n, C is m by n; m is a
 * multiple of BM, n of BN, k of BK.
 *
 * A block computes a BM by BN tile of C, a thread TM by TN elements of it: one row in
 * BM / TM, one column in BN / TN.  Slices of A and B go through shared memory.  There is
 * nothing in it that needs a header of CUDA, so that any compiler of the language may
 * make PTX of it.
 */
#define THREADS_N (BN / TN)
#define THREADS_M (BM / TM)
#define THREADS (THREADS_M * THREADS_N)

extern "C" __global__ void
sgemm(const float *a, const float *b, float *c, int m, int n, int k)
{
	__shared__ float slice_a[BK * BM], slice_b[BK * BN];
	int t = threadIdx.x;
	int my_m = t / THREADS_N, my_n = t % THREADS_N;
	int row = blockIdx.y * BM, column = blockIdx.x * BN;
	float sum[TM][TN];

	for (int i = 0; i < TM; i++)
		for (int j = 0; j < TN; j++)
			sum[i][j] = 0;
	for (int depth = 0; depth < k; depth += BK) {
		for (int i = t; i < BM * BK; i += THREADS)
			slice_a[i % BK * BM + i / BK] =
				a[(row + i / BK) * k + depth + i % BK];
		for (int i = t; i < BK * BN; i += THREADS)
			slice_b[i] = b[(depth + i / BN) * n + column + i % BN];
		__syncthreads();
		for (int d = 0; d < BK; d++)
			for (int i = 0; i < TM; i++)
				for (int j = 0; j < TN; j++)
					sum[i][j] += slice_a[d * BM + i * THREADS_M + my_m] *
						     slice_b[d * BN + j * THREADS_N + my_n];
		__syncthreads();
	}
	for (int i = 0; i < TM; i++)
		for (int j = 0; j < TN; j++)
			c[(row + i * THREADS_M + my_m) * n + column + j * THREADS_N + my_n] =
				sum[i][j];
}
