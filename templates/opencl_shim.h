/*
 * OpenCL C for clang's NVPTX target without libclc or clang's default header (-cl-no-stdinc): the
 * built-in types and functions that kernels use, as far as the gate has to see what they do.
 * Written for clang 14 to 22, OpenCL C 1.2 to 3.0.
 *
 * PTX made with it is judged, and run only by the CUDA driver; an OpenCL runtime compiles the same
 * source with its own functions.  So precision is no concern here: transcendental functions
 * are the hardware's approximations.  What stands for what:
 *
 *	work-item, work-group	thread, block
 *	barrier()		bar.sync 0 of all threads of the block
 *	sub-group		a warp: 32 consecutive work-items by their linear local id
 *	sub_group_*(), shuffles	a warp's collective of all work-items that the sub-group has
 *	__local			shared memory
 *
 * Functions carry no line information of their own, so that a barrier is reported at the
 * line that calls it.
 */
#pragma once
#pragma clang system_header

#define LW_FN static inline __attribute__((always_inline, nodebug, overloadable))
#define LW_ALL static inline __attribute__((always_inline, nodebug, overloadable, convergent))

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef __INTPTR_TYPE__ intptr_t;
typedef __UINTPTR_TYPE__ uintptr_t;
#define NULL ((void *)0)

#define LW_VECTORS(T) \
	typedef T T##2 __attribute__((ext_vector_type(2))); \
	typedef T T##3 __attribute__((ext_vector_type(3))); \
	typedef T T##4 __attribute__((ext_vector_type(4))); \
	typedef T T##8 __attribute__((ext_vector_type(8))); \
	typedef T T##16 __attribute__((ext_vector_type(16)));
#define LW_INTEGERS(X) X(char) X(uchar) X(short) X(ushort) X(int) X(uint) X(long) X(ulong)
LW_INTEGERS(LW_VECTORS)
LW_VECTORS(float)
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
LW_VECTORS(double)
#define LW_FLOATS(X) X(float) X(double)
#else
#define LW_FLOATS(X) X(float)
#endif
/* X for a type and its vectors */
#define LW_WIDE(T, X) X(T) X(T##2) X(T##3) X(T##4) X(T##8) X(T##16)

#define CLK_LOCAL_MEM_FENCE 1
#define CLK_GLOBAL_MEM_FENCE 2
#define CLK_IMAGE_MEM_FENCE 4
#define CHAR_BIT 8
#define INT_MAX 2147483647
#define INT_MIN (-2147483647 - 1)
#define UINT_MAX 0xffffffffU
#define LONG_MAX 0x7fffffffffffffffL
#define LONG_MIN (-0x7fffffffffffffffL - 1)
#define ULONG_MAX 0xffffffffffffffffUL
#define FLT_MAX 0x1.fffffep127f
#define FLT_MIN 0x1.0p-126f
#define FLT_EPSILON 0x1.0p-23f
#define MAXFLOAT FLT_MAX
#define INFINITY __builtin_inff()
#define HUGE_VALF __builtin_inff()
#define NAN __builtin_nanf("")
#define M_PI_F 3.14159265358979323846f
#define M_E_F 2.71828182845904523536f

/* --- where a work-item is ------------------------------------------------------------- */

