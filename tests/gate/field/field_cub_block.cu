// nvcc 13.0 -ptx -arch=sm_90 -std=c++17; comments are left out of the PTX.
#include <cub/cub.cuh>
extern "C" __global__ void blk_reduce(const int *in, int *out, int n)
{
	typedef cub::BlockReduce<int, 128> R;
	__shared__ typename R::TempStorage t;
	int i = blockIdx.x * 128 + threadIdx.x;
	int s = R(t).Sum(i < n ? in[i] : 0);
	if (threadIdx.x == 0) out[blockIdx.x] = s;
}
extern "C" __global__ void blk_scan(const int *in, int *out, int n)
{
	typedef cub::BlockScan<int, 128> S;
	__shared__ typename S::TempStorage t;
	int i = blockIdx.x * 128 + threadIdx.x, v = i < n ? in[i] : 0, r;
	S(t).ExclusiveSum(v, r);
	if (i < n) out[i] = r;
}
extern "C" __global__ void blk_radix(int *d)
{
	typedef cub::BlockRadixSort<int, 128, 4> S;
	__shared__ typename S::TempStorage t;
	int k[4];
	cub::LoadDirectBlocked(threadIdx.x, d + blockIdx.x * 512, k);
	S(t).Sort(k);
	cub::StoreDirectBlocked(threadIdx.x, d + blockIdx.x * 512, k);
}
struct Less { __device__ bool operator()(int a, int b) const { return a < b; } };
extern "C" __global__ void blk_merge(int *d, int n)
{
	typedef cub::BlockMergeSort<int, 128, 4> S;
	__shared__ typename S::TempStorage t;
	int k[4];
	cub::LoadDirectBlocked(threadIdx.x, d + blockIdx.x * 512, k, n, 0x7fffffff);
	S(t).Sort(k, Less(), n, 0x7fffffff);
	cub::StoreDirectBlocked(threadIdx.x, d + blockIdx.x * 512, k, n);
}
extern "C" __global__ void blk_hist(unsigned char *d, unsigned *out)
{
	typedef cub::BlockHistogram<unsigned char, 128, 4, 256> H;
	__shared__ typename H::TempStorage t;
	__shared__ unsigned h[256];
	unsigned char k[4];
	cub::LoadDirectBlocked(threadIdx.x, d + blockIdx.x * 512, k);
	H(t).Histogram(k, h);
	__syncthreads();
	for (int i = threadIdx.x; i < 256; i += 128) atomicAdd(out + i, h[i]);
}
