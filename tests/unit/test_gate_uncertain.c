/* What lanes may have met by the way makes nothing that follows certain. */
#include "unit/small_kernel.h"

/* Warps 2 and 3 may each have met the others at the barrier: nobody surely waits. */
static void
test_barrier_by_the_way(void **state)
{
	struct arena *a = *state;
	const struct gate_kernel *k = kernel(a,
		"ld.global.u32 %r4, [%rd2];\nsetp.eq.s32 %p1, %r4, %r3;\n"
		"setp.lt.u32 %p2, %r3, 64;\n@%p2 bra BAR;\n@!%p1 bra END;\nbar.sync 0;\n"
		"bra END;\nBAR:\nbar.sync 0;\nEND:\n");

	assert_int_equal(check(a, k, shape(128, 1), NULL, 0).kind, VERDICT_CAVEAT);
}

static void
test_lanes_by_the_way(void **state)
{
	struct arena *a = *state;
	const struct gate_kernel *k =
		kernel(a, "ld.global.u32 %r4, [%rd2];\nsetp.eq.s32 %p1, %r4, %r3;\n"
			  "setp.lt.u32 %p2, %r3, 16;\n@%p2 bra ONE;\n@!%p1 bra END;\n"
			  "bar.warp.sync 0xffffffff;\nbra END;\nONE:\n"
			  "bar.warp.sync 0xffffffff;\nEND:\n bar.sync 0;");

	assert_int_equal(check(a, k, shape(32, 1), NULL, 0).kind, VERDICT_CAVEAT);
}

/* The function that warp 1 calls may be the one with the barrier. */
static void
test_call_by_the_way(void **state)
{
	struct arena *a = *state;
	const struct gate_kernel *k = kernel(a,
		"ld.global.u64 %rd3, [%rd1];\nsetp.lt.u32 %p2, %r3, 32;\n@%p2 bra BAR;\n"
		"{\n.param .b32 x;\nst.param.b32 [x], %r3;\n"
		"P: .callprototype _ (.param .b32 _);\ncall %rd3, (x), P;\n}\nbra END;\n"
		"BAR:\nbar.sync 0;\nEND:\n");

	assert_int_equal(check(a, k, shape(64, 1), NULL, 0).kind, VERDICT_CAVEAT);
}

/* A barrier whose number is not known may be the one that others wait at. */
static void
test_number_by_the_way(void **state)
{
	struct arena *a = *state;
	const struct gate_kernel *k = kernel(a,
		"ld.global.u32 %r4, [%rd1];\nsetp.lt.u32 %p2, %r3, 32;\n@%p2 bra BAR;\n"
		"barrier.sync %r4, 64;\nbra END;\nBAR:\nbarrier.sync 1, 64;\nEND:\n");

	assert_int_equal(check(a, k, shape(64, 1), NULL, 0).kind, VERDICT_CAVEAT);
}

/* Part of a warp arrives at a barrier that never completes, and all lanes go on. */
static void
test_partial_arrival(void **state)
{
	struct arena *a = *state;
	const struct gate_kernel *k =
		kernel(a, "bar.arrive 1, 32;\nsetp.lt.u32 %p1, %r3, 8;\n@!%p1 bra END;\n"
			  "bar.arrive 1, 128;\nEND:\nbar.arrive 2, 32;");

	assert_int_equal(check(a, k, shape(64, 1), NULL, 0).kind, VERDICT_REFUSED);
}

/* Warp 1 completes barrier 1 by itself, perhaps while the others wait at it. */
static void
test_alone_then_together(void **state)
{
	struct arena *a = *state;
	static const char loop[] =
		"shr.u32 %r4, %r3, 5;\nsetp.ne.s32 %p1, %r4, 1;\nmov.u32 %r5, 0;\n"
		"HEAD:\nbar.sync 0;\n@%p1 bra NEXT;\nbar.arrive 1, 32;\nNEXT:\n"
		"add.s32 %r5, %r5, 1;\nsetp.lt.s32 %p2, %r5, 2;\n@%p2 bra HEAD;\n";
	const struct gate_kernel *race =
		kernel(a, str_c(a, str_fmt(a, "%sbar.sync 1, 128;", loop)));
	const struct gate_kernel *order =
		kernel(a, str_c(a, str_fmt(a, "%sbar.sync 0;\nbar.sync 1, 128;", loop)));

	struct verdict v = check(a, race, shape(128, 1), NULL, 0);
	assert_int_equal(v.kind, VERDICT_REFUSED);
	assert_true(str_is(v.findings[0].rule, "LW015"));
	assert_int_equal(check(a, order, shape(128, 1), NULL, 0).kind, VERDICT_CLEAN);
}

