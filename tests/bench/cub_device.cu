// Radix sort, scan, select and reduce of CUB in one file: what tests/bench/cub.sh reads.
#include <cub/cub.cuh>

struct Positive {
	__device__ bool operator()(int a) const { return a > 0; }
};

void f(void *t, size_t &b, int *in, int *out, float *keys, float *sorted, int *n, int k)
{
	cub::DeviceRadixSort::SortPairs(t, b, keys, sorted, in, out, k);
	cub::DeviceScan::ExclusiveSum(t, b, in, out, k);
	cub::DeviceSelect::If(t, b, in, out, n, k, Positive());
	cub::DeviceReduce::Sum(t, b, in, out, k);
}
