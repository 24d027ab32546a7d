/*
 * Calls every function of templates/cuda_shim.h once, so that a version of clang that lacks
 * a built-in function fails here and not in a user's kernel.
 */
#include <assert.h>
#include <stdint.h>

struct all {
	int *i;
	unsigned *u;
	long long *ll;
	unsigned long long *ull;
	float *f;
	double *d;
	float4 *f4;
};

__constant__ float table[4];

template <typename T> __device__ T
shuffles(T v)
{
	v = __shfl_sync(0xffffffff, v, 3);
	v = __shfl_up_sync(0xffffffff, v, 1, 16);
	v = __shfl_down_sync(0xffffffff, v, 2, 8);
	return __shfl_xor_sync(0xffffffff, v, 4, 32);
}

__device__ __noinline__ float
approximations(float x)
{
	x += exp2f(x) + log2f(x) + expf(x) + exp10f(x) + logf(x) + log10f(x) + sinf(x) + cosf(x);
	x += tanf(x) + tanhf(x) + powf(x, 1.5f) + rsqrtf(x) + __frsqrt_rn(x) + __expf(x);
	x += __exp10f(x) + __logf(x) + __log2f(x) + __sinf(x) + __cosf(x) + __powf(x, 2.0f);
	return x + __fdividef(x, 3.0f) + fdividef(x, 7.0f);
}

__device__ float
singles(float x)
{
	x += fabsf(x) + fminf(x, 1.0f) + fmaxf(x, 2.0f) + fmaf(x, x, x) + __fmaf_rn(x, x, x);
	x += __fadd_rn(x, x) + __fsub_rn(x, 1.0f) + __fmul_rn(x, x) + __fdiv_rn(x, 3.0f);
	x += __frcp_rn(x) + __fsqrt_rn(x) + sqrtf(x) + floorf(x) + ceilf(x) + truncf(x);
	x += rintf(x) + nearbyintf(x) + copysignf(x, -x) + __saturatef(x);
	x += __float2int_rz(x) + __float2int_rn(x) + __float2int_rd(x) + __float2int_ru(x);
	x += __float2uint_rz(x) + __int2float_rn((int)x) + __uint2float_rn((unsigned)x);
	return x + min(x, 3.0f) + max(x, 4.0f) + __int_as_float(__float_as_int(x) ^ 1) +
	    __uint_as_float(__float_as_uint(x) ^ 2);
}

__device__ double
doubles(double x)
{
	x += fabs(x) + fmin(x, 1.0) + fmax(x, 2.0) + fma(x, x, x) + __fma_rn(x, x, x) + sqrt(x);
	x += __dadd_rn(x, x) + __dmul_rn(x, x) + floor(x) + ceil(x) + trunc(x) + rint(x);
	return x + min(x, 3.0) + max(x, 4.0) + __longlong_as_double(__double_as_longlong(x) ^ 1);
}

__device__ int
integers(int a, unsigned b)
{
	long long l = a;
	int r = __popc(b) + __popcll(l) + __clz(a) + __clzll(l) + __ffs(a) + __ffsll(l);
	r += __brev(b) + (int)__brevll(l) + __mul24(a, a) + __umul24(b, b) + __mulhi(a, a);
	r += __umulhi(b, b) + __byte_perm(a, b, 0x1234) + __funnelshift_l(a, b, 3);
	r += __funnelshift_r(a, b, 5) + abs(a) + (int)llabs(l) + min(a, 3) + max(a, 4);
	r += min(b, 3u) + max(b, 4u) + min(a, b) + max(b, a) + (int)min(l, 3LL) + (int)max(5LL, l);
	return r + (int)min((unsigned long)b, 7ul) + (int)max((long)a, 9l);
}

