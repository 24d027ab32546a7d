// nvcc 13.0 -ptx -arch=sm_90 -std=c++17; comments are left out of the PTX.
#include <cub/cub.cuh>
void f(void *t, size_t &b, int *in, int *out, int *n, int *len, int k, int *off)
{
	cub::DeviceSegmentedReduce::Sum(t, b, in, out, k, off, off + 1);
	cub::DeviceRunLengthEncode::Encode(t, b, in, out, len, n, k);
}
void h(void *t, size_t &b, const unsigned char *in, int *hist, int k)
{
	cub::DeviceHistogram::HistogramEven(t, b, in, hist, 257, 0, 256, k);
}