/* The loop's way out leads to no barrier, the one out of its middle does. */
static void
test_loop_left_in_the_middle(void **state)
{
	struct arena *a = *state;
	const struct gate_kernel *k = kernel(a,
		"and.b32 %r4, %r3, 1;\nmov.u32 %r5, 0;\nOUTER:\n"
		"setp.ge.s32 %p1, %r5, 3;\n@%p1 bra DONE;\nbar.sync 0;\n"
		"mov.u32 %r6, 0;\nINNER:\nsetp.ge.s32 %p2, %r6, %r4;\n@%p2 bra NEXT;\n"
		"setp.eq.s32 %p3, %r6, 9;\n@!%p3 bra MORE;\nbar.sync 0;\nbra RET;\n"
		"MORE:\nadd.s32 %r6, %r6, 1;\nbra INNER;\nNEXT:\n"
		"add.s32 %r5, %r5, 1;\nbra OUTER;\nDONE:\n"
		"st.global.u32 [%rd1], %r5;\nRET:");

	assert_int_equal(check(a, k, shape(96, 3), NULL, 0).kind, VERDICT_CLEAN);
}

/* With arguments 3 and 1 all threads have returned: the hazard is not there for all. */
static void
test_some_worlds_end(void **state)
{
	struct arena *a = *state;
	const struct gate_kernel *k = kernel(a,
		"setp.ne.s32 %p1, %r2, 1;\n@%p1 bra L1;\nsetp.lt.s32 %p2, %r1, 1;\n"
		"@!%p2 ret;\nL1:\nsetp.lt.u32 %p3, %r3, 16;\n@!%p3 bra END;\n"
		"bar.warp.sync 0xffffffff;\nEND:\n st.global.u32 [%rd1], %r3;");
	struct given g[2] = {{1, 3}, {2, 1}};

	assert_int_equal(check(a, k, shape(64, 1), g, 2).kind, VERDICT_CLEAN);
	assert_int_equal(check(a, k, shape(64, 1), NULL, 0).kind, VERDICT_CAVEAT);
	g[0].value = 0;
	assert_int_equal(check(a, k, shape(64, 1), g, 2).kind, VERDICT_REFUSED);
}

/* A trap that is known to happen ends the launch: no barrier is missed. */
static void
test_trap(void **state)
{
	struct arena *a = *state;
	const struct gate_kernel *k =
		kernel(a, "setp.eq.s32 %p1, %r1, 0;\n@!%p1 bra GO;\ntrap;\nGO:\n"
			  "setp.lt.u32 %p2, %r3, 32;\n@!%p2 bra END;\nbar.sync 0;\nEND:\n"
			  "bar.sync 0;");
	struct given g = {1, 0};
	struct verdict v = check(a, k, shape(64, 1), &g, 1);

	assert_int_equal(v.kind, VERDICT_CAVEAT);
	assert_true(says(a, &v, "can only trap"));
	expect(a, k, shape(64, 1), 1, 1, VERDICT_REFUSED);
	expect(a, k, shape(32, 1), 1, 1, VERDICT_CLEAN);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_barrier_by_the_way),
		cmocka_unit_test(test_lanes_by_the_way),
		cmocka_unit_test(test_call_by_the_way),
		cmocka_unit_test(test_number_by_the_way),
		cmocka_unit_test(test_partial_arrival),
		cmocka_unit_test(test_alone_then_together),
		cmocka_unit_test(test_loop_left_in_the_middle),
		cmocka_unit_test(test_some_worlds_end),
		cmocka_unit_test(test_trap),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
