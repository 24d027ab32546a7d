// One kernel for each thing that can happen to a candidate; kernels.ptx is this file after
//   nvcc -ptx -arch=compute_75 kernels.cu && sed -i 's/^.version .*/.version 7.5/' kernels.ptx
// (kept, so that the test needs no compiler, and for older drivers too)
// and bench.sh says what is expected of each.
#include <cstdio>

#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)

extern "C" __global__ void
scale(const float *in, float *out, int n)
{
	int i = INDEX;
	if (i < n)
		out[i] = 2 * in[i];
}

extern "C" __global__ void
wrong(const float *in, float *out, int n)
{
	int i = INDEX;
	if (i < n)
		out[i] = i % 1000 == 7 ? 3 : 2 * in[i];
}

// Leaves the last hundred elements as they are.
extern "C" __global__ void
gaps(const float *in, float *out, int n)
{
	int i = INDEX;
	if (i < n - 100)
		out[i] = 2 * in[i];
}

// Uses what was in the output.
extern "C" __global__ void
garbage(const float *in, float *out, int n)
{
	int i = INDEX;
	if (i < n)
		out[i] = 2 * in[i] + (__float_as_uint(out[i]) & 1);
}

__device__ unsigned turn;

// Who comes first differs between runs.
extern "C" __global__ void
race(const float *in, float *out, int n)
{
	int i = INDEX;
	if (i < n)
		out[i] = 2 * in[i] + 1e-6f * (atomicAdd(&turn, 1u) % 64);
}

extern "C" __global__ void
spin(const float *in, float *out, int n)
{
	volatile float *p = out;
	while (p[0] != 12345)
		;
	out[INDEX] = in[0] + n;
}

// Hangs, but only when it has been run often.
extern "C" __global__ void
later(const float *in, float *out, int n)
{
	int i = INDEX;
	if (i == 0 && atomicAdd(&turn, 1u) > 100)
		while (((const volatile float *)in)[0] != 12345)
			;
	if (i < n)
		out[i] = 2 * in[i];
}

extern "C" __global__ void
slow(const float *in, float *out, int n)
{
	int i = INDEX;
	long long start = clock64();
	while (clock64() - start < 600000000)
		;
	if (i < n)
		out[i] = 2 * in[i];
}

#define AT(name, expression)                                                             \
	extern "C" __global__ void name(const float *in, float *out, int n)              \
	{                                                                                \
		long i = INDEX;                                                          \
		if (i < n)                                                               \
			out[i] = 2 * in[i];                                              \
		if (i == 0)                                                              \
			expression;                                                      \
	}
AT(write_after, out[n] = 1)
AT(write_before, out[-1] = 1)
AT(write_far, out[n + (256 << 10)] = 1)
AT(read_after, out[0] += in[n + (256 << 10)])
AT(misaligned, *(double *)((char *)out + 4) = 1)
AT(trap, asm volatile("trap;"))
AT(print, printf("{\"schema\":\"lanewise/bench.v1\"}\n"))

extern "C" __global__ void
twice(float *v, int n)
{
	int i = INDEX;
	if (i < n)
		v[i] *= 2;
}

extern "C" __global__ void
shared(const float *in, float *out, int n)
{
	extern __shared__ float tile[];
	int i = INDEX;
	tile[threadIdx.x] = i < n ? in[i] : 0;
	__syncthreads();
	if (i < n)
		out[i] = 2 * tile[threadIdx.x];
}

extern "C" __global__ void
nothing(float *out)
{
	if (INDEX == 0)
		out[0] = 1;
}
