// Written by tests/unit/test_gate_simtdiff.c from cases.txt.
#define NAMED 0xffffffffu
__device__ __noinline__ void helper1() { __syncthreads(); }
__device__ __noinline__ void helper2() { helper1(); }
__device__ unsigned ballot_all(int p) { return __ballot_sync(0xffffffffu, p); }
__device__ unsigned lanemask_lt()
{
	unsigned m;
	asm("mov.u32 %0, %%lanemask_lt;" : "=r"(m));
	return m;
}

// mask_full_convergent
extern "C" __global__ void case_000(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	r += __ballot_sync(0xffffffffu, odd);
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// mask_shrunk_convergent
extern "C" __global__ void case_001(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	r += __ballot_sync(0x0000ffffu, odd);
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_uniform
extern "C" __global__ void case_002(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	__syncthreads();
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_divergent_intra_warp
extern "C" __global__ void case_003(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (i % 2u == 0u) {
		__syncthreads();
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_divergent_nested
extern "C" __global__ void case_004(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (i % 2u == 0u) {
		if (i % 4u == 0u) {
			__syncthreads();
		}
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_divergent_loop_break
extern "C" __global__ void case_005(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	for (unsigned n0 = 0; n0 < i % 4u; n0++, r++) {
		__syncthreads();
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_in_helper_divergent_call
extern "C" __global__ void case_006(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (i % 2u == 0u) {
		helper1();
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_in_helper_uniform_call
extern "C" __global__ void case_007(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	helper1();
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_guarded_by_lanemask
extern "C" __global__ void case_008(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (lane > 4u) {
		__syncthreads();
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_guarded_by_warp_id
extern "C" __global__ void case_009(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (warp == 0u) {
		__syncthreads();
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// collective_under_divergence
extern "C" __global__ void case_010(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (i % 2u == 0u) {
		r += __ballot_sync(0xffffffffu, odd);
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// mask_from_named_const
extern "C" __global__ void case_011(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	r += __ballot_sync(NAMED, odd);
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// mask_from_active_mask
extern "C" __global__ void case_012(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	r += __ballot_sync(__activemask(), odd);
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// collective_unmasked_wrapper
extern "C" __global__ void case_013(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (i % 2u == 0u) {
		r += ballot_all(odd);
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// mask_full_convergent+nest_guard@0
extern "C" __global__ void case_014(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (i % 4u == 0u) {
		r += __ballot_sync(0xffffffffu, odd);
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// mask_full_convergent+wrap_in_loop@0
extern "C" __global__ void case_015(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	for (unsigned n0 = 0; n0 < i % 4u; n0++, r++) {
		r += __ballot_sync(0xffffffffu, odd);
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// mask_full_convergent+mask_single_lane@0
extern "C" __global__ void case_016(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	r += __ballot_sync(0x00000001u, odd);
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// mask_full_convergent+mask_to_wrapper@0
extern "C" __global__ void case_017(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	r += ballot_all(odd);
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// mask_shrunk_convergent+nest_guard@0
extern "C" __global__ void case_018(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (i % 4u == 0u) {
		r += __ballot_sync(0x0000ffffu, odd);
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// mask_shrunk_convergent+wrap_in_loop@0
extern "C" __global__ void case_019(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	for (unsigned n0 = 0; n0 < i % 4u; n0++, r++) {
		r += __ballot_sync(0x0000ffffu, odd);
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_uniform+nest_guard@0
extern "C" __global__ void case_020(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (i % 4u == 0u) {
		__syncthreads();
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_divergent_intra_warp+invert_guard@0
extern "C" __global__ void case_021(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (!(i % 2u == 0u)) {
		__syncthreads();
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_divergent_intra_warp+negate_cmp@0
extern "C" __global__ void case_022(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (i % 2u != 0u) {
		__syncthreads();
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_divergent_intra_warp+shift_bound@0
extern "C" __global__ void case_023(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (i % 2u == 1u) {
		__syncthreads();
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_divergent_intra_warp+conjoin_lane_env@0
extern "C" __global__ void case_024(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (i % 2u == 0u && warp == 0u) {
		__syncthreads();
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_divergent_intra_warp+truncate_operand@0
extern "C" __global__ void case_025(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if ((unsigned)(unsigned char)i % 2u == 0u) {
		__syncthreads();
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_divergent_intra_warp+to_warp_id@0
extern "C" __global__ void case_026(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (warp % 2u == 0u) {
		__syncthreads();
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_divergent_intra_warp+to_lanemask@0
extern "C" __global__ void case_027(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (lane % 2u == 0u) {
		__syncthreads();
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_divergent_intra_warp+complementary_guard@0
extern "C" __global__ void case_028(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (i % 2u == 0u) {
		__syncthreads();
	}
	if (!(i % 2u == 0u)) {
		__syncthreads();
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_divergent_intra_warp+nest_guard@0
extern "C" __global__ void case_029(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (i % 4u == 0u) {
		if (i % 2u == 0u) {
			__syncthreads();
		}
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_divergent_intra_warp+wrap_in_loop@0
extern "C" __global__ void case_030(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	for (unsigned n0 = 0; n0 < i % 4u; n0++, r++) {
		if (i % 2u == 0u) {
			__syncthreads();
		}
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_divergent_intra_warp+wrap_in_loop@0.0
extern "C" __global__ void case_031(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (i % 2u == 0u) {
		for (unsigned n1 = 0; n1 < i % 4u; n1++, r++) {
			__syncthreads();
		}
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_divergent_intra_warp+add_lane_env_sibling@0.0
extern "C" __global__ void case_032(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (i % 2u == 0u) {
		__syncthreads();
	}
	if (warp == 0u) {
		__syncthreads();
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_divergent_intra_warp+prepend_lane_env_sibling@0.0
extern "C" __global__ void case_033(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (warp == 0u) {
		__syncthreads();
	}
	if (i % 2u == 0u) {
		__syncthreads();
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_divergent_intra_warp+clone_guard_to_end@0.0
extern "C" __global__ void case_034(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (i % 2u == 0u) {
		__syncthreads();
	}
	if (i % 2u == 0u) {
		__syncthreads();
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_divergent_nested+invert_guard@0
extern "C" __global__ void case_035(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (!(i % 2u == 0u)) {
		if (i % 4u == 0u) {
			__syncthreads();
		}
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_divergent_nested+negate_cmp@0
extern "C" __global__ void case_036(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (i % 2u != 0u) {
		if (i % 4u == 0u) {
			__syncthreads();
		}
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_divergent_nested+shift_bound@0
extern "C" __global__ void case_037(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (i % 2u == 1u) {
		if (i % 4u == 0u) {
			__syncthreads();
		}
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_divergent_nested+conjoin_lane_env@0
extern "C" __global__ void case_038(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (i % 2u == 0u && warp == 0u) {
		if (i % 4u == 0u) {
			__syncthreads();
		}
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_divergent_nested+retarget_modulus@0
extern "C" __global__ void case_039(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (i % 4u == 0u) {
		if (i % 4u == 0u) {
			__syncthreads();
		}
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_divergent_nested+truncate_operand@0
extern "C" __global__ void case_040(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if ((unsigned)(unsigned char)i % 2u == 0u) {
		if (i % 4u == 0u) {
			__syncthreads();
		}
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_divergent_nested+to_warp_id@0
extern "C" __global__ void case_041(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (warp % 2u == 0u) {
		if (i % 4u == 0u) {
			__syncthreads();
		}
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_divergent_nested+to_lanemask@0
extern "C" __global__ void case_042(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (lane % 2u == 0u) {
		if (i % 4u == 0u) {
			__syncthreads();
		}
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_divergent_nested+complementary_guard@0
extern "C" __global__ void case_043(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (i % 2u == 0u) {
		if (i % 4u == 0u) {
			__syncthreads();
		}
	}
	if (!(i % 2u == 0u)) {
		if (i % 4u == 0u) {
			__syncthreads();
		}
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_divergent_nested+nest_guard@0
extern "C" __global__ void case_044(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (i % 4u == 0u) {
		if (i % 2u == 0u) {
			if (i % 4u == 0u) {
				__syncthreads();
			}
		}
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_divergent_nested+wrap_in_loop@0
extern "C" __global__ void case_045(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	for (unsigned n0 = 0; n0 < i % 4u; n0++, r++) {
		if (i % 2u == 0u) {
			if (i % 4u == 0u) {
				__syncthreads();
			}
		}
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_divergent_nested+invert_guard@0.0
extern "C" __global__ void case_046(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (i % 2u == 0u) {
		if (!(i % 4u == 0u)) {
			__syncthreads();
		}
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_divergent_nested+negate_cmp@0.0
extern "C" __global__ void case_047(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (i % 2u == 0u) {
		if (i % 4u != 0u) {
			__syncthreads();
		}
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_divergent_nested+shift_bound@0.0
extern "C" __global__ void case_048(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (i % 2u == 0u) {
		if (i % 4u == 1u) {
			__syncthreads();
		}
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_divergent_nested+conjoin_lane_env@0.0
extern "C" __global__ void case_049(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (i % 2u == 0u) {
		if (i % 4u == 0u && warp == 0u) {
			__syncthreads();
		}
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_divergent_nested+retarget_modulus@0.0
extern "C" __global__ void case_050(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (i % 2u == 0u) {
		if (i % 8u == 0u) {
			__syncthreads();
		}
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_divergent_nested+truncate_operand@0.0
extern "C" __global__ void case_051(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (i % 2u == 0u) {
		if ((unsigned)(unsigned char)i % 4u == 0u) {
			__syncthreads();
		}
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_divergent_nested+to_warp_id@0.0
extern "C" __global__ void case_052(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (i % 2u == 0u) {
		if (warp % 4u == 0u) {
			__syncthreads();
		}
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_divergent_nested+to_lanemask@0.0
extern "C" __global__ void case_053(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (i % 2u == 0u) {
		if (lane % 4u == 0u) {
			__syncthreads();
		}
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_divergent_nested+complementary_guard@0.0
extern "C" __global__ void case_054(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (i % 2u == 0u) {
		if (i % 4u == 0u) {
			__syncthreads();
		}
		if (!(i % 4u == 0u)) {
			__syncthreads();
		}
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_divergent_nested+nest_guard@0.0
extern "C" __global__ void case_055(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (i % 2u == 0u) {
		if (i % 4u == 0u) {
			if (i % 4u == 0u) {
				__syncthreads();
			}
		}
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_divergent_nested+wrap_in_loop@0.0
extern "C" __global__ void case_056(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (i % 2u == 0u) {
		for (unsigned n1 = 0; n1 < i % 4u; n1++, r++) {
			if (i % 4u == 0u) {
				__syncthreads();
			}
		}
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_divergent_nested+wrap_in_loop@0.0.0
extern "C" __global__ void case_057(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (i % 2u == 0u) {
		if (i % 4u == 0u) {
			for (unsigned n2 = 0; n2 < i % 4u; n2++, r++) {
				__syncthreads();
			}
		}
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_divergent_nested+add_lane_env_sibling@0.0.0
extern "C" __global__ void case_058(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (i % 2u == 0u) {
		if (i % 4u == 0u) {
			__syncthreads();
		}
		if (warp == 0u) {
			__syncthreads();
		}
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_divergent_nested+prepend_lane_env_sibling@0.0.0
extern "C" __global__ void case_059(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (i % 2u == 0u) {
		if (warp == 0u) {
			__syncthreads();
		}
		if (i % 4u == 0u) {
			__syncthreads();
		}
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_divergent_nested+hoist_into_helper@0.0.0
extern "C" __global__ void case_060(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (i % 2u == 0u) {
		if (i % 4u == 0u) {
			helper1();
		}
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_divergent_loop_break+retarget_modulus_bound@0
extern "C" __global__ void case_061(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	for (unsigned n0 = 0; n0 < i % 8u; n0++, r++) {
		__syncthreads();
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_divergent_loop_break+truncate_operand_bound@0
extern "C" __global__ void case_062(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	for (unsigned n0 = 0; n0 < (unsigned)(unsigned char)i % 4u; n0++, r++) {
		__syncthreads();
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_divergent_loop_break+to_warp_id_bound@0
extern "C" __global__ void case_063(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	for (unsigned n0 = 0; n0 < warp % 4u; n0++, r++) {
		__syncthreads();
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_divergent_loop_break+to_lanemask_bound@0
extern "C" __global__ void case_064(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	for (unsigned n0 = 0; n0 < lane % 4u; n0++, r++) {
		__syncthreads();
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_divergent_loop_break+uniform_bound@0
extern "C" __global__ void case_065(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	for (unsigned n0 = 0; n0 < 2u; n0++, r++) {
		__syncthreads();
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_divergent_loop_break+nest_guard@0
extern "C" __global__ void case_066(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (i % 4u == 0u) {
		for (unsigned n1 = 0; n1 < i % 4u; n1++, r++) {
			__syncthreads();
		}
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_divergent_loop_break+wrap_in_loop@0
extern "C" __global__ void case_067(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	for (unsigned n0 = 0; n0 < i % 4u; n0++, r++) {
		for (unsigned n1 = 0; n1 < i % 4u; n1++, r++) {
			__syncthreads();
		}
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_divergent_loop_break+nest_guard@0.0
extern "C" __global__ void case_068(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	for (unsigned n0 = 0; n0 < i % 4u; n0++, r++) {
		if (i % 4u == 0u) {
			__syncthreads();
		}
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_divergent_loop_break+add_lane_env_sibling@0.0
extern "C" __global__ void case_069(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	for (unsigned n0 = 0; n0 < i % 4u; n0++, r++) {
		__syncthreads();
	}
	if (warp == 0u) {
		__syncthreads();
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_divergent_loop_break+prepend_lane_env_sibling@0.0
extern "C" __global__ void case_070(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (warp == 0u) {
		__syncthreads();
	}
	for (unsigned n2 = 0; n2 < i % 4u; n2++, r++) {
		__syncthreads();
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_divergent_loop_break+hoist_into_helper@0.0
extern "C" __global__ void case_071(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	for (unsigned n0 = 0; n0 < i % 4u; n0++, r++) {
		helper1();
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_in_helper_divergent_call+invert_guard@0
extern "C" __global__ void case_072(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (!(i % 2u == 0u)) {
		helper1();
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_in_helper_divergent_call+negate_cmp@0
extern "C" __global__ void case_073(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (i % 2u != 0u) {
		helper1();
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_in_helper_divergent_call+shift_bound@0
extern "C" __global__ void case_074(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (i % 2u == 1u) {
		helper1();
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_in_helper_divergent_call+conjoin_lane_env@0
extern "C" __global__ void case_075(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (i % 2u == 0u && warp == 0u) {
		helper1();
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_in_helper_divergent_call+retarget_modulus@0
extern "C" __global__ void case_076(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (i % 4u == 0u) {
		helper1();
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_in_helper_divergent_call+truncate_operand@0
extern "C" __global__ void case_077(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if ((unsigned)(unsigned char)i % 2u == 0u) {
		helper1();
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_in_helper_divergent_call+to_warp_id@0
extern "C" __global__ void case_078(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (warp % 2u == 0u) {
		helper1();
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_in_helper_divergent_call+to_lanemask@0
extern "C" __global__ void case_079(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (lane % 2u == 0u) {
		helper1();
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_in_helper_divergent_call+complementary_guard@0
extern "C" __global__ void case_080(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (i % 2u == 0u) {
		helper1();
	}
	if (!(i % 2u == 0u)) {
		helper1();
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_in_helper_divergent_call+nest_guard@0
extern "C" __global__ void case_081(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (i % 4u == 0u) {
		if (i % 2u == 0u) {
			helper1();
		}
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_in_helper_divergent_call+wrap_in_loop@0
extern "C" __global__ void case_082(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	for (unsigned n0 = 0; n0 < i % 4u; n0++, r++) {
		if (i % 2u == 0u) {
			helper1();
		}
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_in_helper_divergent_call+wrap_in_loop@0.0
extern "C" __global__ void case_083(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (i % 2u == 0u) {
		for (unsigned n1 = 0; n1 < i % 4u; n1++, r++) {
			helper1();
		}
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_in_helper_divergent_call+add_lane_env_sibling@0.0
extern "C" __global__ void case_084(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (i % 2u == 0u) {
		helper1();
	}
	if (warp == 0u) {
		__syncthreads();
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_in_helper_divergent_call+prepend_lane_env_sibling@0.0
extern "C" __global__ void case_085(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (warp == 0u) {
		__syncthreads();
	}
	if (i % 2u == 0u) {
		helper1();
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_in_helper_divergent_call+clone_guard_to_end@0.0
extern "C" __global__ void case_086(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (i % 2u == 0u) {
		helper1();
	}
	if (i % 2u == 0u) {
		helper1();
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_in_helper_divergent_call+deepen_helper
extern "C" __global__ void case_087(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (i % 2u == 0u) {
		helper2();
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_in_helper_uniform_call+deepen_helper
extern "C" __global__ void case_088(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	helper2();
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_guarded_by_lanemask+invert_guard@0
extern "C" __global__ void case_089(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (!(lane > 4u)) {
		__syncthreads();
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_guarded_by_lanemask+negate_cmp@0
extern "C" __global__ void case_090(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (lane <= 4u) {
		__syncthreads();
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_guarded_by_lanemask+shift_bound@0
extern "C" __global__ void case_091(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (lane > 5u) {
		__syncthreads();
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_guarded_by_lanemask+truncate_operand@0
extern "C" __global__ void case_092(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if ((unsigned)(unsigned char)lane > 4u) {
		__syncthreads();
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_guarded_by_lanemask+complementary_guard@0
extern "C" __global__ void case_093(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (lane > 4u) {
		__syncthreads();
	}
	if (!(lane > 4u)) {
		__syncthreads();
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_guarded_by_lanemask+nest_guard@0
extern "C" __global__ void case_094(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (i % 4u == 0u) {
		if (lane > 4u) {
			__syncthreads();
		}
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_guarded_by_lanemask+wrap_in_loop@0
extern "C" __global__ void case_095(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	for (unsigned n0 = 0; n0 < i % 4u; n0++, r++) {
		if (lane > 4u) {
			__syncthreads();
		}
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_guarded_by_lanemask+nest_guard@0.0
extern "C" __global__ void case_096(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (lane > 4u) {
		if (i % 4u == 0u) {
			__syncthreads();
		}
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_guarded_by_lanemask+wrap_in_loop@0.0
extern "C" __global__ void case_097(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (lane > 4u) {
		for (unsigned n1 = 0; n1 < i % 4u; n1++, r++) {
			__syncthreads();
		}
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_guarded_by_lanemask+add_lane_env_sibling@0.0
extern "C" __global__ void case_098(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (lane > 4u) {
		__syncthreads();
	}
	if (warp == 0u) {
		__syncthreads();
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_guarded_by_lanemask+prepend_lane_env_sibling@0.0
extern "C" __global__ void case_099(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (warp == 0u) {
		__syncthreads();
	}
	if (lane > 4u) {
		__syncthreads();
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_guarded_by_lanemask+clone_guard_to_end@0.0
extern "C" __global__ void case_100(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (lane > 4u) {
		__syncthreads();
	}
	if (lane > 4u) {
		__syncthreads();
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_guarded_by_lanemask+hoist_into_helper@0.0
extern "C" __global__ void case_101(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (lane > 4u) {
		helper1();
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_guarded_by_warp_id+invert_guard@0
extern "C" __global__ void case_102(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (!(warp == 0u)) {
		__syncthreads();
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_guarded_by_warp_id+negate_cmp@0
extern "C" __global__ void case_103(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (warp != 0u) {
		__syncthreads();
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_guarded_by_warp_id+shift_bound@0
extern "C" __global__ void case_104(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (warp == 1u) {
		__syncthreads();
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_guarded_by_warp_id+truncate_operand@0
extern "C" __global__ void case_105(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if ((unsigned)(unsigned char)warp == 0u) {
		__syncthreads();
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_guarded_by_warp_id+complementary_guard@0
extern "C" __global__ void case_106(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (warp == 0u) {
		__syncthreads();
	}
	if (!(warp == 0u)) {
		__syncthreads();
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_guarded_by_warp_id+nest_guard@0
extern "C" __global__ void case_107(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (i % 4u == 0u) {
		if (warp == 0u) {
			__syncthreads();
		}
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_guarded_by_warp_id+wrap_in_loop@0
extern "C" __global__ void case_108(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	for (unsigned n0 = 0; n0 < i % 4u; n0++, r++) {
		if (warp == 0u) {
			__syncthreads();
		}
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_guarded_by_warp_id+nest_guard@0.0
extern "C" __global__ void case_109(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (warp == 0u) {
		if (i % 4u == 0u) {
			__syncthreads();
		}
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_guarded_by_warp_id+wrap_in_loop@0.0
extern "C" __global__ void case_110(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (warp == 0u) {
		for (unsigned n1 = 0; n1 < i % 4u; n1++, r++) {
			__syncthreads();
		}
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_guarded_by_warp_id+add_lane_env_sibling@0.0
extern "C" __global__ void case_111(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (warp == 0u) {
		__syncthreads();
	}
	if (warp == 0u) {
		__syncthreads();
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// barrier_guarded_by_warp_id+hoist_into_helper@0.0
extern "C" __global__ void case_112(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (warp == 0u) {
		helper1();
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// collective_under_divergence+invert_guard@0
extern "C" __global__ void case_113(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (!(i % 2u == 0u)) {
		r += __ballot_sync(0xffffffffu, odd);
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// collective_under_divergence+negate_cmp@0
extern "C" __global__ void case_114(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (i % 2u != 0u) {
		r += __ballot_sync(0xffffffffu, odd);
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// collective_under_divergence+shift_bound@0
extern "C" __global__ void case_115(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (i % 2u == 1u) {
		r += __ballot_sync(0xffffffffu, odd);
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// collective_under_divergence+conjoin_lane_env@0
extern "C" __global__ void case_116(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (i % 2u == 0u && warp == 0u) {
		r += __ballot_sync(0xffffffffu, odd);
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// collective_under_divergence+truncate_operand@0
extern "C" __global__ void case_117(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if ((unsigned)(unsigned char)i % 2u == 0u) {
		r += __ballot_sync(0xffffffffu, odd);
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// collective_under_divergence+to_warp_id@0
extern "C" __global__ void case_118(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (warp % 2u == 0u) {
		r += __ballot_sync(0xffffffffu, odd);
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// collective_under_divergence+to_lanemask@0
extern "C" __global__ void case_119(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (lane % 2u == 0u) {
		r += __ballot_sync(0xffffffffu, odd);
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// collective_under_divergence+complementary_guard@0
extern "C" __global__ void case_120(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (i % 2u == 0u) {
		r += __ballot_sync(0xffffffffu, odd);
	}
	if (!(i % 2u == 0u)) {
		r += __ballot_sync(0xffffffffu, odd);
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// collective_under_divergence+nest_guard@0
extern "C" __global__ void case_121(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (i % 4u == 0u) {
		if (i % 2u == 0u) {
			r += __ballot_sync(0xffffffffu, odd);
		}
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// collective_under_divergence+wrap_in_loop@0
extern "C" __global__ void case_122(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	for (unsigned n0 = 0; n0 < i % 4u; n0++, r++) {
		if (i % 2u == 0u) {
			r += __ballot_sync(0xffffffffu, odd);
		}
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// collective_under_divergence+nest_guard@0.0
extern "C" __global__ void case_123(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (i % 2u == 0u) {
		if (i % 4u == 0u) {
			r += __ballot_sync(0xffffffffu, odd);
		}
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// collective_under_divergence+wrap_in_loop@0.0
extern "C" __global__ void case_124(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (i % 2u == 0u) {
		for (unsigned n1 = 0; n1 < i % 4u; n1++, r++) {
			r += __ballot_sync(0xffffffffu, odd);
		}
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// collective_under_divergence+mask_shrink@0.0
extern "C" __global__ void case_125(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (i % 2u == 0u) {
		r += __ballot_sync(0x0000ffffu, odd);
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// collective_under_divergence+mask_single_lane@0.0
extern "C" __global__ void case_126(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (i % 2u == 0u) {
		r += __ballot_sync(0x00000001u, odd);
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// collective_under_divergence+mask_to_named_const@0.0
extern "C" __global__ void case_127(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (i % 2u == 0u) {
		r += __ballot_sync(NAMED, odd);
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// collective_under_divergence+mask_to_active_mask@0.0
extern "C" __global__ void case_128(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (i % 2u == 0u) {
		r += __ballot_sync(__activemask(), odd);
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// collective_under_divergence+mask_match_participants@0.0
extern "C" __global__ void case_129(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (i % 2u == 0u) {
		r += __ballot_sync(0x55555555u, odd);
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// mask_from_named_const+nest_guard@0
extern "C" __global__ void case_130(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (i % 4u == 0u) {
		r += __ballot_sync(NAMED, odd);
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// mask_from_named_const+wrap_in_loop@0
extern "C" __global__ void case_131(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	for (unsigned n0 = 0; n0 < i % 4u; n0++, r++) {
		r += __ballot_sync(NAMED, odd);
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// mask_from_active_mask+nest_guard@0
extern "C" __global__ void case_132(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (i % 4u == 0u) {
		r += __ballot_sync(__activemask(), odd);
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// mask_from_active_mask+wrap_in_loop@0
extern "C" __global__ void case_133(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	for (unsigned n0 = 0; n0 < i % 4u; n0++, r++) {
		r += __ballot_sync(__activemask(), odd);
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// collective_unmasked_wrapper+invert_guard@0
extern "C" __global__ void case_134(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (!(i % 2u == 0u)) {
		r += ballot_all(odd);
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// collective_unmasked_wrapper+negate_cmp@0
extern "C" __global__ void case_135(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (i % 2u != 0u) {
		r += ballot_all(odd);
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// collective_unmasked_wrapper+shift_bound@0
extern "C" __global__ void case_136(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (i % 2u == 1u) {
		r += ballot_all(odd);
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// collective_unmasked_wrapper+conjoin_lane_env@0
extern "C" __global__ void case_137(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (i % 2u == 0u && warp == 0u) {
		r += ballot_all(odd);
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// collective_unmasked_wrapper+retarget_modulus@0
extern "C" __global__ void case_138(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (i % 4u == 0u) {
		r += ballot_all(odd);
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// collective_unmasked_wrapper+truncate_operand@0
extern "C" __global__ void case_139(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if ((unsigned)(unsigned char)i % 2u == 0u) {
		r += ballot_all(odd);
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// collective_unmasked_wrapper+to_warp_id@0
extern "C" __global__ void case_140(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (warp % 2u == 0u) {
		r += ballot_all(odd);
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// collective_unmasked_wrapper+to_lanemask@0
extern "C" __global__ void case_141(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (lane % 2u == 0u) {
		r += ballot_all(odd);
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// collective_unmasked_wrapper+complementary_guard@0
extern "C" __global__ void case_142(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (i % 2u == 0u) {
		r += ballot_all(odd);
	}
	if (!(i % 2u == 0u)) {
		r += ballot_all(odd);
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// collective_unmasked_wrapper+nest_guard@0
extern "C" __global__ void case_143(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (i % 4u == 0u) {
		if (i % 2u == 0u) {
			r += ballot_all(odd);
		}
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// collective_unmasked_wrapper+wrap_in_loop@0
extern "C" __global__ void case_144(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	for (unsigned n0 = 0; n0 < i % 4u; n0++, r++) {
		if (i % 2u == 0u) {
			r += ballot_all(odd);
		}
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// collective_unmasked_wrapper+nest_guard@0.0
extern "C" __global__ void case_145(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (i % 2u == 0u) {
		if (i % 4u == 0u) {
			r += ballot_all(odd);
		}
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}

// collective_unmasked_wrapper+wrap_in_loop@0.0
extern "C" __global__ void case_146(unsigned *out)
{
	unsigned i = threadIdx.x, warp = i / 32, r = 1;
	unsigned lane = __popc(lanemask_lt()), odd = i & 1;
	if (i % 2u == 0u) {
		for (unsigned n1 = 0; n1 < i % 4u; n1++, r++) {
			r += ballot_all(odd);
		}
	}
	out[i] = r + (warp + lane + odd) * 0x10000u;
}
