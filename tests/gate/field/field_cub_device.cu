// nvcc 13.0 -ptx -arch=sm_90 -std=c++17; comments are left out of the PTX.
#include <cub/cub.cuh>
struct Pos { __device__ bool operator()(int a) const { return a > 0; } };
void f(void *t, size_t &b, int *in, int *out, int *n, int k)
{
	cub::DeviceReduce::Sum(t, b, in, out, k);
	cub::DeviceScan::ExclusiveSum(t, b, in, out, k);
	cub::DeviceSelect::If(t, b, in, out, n, k, Pos());
}