#define LW_SREG(name, absent) \
	(d == 0 ? __nvvm_read_ptx_sreg_##name##_x() : d == 1 ? __nvvm_read_ptx_sreg_##name##_y() \
	: d == 2 ? __nvvm_read_ptx_sreg_##name##_z() : (absent))
LW_FN size_t get_local_id(uint d) { return (uint)LW_SREG(tid, 0); }
LW_FN size_t get_group_id(uint d) { return (uint)LW_SREG(ctaid, 0); }
LW_FN size_t get_local_size(uint d) { return (uint)LW_SREG(ntid, 1); }
LW_FN size_t get_enqueued_local_size(uint d) { return (uint)LW_SREG(ntid, 1); }
LW_FN size_t get_num_groups(uint d) { return (uint)LW_SREG(nctaid, 1); }
LW_FN size_t get_global_size(uint d) { return get_num_groups(d) * get_local_size(d); }
LW_FN size_t get_global_id(uint d)
{ return get_group_id(d) * get_local_size(d) + get_local_id(d); }
LW_FN size_t get_global_offset(uint d) { return 0; }
LW_FN uint get_work_dim(void) { return 3; }
LW_FN size_t get_local_linear_id(void)
{
	return (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0)
		+ get_local_id(0);
}
LW_FN size_t get_global_linear_id(void)
{
	return (get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0)
		+ get_global_id(0);
}

/* --- barriers and fences -------------------------------------------------------------- */

/* The empty assembly keeps clang 14 from moving a load of local memory over the barrier. */
LW_ALL void barrier(uint fences)
{
	__asm__ volatile("" ::: "memory");
	__syncthreads();
	__asm__ volatile("" ::: "memory");
}
LW_ALL void work_group_barrier(uint fences) { barrier(fences); }
LW_ALL void work_group_barrier(uint fences, int scope) { barrier(fences); }
LW_FN void mem_fence(uint fences) { __nvvm_membar_gl(); }
LW_FN void read_mem_fence(uint fences) { __nvvm_membar_gl(); }
LW_FN void write_mem_fence(uint fences) { __nvvm_membar_gl(); }

/* --- sub-groups ----------------------------------------------------------------------- */

LW_FN uint lw_linear(void) { return (uint)get_local_linear_id(); }
LW_FN uint lw_threads(void)
{ return (uint)(get_local_size(0) * get_local_size(1) * get_local_size(2)); }
LW_FN uint get_max_sub_group_size(void) { return 32; }
LW_FN uint get_sub_group_local_id(void) { return lw_linear() % 32; }
LW_FN uint get_sub_group_id(void) { return lw_linear() / 32; }
LW_FN uint get_num_sub_groups(void) { return (lw_threads() + 31) / 32; }
LW_FN uint get_enqueued_num_sub_groups(void) { return get_num_sub_groups(); }
/* The last sub-group of a work-group may be smaller. */
LW_FN uint get_sub_group_size(void)
{
	uint left = lw_threads() - get_sub_group_id() * 32;
	return left < 32 ? left : 32;
}
LW_FN uint lw_members(void)
{
	uint n = get_sub_group_size();
	return n == 32 ? 0xffffffffU : (1U << n) - 1;
}
LW_ALL void sub_group_barrier(uint fences) { __nvvm_bar_warp_sync(lw_members()); }
LW_ALL void sub_group_barrier(uint fences, int scope) { __nvvm_bar_warp_sync(lw_members()); }
LW_ALL int sub_group_all(int x) { return __nvvm_vote_all_sync(lw_members(), x != 0); }
LW_ALL int sub_group_any(int x) { return __nvvm_vote_any_sync(lw_members(), x != 0); }
LW_ALL int lw_shuffle(int x, uint lane)
{ return __nvvm_shfl_sync_idx_i32(lw_members(), x, (int)lane, 0x1f); }
LW_ALL int lw_shuffle_up(int x, uint by)
{ return __nvvm_shfl_sync_up_i32(lw_members(), x, (int)by, 0); }
LW_ALL int lw_shuffle_down(int x, uint by)
{ return __nvvm_shfl_sync_down_i32(lw_members(), x, (int)by, 0x1f); }
LW_ALL int lw_shuffle_xor(int x, uint mask)
{ return __nvvm_shfl_sync_bfly_i32(lw_members(), x, (int)mask, 0x1f); }
#define LW_SHUFFLES(T) \
	LW_ALL T sub_group_broadcast(T x, uint lane) \
	{ return __builtin_astype(lw_shuffle(__builtin_astype(x, int), lane), T); } \
	LW_ALL T sub_group_shuffle(T x, uint lane) \
	{ return __builtin_astype(lw_shuffle(__builtin_astype(x, int), lane), T); } \
	LW_ALL T sub_group_shuffle_up(T x, uint by) \
	{ return __builtin_astype(lw_shuffle_up(__builtin_astype(x, int), by), T); } \
	LW_ALL T sub_group_shuffle_down(T x, uint by) \
	{ return __builtin_astype(lw_shuffle_down(__builtin_astype(x, int), by), T); } \
	LW_ALL T sub_group_shuffle_xor(T x, uint mask) \
	{ return __builtin_astype(lw_shuffle_xor(__builtin_astype(x, int), mask), T); } \
	LW_FOLDS(T, add, x + y) LW_FOLDS(T, min, x < y ? x : y) LW_FOLDS(T, max, x > y ? x : y)
/* A fold of the first `lanes` values up to this one, in doubling steps. */
#define LW_FOLDS(T, name, fold) \
	LW_ALL T sub_group_scan_inclusive_##name(T x) \
	{ \
		for (uint by = 1; by < 32; by *= 2) { \
			T y = __builtin_astype(lw_shuffle_up(__builtin_astype(x, int), by), T); \
			x = get_sub_group_local_id() >= by ? (fold) : x; \
		} \
		return x; \
	} \
	LW_ALL T sub_group_reduce_##name(T x) \
	{ \
		x = sub_group_scan_inclusive_##name(x); \
		return __builtin_astype(lw_shuffle(__builtin_astype(x, int), \
				get_sub_group_size() - 1), T); \
	}
LW_SHUFFLES(int)
LW_SHUFFLES(uint)
LW_SHUFFLES(float)
#define LW_EXCLUSIVE(T, zero) \
	LW_ALL T sub_group_scan_exclusive_add(T x) \
	{ \
		x = sub_group_shuffle_up(sub_group_scan_inclusive_add(x), 1); \
		return get_sub_group_local_id() ? x : (zero); \
	}
LW_EXCLUSIVE(int, 0)
LW_EXCLUSIVE(uint, 0)
LW_EXCLUSIVE(float, 0.0f)
#define intel_sub_group_shuffle sub_group_shuffle
#define intel_sub_group_shuffle_xor sub_group_shuffle_xor

/* --- arithmetic of integers and floats, element by element ---------------------------- */

#define LW_ORDER(T) \
	LW_FN T min(T a, T b) { return a < b ? a : b; } \
	LW_FN T max(T a, T b) { return a > b ? a : b; } \
	LW_FN T clamp(T x, T low, T high) { return min(max(x, low), high); }
#define LW_ORDERS(T) LW_WIDE(T, LW_ORDER)
LW_INTEGERS(LW_ORDERS)
LW_FLOATS(LW_ORDERS)
#define LW_INT(T) \
	LW_FN T mad24(T a, T b, T c) { return a * b + c; } \
	LW_FN T mul24(T a, T b) { return a * b; } \
	LW_FN T rotate(T x, T by) \
	{ return (T)((uint)x << (by & 31)) | (T)((uint)x >> (-by & 31)); }
LW_INT(int)
LW_INT(uint)
LW_FN uint abs(int x) { return (uint)(x < 0 ? -x : x); }
LW_FN uint abs(uint x) { return x; }
LW_FN int popcount(int x) { return __builtin_popcount((uint)x); }
LW_FN uint popcount(uint x) { return (uint)__builtin_popcount(x); }
LW_FN int clz(int x) { return x ? __builtin_clz((uint)x) : 32; }
LW_FN uint clz(uint x) { return x ? (uint)__builtin_clz(x) : 32; }
LW_FN int mul_hi(int a, int b) { return (int)(((long)a * b) >> 32); }
LW_FN uint mul_hi(uint a, uint b) { return (uint)(((ulong)a * b) >> 32); }

#define LW_FLOAT(T) \
	LW_FN T mad(T a, T b, T c) { return a * b + c; } \
	LW_FN T fmin(T a, T b) { return a < b ? a : b; } \
	LW_FN T fmax(T a, T b) { return a > b ? a : b; } \
	LW_FN T mix(T x, T y, T a) { return x + (y - x) * a; } \
	LW_FN T step(T edge, T x) { return x < edge ? (T)0 : (T)1; }
#define LW_FLOAT_WIDE(T) LW_WIDE(T, LW_FLOAT)
LW_FLOATS(LW_FLOAT_WIDE)

LW_FN float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
#define LW_FMA(T) LW_FN T fma(T a, T b, T c) { return a * b + c; }
LW_FMA(float2) LW_FMA(float3) LW_FMA(float4) LW_FMA(float8) LW_FMA(float16)
#ifdef cl_khr_fp64
LW_FN double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
LW_FN double fabs(double x) { return __builtin_fabs(x); }
LW_FN double sqrt(double x) { return __builtin_sqrt(x); }
LW_FN double floor(double x) { return __builtin_floor(x); }
LW_FN double ceil(double x) { return __builtin_ceil(x); }
#endif
LW_FN float fabs(float x) { return __builtin_fabsf(x); }
LW_FN float floor(float x) { return __builtin_floorf(x); }
LW_FN float ceil(float x) { return __builtin_ceilf(x); }
LW_FN float trunc(float x) { return __builtin_truncf(x); }
LW_FN float rint(float x) { return __builtin_rintf(x); }
LW_FN float round(float x) { return x < 0 ? ceil(x - 0.5f) : floor(x + 0.5f); }
LW_FN float copysign(float x, float y) { return __builtin_copysignf(x, y); }
LW_FN float sqrt(float x) { return __nvvm_sqrt_rn_f(x); }
LW_FN float rsqrt(float x) { return __nvvm_rsqrt_approx_f(x); }
LW_FN float exp2(float x) { return __nvvm_ex2_approx_f(x); }
LW_FN float log2(float x) { return __nvvm_lg2_approx_f(x); }
LW_FN float exp(float x) { return exp2(x * 1.44269504f); }
LW_FN float exp10(float x) { return exp2(x * 3.32192809f); }
LW_FN float log(float x) { return log2(x) * 0.69314718f; }
LW_FN float log10(float x) { return log2(x) * 0.30103f; }
LW_FN float pow(float x, float y) { return exp2(y * log2(x)); }
LW_FN float powr(float x, float y) { return exp2(y * log2(x)); }
LW_FN float sin(float x) { return __nvvm_sin_approx_f(x); }
LW_FN float cos(float x) { return __nvvm_cos_approx_f(x); }
LW_FN float tan(float x) { return sin(x) / cos(x); }
LW_FN float tanh(float x) { return 1.0f - 2.0f / (exp(2.0f * x) + 1.0f); }
LW_FN float fmod(float x, float y) { return x - y * trunc(x / y); }
LW_FN float hypot(float x, float y) { return sqrt(x * x + y * y); }
LW_FN int isnan(float x) { return x != x; }
LW_FN int isinf(float x) { return fabs(x) == INFINITY; }
#define native_sqrt sqrt
#define native_rsqrt rsqrt
#define native_exp exp
#define native_exp2 exp2
#define native_log log
#define native_log2 log2
#define native_powr powr
#define native_sin sin
#define native_cos cos
#define native_tan tan
#define native_recip(x) (1.0f / (x))
#define native_divide(x, y) ((x) / (y))
#define half_sqrt sqrt
#define half_exp exp
#define half_log log
#define half_recip(x) (1.0f / (x))
#define half_divide(x, y) ((x) / (y))
LW_FN float dot(float a, float b) { return a * b; }
LW_FN float dot(float2 a, float2 b) { return a.x * b.x + a.y * b.y; }
LW_FN float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
LW_FN float dot(float4 a, float4 b)
{ return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
LW_FN float length(float2 a) { return sqrt(dot(a, a)); }
LW_FN float length(float3 a) { return sqrt(dot(a, a)); }
LW_FN float length(float4 a) { return sqrt(dot(a, a)); }

/* --- conversions, vectors in memory --------------------------------------------------- */

#define as_int(x) __builtin_astype((x), int)
#define as_uint(x) __builtin_astype((x), uint)
#define as_float(x) __builtin_astype((x), float)
#define as_int4(x) __builtin_astype((x), int4)
#define as_uint4(x) __builtin_astype((x), uint4)
#define as_float4(x) __builtin_astype((x), float4)
#define convert_char(x) ((char)(x))
#define convert_uchar(x) ((uchar)(x))
#define convert_short(x) ((short)(x))
#define convert_ushort(x) ((ushort)(x))
#define convert_int(x) ((int)(x))
#define convert_uint(x) ((uint)(x))
#define convert_long(x) ((long)(x))
#define convert_ulong(x) ((ulong)(x))
#define convert_float(x) ((float)(x))
#define convert_int4(x) __builtin_convertvector((x), int4)
#define convert_uint4(x) __builtin_convertvector((x), uint4)
#define convert_float2(x) __builtin_convertvector((x), float2)
#define convert_float4(x) __builtin_convertvector((x), float4)
#define LW_VLOAD(T, N, AS) \
	LW_FN T##N vload##N(size_t at, const AS T *p) \
	{ \
		T##N v; \
		for (int i = 0; i < N; i++) \
			v[i] = p[at * N + i]; \
		return v; \
	}
#define LW_VSTORE(T, N, AS) \
	LW_FN void vstore##N(T##N v, size_t at, AS T *p) \
	{ \
		for (int i = 0; i < N; i++) \
			p[at * N + i] = v[i]; \
	}
#define LW_VMEM(T, AS) \
	LW_VLOAD(T, 2, AS) LW_VLOAD(T, 3, AS) LW_VLOAD(T, 4, AS) LW_VLOAD(T, 8, AS) \
	LW_VLOAD(T, 16, AS) LW_VSTORE(T, 2, AS) LW_VSTORE(T, 3, AS) LW_VSTORE(T, 4, AS) \
	LW_VSTORE(T, 8, AS) LW_VSTORE(T, 16, AS)
#define LW_VMEMS(T) LW_VMEM(T, __global) LW_VMEM(T, __local) LW_VMEM(T, __private)
LW_VMEMS(int)
LW_VMEMS(uint)
LW_VMEMS(float)
/* half in memory alone, which needs no cl_khr_fp16; rounded to nearest. */
#define LW_HALF_N(N, AS) \
	LW_FN float##N vload_half##N(size_t at, const AS half *p) \
	{ \
		float##N v; \
		for (int i = 0; i < N; i++) \
			v[i] = __builtin_load_halff(p + at * N + i); \
		return v; \
	} \
	LW_FN void vstore_half##N(float##N v, size_t at, AS half *p) \
	{ \
		for (int i = 0; i < N; i++) \
			__builtin_store_halff(v[i], p + at * N + i); \
	} \
	LW_FN void vstore_half##N##_rte(float##N v, size_t at, AS half *p) \
	{ vstore_half##N(v, at, p); }
#define LW_HALF(AS) \
	LW_FN float vload_half(size_t at, const AS half *p) \
	{ return __builtin_load_halff(p + at); } \
	LW_FN void vstore_half(float v, size_t at, AS half *p) \
	{ __builtin_store_halff(v, p + at); } \
	LW_FN void vstore_half_rte(float v, size_t at, AS half *p) { vstore_half(v, at, p); } \
	LW_HALF_N(2, AS) LW_HALF_N(3, AS) LW_HALF_N(4, AS) LW_HALF_N(8, AS) LW_HALF_N(16, AS)
LW_HALF(__global) LW_HALF(__local) LW_HALF(__private)

/* --- atomics -------------------------------------------------------------------------- */

#define LW_ATOMIC(T, AS) \
	LW_FN T atomic_add(volatile AS T *p, T v) \
	{ return __atomic_fetch_add(p, v, __ATOMIC_RELAXED); } \
	LW_FN T atomic_sub(volatile AS T *p, T v) \
	{ return __atomic_fetch_sub(p, v, __ATOMIC_RELAXED); } \
	LW_FN T atomic_inc(volatile AS T *p) { return atomic_add(p, (T)1); } \
	LW_FN T atomic_dec(volatile AS T *p) { return atomic_sub(p, (T)1); } \
	LW_FN T atomic_and(volatile AS T *p, T v) \
	{ return __atomic_fetch_and(p, v, __ATOMIC_RELAXED); } \
	LW_FN T atomic_or(volatile AS T *p, T v) \
	{ return __atomic_fetch_or(p, v, __ATOMIC_RELAXED); } \
	LW_FN T atomic_xor(volatile AS T *p, T v) \
	{ return __atomic_fetch_xor(p, v, __ATOMIC_RELAXED); } \
	LW_FN T atomic_min(volatile AS T *p, T v) \
	{ return __atomic_fetch_min(p, v, __ATOMIC_RELAXED); } \
	LW_FN T atomic_max(volatile AS T *p, T v) \
	{ return __atomic_fetch_max(p, v, __ATOMIC_RELAXED); } \
	LW_FN T atomic_xchg(volatile AS T *p, T v) \
	{ return __atomic_exchange_n(p, v, __ATOMIC_RELAXED); } \
	LW_FN T atomic_cmpxchg(volatile AS T *p, T expected, T v) \
	{ \
		__atomic_compare_exchange_n( \
			p, &expected, v, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED); \
		return expected; \
	}
#define LW_ATOMICS(T) LW_ATOMIC(T, __global) LW_ATOMIC(T, __local)
LW_ATOMICS(int)
LW_ATOMICS(uint)
#define atom_add atomic_add
#define atom_inc atomic_inc

int printf(__constant char *format, ...) __attribute__((format(printf, 1, 2)));
