/* What the OpenCL C of these kernels needs, for nvptx64 without libclc:
 *	clang -x cl -cl-std=CL2.0 -cl-no-stdinc -target nvptx64-nvidia-cuda -nogpulib \
 *		-Xclang -target-cpu -Xclang sm_80 -include nvptx.h -O3 -S k.cl */
typedef unsigned int uint;
typedef __SIZE_TYPE__ size_t;
#define CLK_LOCAL_MEM_FENCE 1
#define INLINE              static inline __attribute__((always_inline))
#define SREG(name) \
	d == 0   ? __nvvm_read_ptx_sreg_##name##_x() \
	: d == 1 ? __nvvm_read_ptx_sreg_##name##_y() \
		 : __nvvm_read_ptx_sreg_##name##_z()
INLINE size_t
get_local_id(uint d)
{
	return SREG(tid);
}
INLINE size_t
get_group_id(uint d)
{
	return SREG(ctaid);
}
INLINE size_t
get_local_size(uint d)
{
	return SREG(ntid);
}
INLINE size_t
get_num_groups(uint d)
{
	return SREG(nctaid);
}
INLINE uint
min(uint a, uint b)
{
	return a < b ? a : b;
}
INLINE int
atomic_add(volatile __attribute__((opencl_generic)) int *p, int v)
{
	return __nvvm_atom_add_gen_i((__attribute__((opencl_generic)) int *)p, v);
}
/* A macro, since clang 14 does not say where a function was inlined; the empty assembly
 * keeps it from moving a load of local memory up. */
#define barrier(fence) \
	({ \
		(void)(fence); \
		__asm__ volatile("" ::: "memory"); \
		__syncthreads(); \
		__asm__ volatile("" ::: "memory"); \
	})
