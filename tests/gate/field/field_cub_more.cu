// nvcc 13.0 -ptx -arch=sm_90 -std=c++17; comments are left out of the PTX.
#include <cub/cub.cuh>
#include <cuda/std/functional>
extern "C" __global__ void blk_reduce_warps(const float *in, float *out, int n)
{
	typedef cub::BlockReduce<float, 128, cub::BLOCK_REDUCE_RAKING> R;
	__shared__ typename R::TempStorage t;
	float s = R(t).Sum(in[blockIdx.x * 128 + threadIdx.x], n);
	if (threadIdx.x == 0) out[blockIdx.x] = s;
}
extern "C" __global__ void blk_scan_raking(int *d)
{
	typedef cub::BlockScan<int, 128, cub::BLOCK_SCAN_RAKING> S;
	__shared__ typename S::TempStorage t;
	int v = d[threadIdx.x], sum;
	S(t).InclusiveSum(v, v, sum);
	d[threadIdx.x] = v + sum;
}
extern "C" __global__ void blk_hist_atomic(unsigned char *d, unsigned *out)
{
	typedef cub::BlockHistogram<unsigned char, 128, 4, 256, cub::BLOCK_HISTO_ATOMIC> H;
	__shared__ typename H::TempStorage t;
	__shared__ unsigned h[256];
	unsigned char k[4];
	cub::LoadDirectBlocked(threadIdx.x, d + blockIdx.x * 512, k);
	H(t).Histogram(k, h);
	__syncthreads();
	for (int i = threadIdx.x; i < 256; i += 128) atomicAdd(out + i, h[i]);
}
extern "C" __global__ void blk_exchange(int *d)
{
	typedef cub::BlockExchange<int, 128, 4> X;
	__shared__ typename X::TempStorage t;
	int k[4];
	cub::LoadDirectStriped<128>(threadIdx.x, d, k);
	X(t).StripedToBlocked(k, k);
	cub::StoreDirectBlocked(threadIdx.x, d, k);
}
extern "C" __global__ void blk_discontinuity(int *d, int *f)
{
	typedef cub::BlockDiscontinuity<int, 128> D;
	__shared__ typename D::TempStorage t;
	int k[2], h[2];
	cub::LoadDirectBlocked(threadIdx.x, d, k);
	D(t).FlagHeads(h, k, cuda::std::not_equal_to<>());
	cub::StoreDirectBlocked(threadIdx.x, f, h);
}
extern "C" __global__ void wrp_reduce(const int *in, int *out, int n)
{
	typedef cub::WarpReduce<int> R;
	__shared__ typename R::TempStorage t[4];
	int w = threadIdx.x / 32, s = R(t[w]).Sum(in[threadIdx.x], n);
	if (threadIdx.x % 32 == 0) out[w] = s;
}
extern "C" __global__ void wrp_scan16(int *d)
{
	typedef cub::WarpScan<int, 16> S;
	__shared__ typename S::TempStorage t[8];
	int v;
	S(t[threadIdx.x / 16]).InclusiveSum(d[threadIdx.x], v);
	d[threadIdx.x] = v;
}
extern "C" __global__ void wrp_segmented(const int *in, const int *head, int *out)
{
	typedef cub::WarpReduce<int> R;
	__shared__ typename R::TempStorage t[4];
	out[threadIdx.x] = R(t[threadIdx.x / 32]).HeadSegmentedSum(in[threadIdx.x], head[threadIdx.x]);
}
extern "C" __global__ void wrp_merge_sort(int *d)
{
	typedef cub::WarpMergeSort<int, 2, 32> S;
	__shared__ typename S::TempStorage t[4];
	int k[2];
	cub::LoadDirectBlocked(threadIdx.x, d, k);
	S(t[threadIdx.x / 32]).Sort(k, [] __device__(int a, int b) { return a < b; });
	cub::StoreDirectBlocked(threadIdx.x, d, k);
}