__device__ void
atomics(all p)
{
	p.i[1] = atomicAdd(p.i, 1) + atomicSub(p.i, 2) + atomicExch(p.i, 3) + atomicMin(p.i, 4) +
	    atomicMax(p.i, 5) + atomicCAS(p.i, 6, 7) + atomicAnd(p.i, 8) + atomicOr(p.i, 9) +
	    atomicXor(p.i, 10);
	p.u[1] = atomicAdd(p.u, 1u) + atomicSub(p.u, 2u) + atomicExch(p.u, 3u) +
	    atomicMin(p.u, 4u) + atomicMax(p.u, 5u) + atomicCAS(p.u, 6u, 7u) +
	    atomicAnd(p.u, 8u) + atomicOr(p.u, 9u) + atomicXor(p.u, 10u) + atomicInc(p.u, 11u) +
	    atomicDec(p.u, 12u);
	p.ull[1] = atomicAdd(p.ull, 1ull) + atomicExch(p.ull, 2ull) + atomicMin(p.ull, 3ull) +
	    atomicMax(p.ull, 4ull) + atomicCAS(p.ull, 5ull, 6ull);
	p.ll[1] = atomicMin(p.ll, 1ll) + atomicMax(p.ll, 2ll);
	p.f[1] = atomicAdd(p.f, 1.0f) + atomicExch(p.f, 2.0f);
	p.d[1] = atomicAdd(p.d, 1.0);
}

__device__ unsigned
collectives(int v)
{
	int all;
	unsigned r = __ballot_sync(0xffffffff, v) + __any_sync(0xffffffff, v) +
	    __all_sync(0xffffffff, v) + __uni_sync(0xffffffff, v) + __activemask();
	r += __match_any_sync(0xffffffff, v) + __match_any_sync(0xffffffff, (unsigned)v) +
	    __match_any_sync(0xffffffff, (unsigned long long)v) +
	    __match_all_sync(0xffffffff, v, &all) +
	    __match_all_sync(0xffffffff, (unsigned)v, &all) + all;
	r += __reduce_add_sync(0xffffffff, v) + __reduce_min_sync(0xffffffff, v) +
	    __reduce_max_sync(0xffffffff, v) + __reduce_and_sync(0xffffffff, r) +
	    __reduce_or_sync(0xffffffff, r) + __reduce_xor_sync(0xffffffff, r);
	__syncwarp();
	__syncwarp(0xffff);
	r += __syncthreads_count(v) + __syncthreads_and(v) + __syncthreads_or(v);
	__syncthreads();
	return r;
}

extern "C" __global__ void __launch_bounds__(256, 2)
shim_all(all p, const float *__restrict__ in)
{
	__shared__ __align__(16) float tile[64];
	extern __shared__ float dynamic[];
	dim3 size = blockDim, where(1, 2);
	uint3 at = blockIdx;
	int t = threadIdx.x + threadIdx.y + threadIdx.z + at.x + size.y + where.z + gridDim.x;
	assert(t >= 0);
	tile[t % 64] = dynamic[t % warpSize] + __ldg(in) + __ldcg(in) + __ldcs(in) + table[t % 4];
	__stcs(p.f + 9, 1.0f);
	__stcg(p.f + 8, 1.0f);
	__threadfence_block();
	__threadfence();
	__threadfence_system();
	p.i[9] = integers(t, p.u[0]) + (int)__cvta_generic_to_shared(tile) +
	    (int)__cvta_generic_to_global(in) + (int)clock() + (int)clock64();
	p.f[9] = singles(in[0]) + approximations(in[1]) + tile[(t + 1) % 64];
	p.d[9] = doubles(p.d[0]);
	p.f4[0] = make_float4(shuffles(in[0]), (float)shuffles(t), (float)shuffles(p.u[5]),
	    (float)shuffles(p.d[5]));
	p.ll[5] = shuffles(p.ll[4]) + shuffles((long)t) + make_int2(1, 2).y + make_double2(1, 2).x +
	    make_uint4(1, 2, 3, 4).w + make_float2(1, 2).x + make_float3(1, 2, 3).z;
	p.ull[5] = shuffles(p.ull[4]) + shuffles((unsigned long)t) + __laneid();
	p.u[9] = collectives(t);
	atomics(p);
	__nanosleep(10);
	if (t == 12345) {
		printf("%d %f\n", t, p.d[0]);
		__brkpt();
		__trap();
	}
}
