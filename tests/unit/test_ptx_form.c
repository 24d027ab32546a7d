#include "captured.h"

#include "ptx/form.h"

static struct ptx_form
decode(const char *text)
{
	return form_decode(str_of(text));
}

static void
bar_is_an_aligned_barrier(void **state)
{
	(void)state;
	static const char *const same[] = {"bar.sync", "bar.cta.sync",
		"barrier.sync.aligned", "barrier.cta.sync.aligned"};
	for (size_t i = 0; i < 4; i++) {
		struct ptx_form f = decode(same[i]);
		assert_int_equal(f.op, PTX_BARRIER_SYNC);
		assert_int_equal(f.nature, PTX_N_BARRIER);
		assert_true(PTX_HAS(&f, ALIGNED));
		assert_int_equal(f.odd, 0);
	}
	struct ptx_form f = decode("barrier.sync");
	assert_int_equal(f.op, PTX_BARRIER_SYNC);
	assert_false(PTX_HAS(&f, ALIGNED));
	f = decode("bar.red.popc.u32");
	assert_int_equal(f.op, PTX_BARRIER_RED);
	assert_int_equal(f.sub, PTX_SUB_POPC);
	assert_int_equal(f.type[0], PTX_T_u32);
	assert_int_equal(decode("bar.arrive").op, PTX_BARRIER_ARRIVE);
}

static void
warp_and_cluster_barriers_are_no_cta_barriers(void **state)
{
	(void)state;
	struct ptx_form f = decode("bar.warp.sync");
	assert_int_equal(f.op, PTX_BAR_WARP_SYNC);
	assert_int_equal(f.nature, PTX_N_COLLECTIVE);
	assert_false(PTX_HAS(&f, ALIGNED));
	f = decode("barrier.cluster.arrive.release.aligned");
	assert_int_equal(f.nature, PTX_N_CLUSTER);
	assert_int_equal(f.sem, PTX_SEM_RELEASE);
	assert_true(PTX_HAS(&f, ALIGNED));
	assert_int_equal(decode("barrier.cluster.wait.acquire").op, PTX_CLUSTER_WAIT);
}

static void
words_mean_what_the_operation_makes_of_them(void **state)
{
	(void)state;
	struct ptx_form f = decode("setp.hi.and.u32");
	assert_int_equal(f.cmp, PTX_CMP_HI);
	assert_int_equal(f.sub, PTX_SUB_AND);
	f = decode("mul.hi.u32");
	assert_int_equal(f.cmp, PTX_CMP_NONE);
	assert_true(PTX_HAS(&f, HI));
	f = decode("vote.sync.uni.pred");
	assert_int_equal(f.sub, PTX_SUB_UNI);
	assert_false(PTX_HAS(&f, UNI));
	assert_true(PTX_HAS(&f, SYNC));
	f = decode("bra.uni");
	assert_true(PTX_HAS(&f, UNI));
	f = decode("shfl.sync.bfly.b32");
	assert_int_equal(f.sub, PTX_SUB_BFLY);
	f = decode("setp.leu.f32");
	assert_int_equal(f.cmp, PTX_CMP_LEU);
	f = decode("atom.acq_rel.gpu.global.cas.b64");
	assert_int_equal(f.sub, PTX_SUB_CAS);
	assert_int_equal(f.sem, PTX_SEM_ACQ_REL);
	assert_int_equal(f.scope, PTX_SCOPE_GPU);
	assert_int_equal(f.space, PTX_SPACE_GLOBAL);
}

static void
types_vectors_and_spaces(void **state)
{
	(void)state;
	struct ptx_form f = decode("ld.volatile.shared::cta.v4.f32");
	assert_int_equal(f.op, PTX_LD);
	assert_int_equal(f.vec, 4);
	assert_int_equal(f.space, PTX_SPACE_SHARED);
	assert_int_equal(f.sem, PTX_SEM_VOLATILE);
	f = decode("cvt.rn.f32.s32");
	assert_int_equal(f.round, PTX_ROUND_RN);
	assert_int_equal(f.n_types, 2);
	assert_int_equal(f.type[0], PTX_T_f32);
	assert_int_equal(f.type[1], PTX_T_s32);
	f = decode("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32");
	assert_int_equal(f.n_types, 4);
	assert_int_equal(f.odd, 3);
	f = decode("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes");
	assert_int_equal(f.op, PTX_CP_BULK);
	assert_int_equal(f.space, PTX_SPACE_CLUSTER);
	assert_int_equal(f.space2, PTX_SPACE_GLOBAL);
	assert_int_equal(decode("mov.u32").vec, 1);
	assert_int_equal(ptx_type_bits(PTX_T_f16x2), 32);
	assert_int_equal(ptx_type_class(PTX_T_s64), 's');
}

static void
the_longest_prefix_wins(void **state)
{
	(void)state;
	assert_int_equal(decode("cp.async.bulk.commit_group").op, PTX_CP_BULK_COMMIT);
	assert_int_equal(decode("cp.async.ca.shared.global").op, PTX_CP_ASYNC);
	assert_int_equal(decode("mbarrier.arrive_drop.b64").op, PTX_MBARRIER_ARRIVE_DROP);
	assert_int_equal(decode("tcgen05.wait::ld.sync.aligned").op, PTX_TCGEN05_WAIT);
	assert_int_equal(
		decode("wgmma.mma_async.sync.aligned.m64n8k16").nature, PTX_N_WARPGROUP);
	assert_int_equal(decode("addc.cc.u32").op, PTX_ADDC);
	assert_int_equal(decode("addx.u32").op, PTX_UNKNOWN);
	assert_int_equal(decode("frobnicate").op, PTX_UNKNOWN);
	assert_int_equal(decode("mbarrier").op, PTX_UNKNOWN);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bar_is_an_aligned_barrier),
		cmocka_unit_test(warp_and_cluster_barriers_are_no_cta_barriers),
		cmocka_unit_test(words_mean_what_the_operation_makes_of_them),
		cmocka_unit_test(types_vectors_and_spaces),
		cmocka_unit_test(the_longest_prefix_wins),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
