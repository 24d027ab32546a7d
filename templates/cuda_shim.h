/*
 * CUDA C++ for clang without a CUDA toolkit (-nocudainc -nocudalib -fdeclspec): the language's
 * words, the built-in variables and vector types, and the functions that are one instruction or
 * a few.  Written for clang 14 to 22, compute capability 7.0 and newer.
 *
 * Not here: half and bfloat16 types, cooperative groups, wmma, textures, the runtime API.  A
 * kernel that needs them does not compile (use NVRTC or nvcc); nothing is silently different
 * except the transcendental functions (expf, sinf, ...), which are the hardware approximations
 * that nvcc gives with -use_fast_math.
 *
 * Functions carry no line information of their own, so that a barrier is reported at the
 * line that calls it.
 */
#pragma once
#pragma clang system_header

#define __CUDACC__ 1
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((managed))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __forceinline__ __inline__ __attribute__((always_inline))
#if __clang_major__ < 15 /* a keyword since then */
#define __noinline__ __attribute__((noinline))
#endif
#define __align__(n) __attribute__((aligned(n)))
#define __grid_constant__

#define LW_FN static __device__ __inline__ __attribute__((always_inline, nodebug))
#define LW_HD static __host__ __device__ __inline__ __attribute__((always_inline, nodebug))

typedef __SIZE_TYPE__ size_t;

/* --- vector types: CUDA C++ programming guide, "Built-in Vector Types" (alignments) --- */

#define LW_VEC1(T, V) \
	struct V##1 { T x; }; \
	LW_HD V##1 make_##V##1(T x) { V##1 v; v.x = x; return v; }
#define LW_VEC2(T, V, A) \
	struct __attribute__((aligned(A))) V##2 { T x, y; }; \
	LW_HD V##2 make_##V##2(T x, T y) { V##2 v; v.x = x; v.y = y; return v; }
#define LW_VEC3(T, V) \
	struct V##3 { T x, y, z; }; \
	LW_HD V##3 make_##V##3(T x, T y, T z) { V##3 v; v.x = x; v.y = y; v.z = z; return v; }
