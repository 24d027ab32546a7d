/* What of CUDA's headers sgemm.cu needs, for a clang without CUDA. */
#define __global__    __attribute__((global))
#define __device__    __attribute__((device))
#define __shared__    __attribute__((shared))
#define threadIdx     (lanewise_index{__nvvm_read_ptx_sreg_tid_x(), 0})
#define blockIdx      (lanewise_index{__nvvm_read_ptx_sreg_ctaid_x(), \
			__nvvm_read_ptx_sreg_ctaid_y()})

struct lanewise_index {
	int x, y;
};