#define LW_VEC4(T, V, A) \
	struct __attribute__((aligned(A))) V##4 { T x, y, z, w; }; \
	LW_HD V##4 make_##V##4(T x, T y, T z, T w) \
	{ V##4 v; v.x = x; v.y = y; v.z = z; v.w = w; return v; }
#define LW_VEC(T, V, A2, A4) LW_VEC1(T, V) LW_VEC2(T, V, A2) LW_VEC3(T, V) LW_VEC4(T, V, A4)

LW_VEC(signed char, char, 2, 4)
LW_VEC(unsigned char, uchar, 2, 4)
LW_VEC(short, short, 4, 8)
LW_VEC(unsigned short, ushort, 4, 8)
LW_VEC(int, int, 8, 16)
LW_VEC(unsigned int, uint, 8, 16)
LW_VEC(long, long, 16, 16)
LW_VEC(unsigned long, ulong, 16, 16)
LW_VEC(long long, longlong, 16, 16)
LW_VEC(unsigned long long, ulonglong, 16, 16)
LW_VEC(float, float, 8, 16)
LW_VEC(double, double, 16, 16)

struct dim3 {
	unsigned int x, y, z;
	__host__ __device__ constexpr dim3(unsigned int a = 1, unsigned int b = 1,
	    unsigned int c = 1) : x(a), y(b), z(c) {}
	__host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
	__host__ __device__ operator uint3() const { return make_uint3(x, y, z); }
};

/* --- built-in variables --- */

#define LW_SREG(name, reg) \
	struct lw_##name { \
		__declspec(property(get = get_x)) unsigned int x; \
		__declspec(property(get = get_y)) unsigned int y; \
		__declspec(property(get = get_z)) unsigned int z; \
		static __device__ __inline__ __attribute__((always_inline, nodebug)) \
		unsigned int get_x() { return __nvvm_read_ptx_sreg_##reg##_x(); } \
		static __device__ __inline__ __attribute__((always_inline, nodebug)) \
		unsigned int get_y() { return __nvvm_read_ptx_sreg_##reg##_y(); } \
		static __device__ __inline__ __attribute__((always_inline, nodebug)) \
		unsigned int get_z() { return __nvvm_read_ptx_sreg_##reg##_z(); } \
		__device__ operator uint3() const { return make_uint3(get_x(), get_y(), get_z()); } \
		__device__ operator dim3() const { return dim3(get_x(), get_y(), get_z()); } \
	}; \
	extern const __device__ __attribute__((weak)) lw_##name name;

LW_SREG(threadIdx, tid)
LW_SREG(blockIdx, ctaid)
LW_SREG(blockDim, ntid)
LW_SREG(gridDim, nctaid)
constexpr int warpSize = 32;

/* --- barriers, votes, shuffles --- */

/* __syncthreads() is clang's own. */
LW_FN int __syncthreads_count(int p) { return __nvvm_bar0_popc(p); }
LW_FN int __syncthreads_and(int p) { return __nvvm_bar0_and(p); }
LW_FN int __syncthreads_or(int p) { return __nvvm_bar0_or(p); }
LW_FN void __syncwarp(unsigned int mask = 0xffffffffu) { __nvvm_bar_warp_sync(mask); }

LW_FN int __all_sync(unsigned int m, int p) { return __nvvm_vote_all_sync(m, p != 0); }
LW_FN int __any_sync(unsigned int m, int p) { return __nvvm_vote_any_sync(m, p != 0); }
LW_FN int __uni_sync(unsigned int m, int p) { return __nvvm_vote_uni_sync(m, p != 0); }
LW_FN unsigned int __ballot_sync(unsigned int m, int p)
{ return __nvvm_vote_ballot_sync(m, p != 0); }
LW_FN unsigned int __activemask()
{ unsigned int m; asm volatile("activemask.b32 %0;" : "=r"(m)); return m; }

#define LW_SHFL(name, mode, T, clamp) \
	LW_FN int name(unsigned int m, int v, T at, int width = 32) \
	{ return __nvvm_shfl_sync_##mode##_i32(m, v, at, ((32 - width) << 8) | clamp); } \
	LW_FN unsigned int name(unsigned int m, unsigned int v, T at, int width = 32) \
	{ return (unsigned int)name(m, (int)v, at, width); } \
	LW_FN float name(unsigned int m, float v, T at, int width = 32) \
	{ return __nvvm_shfl_sync_##mode##_f32(m, v, at, ((32 - width) << 8) | clamp); } \
	LW_FN unsigned long long name(unsigned int m, unsigned long long v, T at, int width = 32) \
	{ \
		unsigned int lo = name(m, (unsigned int)v, at, width); \
		unsigned int hi = name(m, (unsigned int)(v >> 32), at, width); \
		return (unsigned long long)hi << 32 | lo; \
	} \
	LW_FN long long name(unsigned int m, long long v, T at, int width = 32) \
	{ return (long long)name(m, (unsigned long long)v, at, width); } \
	LW_FN unsigned long name(unsigned int m, unsigned long v, T at, int width = 32) \
	{ return (unsigned long)name(m, (unsigned long long)v, at, width); } \
	LW_FN long name(unsigned int m, long v, T at, int width = 32) \
	{ return (long)name(m, (unsigned long long)v, at, width); } \
	LW_FN double name(unsigned int m, double v, T at, int width = 32) \
	{ \
		union { double d; unsigned long long u; } b; \
		b.d = v; \
		b.u = name(m, b.u, at, width); \
		return b.d; \
	}
LW_SHFL(__shfl_sync, idx, int, 0x1f)
LW_SHFL(__shfl_up_sync, up, unsigned int, 0)
LW_SHFL(__shfl_down_sync, down, unsigned int, 0x1f)
LW_SHFL(__shfl_xor_sync, bfly, int, 0x1f)

LW_FN unsigned int __match_any_sync(unsigned int m, unsigned int v)
{ return __nvvm_match_any_sync_i32(m, v); }
LW_FN unsigned int __match_any_sync(unsigned int m, int v)
{ return __nvvm_match_any_sync_i32(m, (unsigned int)v); }
LW_FN unsigned int __match_any_sync(unsigned int m, unsigned long long v)
{
	unsigned int r;
	asm volatile("match.any.sync.b64 %0, %1, %2;" : "=r"(r) : "l"(v), "r"(m));
	return r;
}
LW_FN unsigned int __match_all_sync(unsigned int m, unsigned int v, int *pred)
{ return __nvvm_match_all_sync_i32p(m, v, pred); }
LW_FN unsigned int __match_all_sync(unsigned int m, int v, int *pred)
{ return __nvvm_match_all_sync_i32p(m, (unsigned int)v, pred); }

#if __CUDA_ARCH__ >= 800 || !defined(__CUDA_ARCH__)
#define LW_REDUX(op, T, suffix) \
	LW_FN T __reduce_##op##_sync(unsigned int m, T v) \
	{ \
		T r; \
		asm volatile("redux.sync." #op "." suffix " %0, %1, %2;" \
			     : "=r"(r) : "r"(v), "r"(m)); \
		return r; \
	}
LW_REDUX(add, int, "s32") LW_REDUX(add, unsigned int, "u32")
LW_REDUX(min, int, "s32") LW_REDUX(min, unsigned int, "u32")
LW_REDUX(max, int, "s32") LW_REDUX(max, unsigned int, "u32")
LW_REDUX(and, unsigned int, "b32") LW_REDUX(or, unsigned int, "b32")
LW_REDUX(xor, unsigned int, "b32")
#endif

/* --- memory --- */

LW_FN void __threadfence_block() { __nvvm_membar_cta(); }
LW_FN void __threadfence() { __nvvm_membar_gl(); }
LW_FN void __threadfence_system() { __nvvm_membar_sys(); }

template <typename T> LW_FN T __ldg(const T *p) { return *p; }
template <typename T> LW_FN T __ldcg(const T *p) { return *p; }
template <typename T> LW_FN T __ldcs(const T *p) { return *p; }
template <typename T> LW_FN void __stcs(T *p, T v) { *p = v; }
template <typename T> LW_FN void __stcg(T *p, T v) { *p = v; }

LW_FN size_t __cvta_generic_to_shared(const void *p)
{ return (size_t)(const __attribute__((address_space(3))) void *)p; }
LW_FN size_t __cvta_generic_to_global(const void *p)
{ return (size_t)(const __attribute__((address_space(1))) void *)p; }

typedef unsigned long long lw_ull;
LW_FN int atomicAdd(int *p, int v) { return __nvvm_atom_add_gen_i(p, v); }
LW_FN unsigned int atomicAdd(unsigned int *p, unsigned int v)
{ return (unsigned int)__nvvm_atom_add_gen_i((int *)p, (int)v); }
LW_FN lw_ull atomicAdd(lw_ull *p, lw_ull v)
{ return (lw_ull)__nvvm_atom_add_gen_ll((long long *)p, (long long)v); }
LW_FN float atomicAdd(float *p, float v) { return __nvvm_atom_add_gen_f(p, v); }
LW_FN double atomicAdd(double *p, double v) { return __nvvm_atom_add_gen_d(p, v); }
LW_FN int atomicSub(int *p, int v) { return atomicAdd(p, -v); }
LW_FN unsigned int atomicSub(unsigned int *p, unsigned int v) { return atomicAdd(p, 0u - v); }
LW_FN int atomicExch(int *p, int v) { return __nvvm_atom_xchg_gen_i(p, v); }
LW_FN unsigned int atomicExch(unsigned int *p, unsigned int v)
{ return (unsigned int)__nvvm_atom_xchg_gen_i((int *)p, (int)v); }
LW_FN lw_ull atomicExch(lw_ull *p, lw_ull v)
{ return (lw_ull)__nvvm_atom_xchg_gen_ll((long long *)p, (long long)v); }
LW_FN float atomicExch(float *p, float v)
{
	union { float f; int i; } b;
	b.f = v;
	b.i = __nvvm_atom_xchg_gen_i((int *)p, b.i);
	return b.f;
}
LW_FN int atomicMin(int *p, int v) { return __nvvm_atom_min_gen_i(p, v); }
LW_FN unsigned int atomicMin(unsigned int *p, unsigned int v)
{ return __nvvm_atom_min_gen_ui(p, v); }
LW_FN long long atomicMin(long long *p, long long v) { return __nvvm_atom_min_gen_ll(p, v); }
LW_FN lw_ull atomicMin(lw_ull *p, lw_ull v) { return __nvvm_atom_min_gen_ull(p, v); }
LW_FN int atomicMax(int *p, int v) { return __nvvm_atom_max_gen_i(p, v); }
LW_FN unsigned int atomicMax(unsigned int *p, unsigned int v)
{ return __nvvm_atom_max_gen_ui(p, v); }
LW_FN long long atomicMax(long long *p, long long v) { return __nvvm_atom_max_gen_ll(p, v); }
LW_FN lw_ull atomicMax(lw_ull *p, lw_ull v) { return __nvvm_atom_max_gen_ull(p, v); }
LW_FN unsigned int atomicInc(unsigned int *p, unsigned int v)
{ return __nvvm_atom_inc_gen_ui(p, v); }
LW_FN unsigned int atomicDec(unsigned int *p, unsigned int v)
{ return __nvvm_atom_dec_gen_ui(p, v); }
LW_FN int atomicCAS(int *p, int c, int v) { return __nvvm_atom_cas_gen_i(p, c, v); }
LW_FN unsigned int atomicCAS(unsigned int *p, unsigned int c, unsigned int v)
{ return (unsigned int)__nvvm_atom_cas_gen_i((int *)p, (int)c, (int)v); }
LW_FN lw_ull atomicCAS(lw_ull *p, lw_ull c, lw_ull v)
{ return (lw_ull)__nvvm_atom_cas_gen_ll((long long *)p, (long long)c, (long long)v); }
LW_FN int atomicAnd(int *p, int v) { return __nvvm_atom_and_gen_i(p, v); }
LW_FN int atomicOr(int *p, int v) { return __nvvm_atom_or_gen_i(p, v); }
LW_FN int atomicXor(int *p, int v) { return __nvvm_atom_xor_gen_i(p, v); }
LW_FN unsigned int atomicAnd(unsigned int *p, unsigned int v)
{ return (unsigned int)__nvvm_atom_and_gen_i((int *)p, (int)v); }
LW_FN unsigned int atomicOr(unsigned int *p, unsigned int v)
{ return (unsigned int)__nvvm_atom_or_gen_i((int *)p, (int)v); }
LW_FN unsigned int atomicXor(unsigned int *p, unsigned int v)
{ return (unsigned int)__nvvm_atom_xor_gen_i((int *)p, (int)v); }

/* --- integers --- */

LW_HD int __popc(unsigned int v) { return __builtin_popcount(v); }
LW_HD int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
LW_HD int __clz(int v) { return v ? __builtin_clz((unsigned int)v) : 32; }
LW_HD int __clzll(long long v) { return v ? __builtin_clzll((unsigned long long)v) : 64; }
LW_HD int __ffs(int v) { return v ? __builtin_ctz((unsigned int)v) + 1 : 0; }
LW_HD int __ffsll(long long v) { return v ? __builtin_ctzll((unsigned long long)v) + 1 : 0; }
LW_HD unsigned int __brev(unsigned int v) { return __builtin_bitreverse32(v); }
LW_HD unsigned long long __brevll(unsigned long long v) { return __builtin_bitreverse64(v); }
LW_HD int __mul24(int a, int b) { return ((a << 8) >> 8) * ((b << 8) >> 8); }
LW_HD unsigned int __umul24(unsigned int a, unsigned int b)
{ return (a & 0xffffffu) * (b & 0xffffffu); }
LW_HD int __mulhi(int a, int b) { return (int)(((long long)a * b) >> 32); }
LW_HD unsigned int __umulhi(unsigned int a, unsigned int b)
{ return (unsigned int)(((unsigned long long)a * b) >> 32); }
LW_FN unsigned int __byte_perm(unsigned int a, unsigned int b, unsigned int s)
{ unsigned int r; asm("prmt.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(s)); return r; }
LW_HD unsigned int __funnelshift_l(unsigned int lo, unsigned int hi, unsigned int s)
{ return (unsigned int)((((unsigned long long)hi << 32 | lo) << (s & 31)) >> 32); }
LW_HD unsigned int __funnelshift_r(unsigned int lo, unsigned int hi, unsigned int s)
{ return (unsigned int)(((unsigned long long)hi << 32 | lo) >> (s & 31)); }

#define LW_MINMAX(T) \
	LW_HD T min(T a, T b) { return a < b ? a : b; } \
	LW_HD T max(T a, T b) { return a > b ? a : b; }
LW_MINMAX(int) LW_MINMAX(unsigned int)
LW_MINMAX(long) LW_MINMAX(unsigned long)
LW_MINMAX(long long) LW_MINMAX(unsigned long long)
/* the programming guide's mixed overloads compare as unsigned */
#define LW_MINMAX_MIXED(S, U) \
	LW_HD U min(S a, U b) { return min((U)a, b); } LW_HD U min(U a, S b) { return min(a, (U)b); } \
	LW_HD U max(S a, U b) { return max((U)a, b); } LW_HD U max(U a, S b) { return max(a, (U)b); }
LW_MINMAX_MIXED(int, unsigned int)
LW_MINMAX_MIXED(long, unsigned long)
LW_MINMAX_MIXED(long long, unsigned long long)
LW_FN float min(float a, float b) { return __builtin_fminf(a, b); }
LW_FN float max(float a, float b) { return __builtin_fmaxf(a, b); }
LW_FN double min(double a, double b) { return __builtin_fmin(a, b); }
LW_FN double max(double a, double b) { return __builtin_fmax(a, b); }
LW_HD int abs(int v) { return v < 0 ? -v : v; }
LW_HD long long llabs(long long v) { return v < 0 ? -v : v; }

/* --- bits of numbers --- */

#define LW_BITS(name, F, T) \
	LW_HD T name(F v) { union { F f; T t; } b; b.f = v; return b.t; }
LW_BITS(__int_as_float, int, float)
LW_BITS(__float_as_int, float, int)
LW_BITS(__uint_as_float, unsigned int, float)
LW_BITS(__float_as_uint, float, unsigned int)
LW_BITS(__longlong_as_double, long long, double)
LW_BITS(__double_as_longlong, double, long long)

/* --- floating point: exact --- */

LW_FN float fabsf(float x) { return __builtin_fabsf(x); }
LW_FN double fabs(double x) { return __builtin_fabs(x); }
LW_FN float fminf(float a, float b) { return __builtin_fminf(a, b); }
LW_FN float fmaxf(float a, float b) { return __builtin_fmaxf(a, b); }
LW_FN double fmin(double a, double b) { return __builtin_fmin(a, b); }
LW_FN double fmax(double a, double b) { return __builtin_fmax(a, b); }
LW_FN float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
LW_FN double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
LW_FN float __fmaf_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
LW_FN double __fma_rn(double a, double b, double c) { return __builtin_fma(a, b, c); }
LW_FN float __fadd_rn(float a, float b) { return __nvvm_add_rn_f(a, b); }
LW_FN float __fsub_rn(float a, float b) { return __nvvm_add_rn_f(a, -b); }
LW_FN float __fmul_rn(float a, float b) { return __nvvm_mul_rn_f(a, b); }
LW_FN double __dadd_rn(double a, double b) { return __nvvm_add_rn_d(a, b); }
LW_FN double __dmul_rn(double a, double b) { return __nvvm_mul_rn_d(a, b); }
LW_FN float __fdiv_rn(float a, float b) { return __nvvm_div_rn_f(a, b); }
LW_FN float __frcp_rn(float a) { return __nvvm_rcp_rn_f(a); }
LW_FN float __fsqrt_rn(float a) { return __nvvm_sqrt_rn_f(a); }
LW_FN float sqrtf(float x) { return __nvvm_sqrt_rn_f(x); }
LW_FN double sqrt(double x) { return __nvvm_sqrt_rn_d(x); }
LW_FN float floorf(float x) { return __builtin_floorf(x); }
LW_FN float ceilf(float x) { return __builtin_ceilf(x); }
LW_FN float truncf(float x) { return __builtin_truncf(x); }
LW_FN float rintf(float x) { return __builtin_rintf(x); }
LW_FN float nearbyintf(float x) { return __builtin_rintf(x); }
LW_FN double floor(double x) { return __builtin_floor(x); }
LW_FN double ceil(double x) { return __builtin_ceil(x); }
LW_FN double trunc(double x) { return __builtin_trunc(x); }
LW_FN double rint(double x) { return __builtin_rint(x); }
LW_FN float copysignf(float x, float y) { return __builtin_copysignf(x, y); }
LW_FN float __saturatef(float x) { return __builtin_fminf(__builtin_fmaxf(x, 0.0f), 1.0f); }
LW_FN int __float2int_rz(float x) { return (int)x; }
LW_FN int __float2int_rn(float x) { return (int)__builtin_rintf(x); }
LW_FN int __float2int_rd(float x) { return (int)__builtin_floorf(x); }
LW_FN int __float2int_ru(float x) { return (int)__builtin_ceilf(x); }
LW_FN unsigned int __float2uint_rz(float x) { return (unsigned int)x; }
LW_FN float __int2float_rn(int x) { return (float)x; }
LW_FN float __uint2float_rn(unsigned int x) { return (float)x; }

/* --- floating point: the hardware's approximations --- */

LW_FN float exp2f(float x) { return __nvvm_ex2_approx_f(x); }
LW_FN float log2f(float x) { return __nvvm_lg2_approx_f(x); }
LW_FN float expf(float x) { return __nvvm_ex2_approx_f(x * 1.44269504088896341f); }
LW_FN float exp10f(float x) { return __nvvm_ex2_approx_f(x * 3.32192809488736235f); }
LW_FN float logf(float x) { return __nvvm_lg2_approx_f(x) * 0.693147180559945309f; }
LW_FN float log10f(float x) { return __nvvm_lg2_approx_f(x) * 0.301029995663981195f; }
LW_FN float sinf(float x) { return __nvvm_sin_approx_f(x); }
LW_FN float cosf(float x) { return __nvvm_cos_approx_f(x); }
LW_FN float tanf(float x) { return sinf(x) / cosf(x); }
LW_FN float tanhf(float x)
{ float e = expf(-2.0f * fabsf(x)); return copysignf((1.0f - e) / (1.0f + e), x); }
LW_FN float powf(float x, float y) { return exp2f(y * log2f(x)); }
LW_FN float rsqrtf(float x) { return __nvvm_rsqrt_approx_f(x); }
LW_FN float __frsqrt_rn(float x) { return 1.0f / sqrtf(x); }
LW_FN float __expf(float x) { return expf(x); }
LW_FN float __exp10f(float x) { return exp10f(x); }
LW_FN float __logf(float x) { return logf(x); }
LW_FN float __log2f(float x) { return log2f(x); }
LW_FN float __sinf(float x) { return sinf(x); }
LW_FN float __cosf(float x) { return cosf(x); }
LW_FN float __powf(float x, float y) { return powf(x, y); }
LW_FN float __fdividef(float a, float b) { return __nvvm_div_approx_f(a, b); }
LW_FN float fdividef(float a, float b) { return __nvvm_div_approx_f(a, b); }

/* --- the rest --- */

LW_FN void __trap() { asm volatile("trap;"); }
LW_FN void __brkpt() { asm volatile("brkpt;"); }
LW_FN void __nanosleep(unsigned int ns) { asm volatile("nanosleep.u32 %0;" ::"r"(ns)); }
LW_FN long long clock64()
{ long long t; asm volatile("mov.u64 %0, %%clock64;" : "=l"(t)); return t; }
LW_FN long clock() { return (long)(unsigned int)__nvvm_read_ptx_sreg_clock(); }
LW_FN unsigned int __laneid() { return __nvvm_read_ptx_sreg_laneid(); }
extern "C" __device__ int printf(const char *, ...);
extern "C" __device__ __attribute__((noreturn)) void __assertfail(const char *, const char *,
    unsigned int, const char *, size_t);
extern "C" __device__ __inline__ __attribute__((noreturn, nodebug)) void
__assert_fail(const char *what, const char *file, unsigned int line, const char *function)
{ __assertfail(what, file, line, function, 1); }
