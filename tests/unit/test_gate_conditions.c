/*
 * A caveat says for which arguments it is what, and a launch with such an argument
 * agrees; what lanes may have met by the way makes nothing that follows certain.
 */
#include "base/arena.h"
#include "base/diag.h"
#include "base/fs.h"
#include "gate/gate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { ARGS_MAX = 32 };

static int
setup(void **state)
{
	static struct arena a;

	a = (struct arena){0};
	*state = &a;
	return 0;
}

static int
teardown(void **state)
{
	arena_release(*state);
	return 0;
}

static struct gate_kernel *
prepare(struct arena *a, const char *path, struct str text, struct str entry)
{
	struct diag d = {0};
	struct str why = {0};
	struct source *src = arena_new(a, struct source);

	*src = (struct source){path, text};
	const struct ptx_module *m = ptx_parse(a, src, &d);
	assert_non_null(m);
	struct gate_kernel *k = gate_prepare(a, m, entry, &why);
	assert_non_null(k);
	return k;
}

static struct gate_kernel *
kernel(struct arena *a, const char *body)
{
	return prepare(a, "k.ptx",
		str_fmt(a,
			".version 9.0\n.target sm_90a\n.address_size 64\n"
			".func other(.param .u32 x) { bar.sync 0; ret; }\n"
			".visible .entry k(.param .u64 k_param_0, .param .u32 k_param_1, "
			".param .u32 k_param_2)\n"
			"{\n.reg .pred %%p<10>;\n.reg .b32 %%r<20>;\n"
			".reg .b64 %%rd<10>;\nld.param.u64 %%rd1, [k_param_0];\n"
			"ld.param.u32 %%r1, [k_param_1];\n"
			"ld.param.u32 %%r2, [k_param_2];\nmov.u32 %%r3, %%tid.x;\n"
			"mul.wide.u32 %%rd2, %%r3, 4;\nadd.s64 %%rd2, %%rd1, %%rd2;\n"
			"%s\nret;\n}\n",
			body),
		STR_LIT("k"));
}

struct given {
	uint32_t at, value;
};

static struct verdict
check(struct arena *a, const struct gate_kernel *k, struct launch l,
	const struct given *given, size_t n)
{
	struct gate_arg *args = arena_news(a, ARGS_MAX, struct gate_arg);
	struct gate_query q = {.launch = l, .args = args, .n_args = ARGS_MAX};

	for (size_t i = 0; i < n; i++) {
		unsigned char *p = arena_alloc(a, 4);

		for (int j = 0; j < 4; j++)
			p[j] = (unsigned char)(given[i].value >> (8 * j));
		args[given[i].at] = (struct gate_arg){GATE_ARG_BYTES, p, 4};
	}
	return gate_check(a, k, &q);
}

static struct launch
shape(uint32_t block, uint32_t grid)
{
	return (struct launch){
		.block = {block, 1, 1}, .grid = {grid, 1, 1}, .cluster = {1, 1, 1}};
}

static bool
says(struct arena *a, const struct verdict *v, const char *text)
{
	for (size_t i = 0; i < v->n_findings; i++)
		if (strstr(str_c(a, v->findings[i].message), text))
			return true;
	return false;
}

static void
expect(struct arena *a, const struct gate_kernel *k, struct launch l, uint32_t at,
	uint32_t value, enum verdict_kind kind)
{
	struct given g = {at, value};
	struct verdict v = check(a, k, l, &g, 1);

	if (v.kind != kind)
		fail_msg("argument %u = %u: %s", (unsigned)at, (unsigned)value,
			verdict_name(v.kind));
}

/* ---- conditions ---- */

static void
test_path(void **state)
{
	struct arena *a = *state;
	const struct gate_kernel *k = kernel(a,
		"setp.gt.s32 %p1, %r1, 960;\n@!%p1 bra END;\nsetp.lt.u32 %p2, %r3, 32;\n"
		"@!%p2 bra END;\nbar.sync 0;\nEND:\n bar.sync 0;");
	struct verdict v = check(a, k, shape(64, 4), NULL, 0);

	assert_int_equal(v.kind, VERDICT_CAVEAT);
	assert_true(says(a, &v, "refused if argument 1 > 960"));
	expect(a, k, shape(64, 4), 1, 960, VERDICT_CLEAN);
	expect(a, k, shape(64, 4), 1, 961, VERDICT_REFUSED);
	expect(a, k, shape(64, 4), 1, 0xffffffff, VERDICT_CLEAN);
}

static void
test_unsigned_path(void **state)
{
	struct arena *a = *state;
	const struct gate_kernel *k = kernel(a,
		"setp.lt.u32 %p1, %r1, 8;\n@%p1 bra END;\nsetp.ne.s32 %p2, %r2, 3;\n"
		"@%p2 bra END;\nsetp.lt.u32 %p2, %r3, 16;\n@!%p2 bra END;\n"
		"bar.sync 0;\nEND:\n bar.sync 0;");
	struct verdict v = check(a, k, shape(64, 1), NULL, 0);
	struct given g[2] = {{1, 0xffffffff}, {2, 3}};

	assert_int_equal(v.kind, VERDICT_CAVEAT);
	assert_true(
		says(a, &v, "refused if argument 1 > 7 as unsigned and argument 2 == 3"));
	assert_int_equal(check(a, k, shape(64, 1), g, 2).kind, VERDICT_REFUSED);
	g[0].value = 7;
	assert_int_equal(check(a, k, shape(64, 1), g, 2).kind, VERDICT_CLEAN);
}

/* for (i = tid; i < n; i += 64) { barrier } */
static const char stride_loop[] =
	"HEAD:\nsetp.ge.s32 %p1, %r3, %r1;\n@%p1 bra END;\nbar.sync 0;\n"
	"add.s32 %r3, %r3, 64;\nbra HEAD;\nEND:\n";

static void
test_period(void **state)
{
	struct arena *a = *state;
	const struct gate_kernel *k = kernel(a, stride_loop);
	struct verdict v = check(a, k, shape(64, 4), NULL, 0);

	assert_int_equal(v.kind, VERDICT_CAVEAT);
	assert_true(says(a, &v,
		"with argument 1 in 0..512: clean iff argument 1 % 64 == 0, "
		"refused otherwise"));
	for (uint32_t n = 0; n <= 512; n += 32)
		expect(a, k, shape(64, 4), 1, n,
			n % 64 ? VERDICT_REFUSED : VERDICT_CLEAN);
}

/* if (i >= n) return; barrier */
static void
test_ranges(void **state)
{
	struct arena *a = *state;
	const struct gate_kernel *k =
		kernel(a, "mov.u32 %r4, %ctaid.x;\nmad.lo.s32 %r4, %r4, 64, %r3;\n"
			  "setp.ge.s32 %p1, %r4, %r1;\n@%p1 ret;\nbar.sync 0;");
	struct verdict v = check(a, k, shape(64, 2), NULL, 0);

	assert_int_equal(v.kind, VERDICT_CAVEAT);
	assert_true(says(a, &v,
		"with argument 1 in 0..256: clean for 0, 64, 128..256, "
		"refused otherwise"));
	expect(a, k, shape(64, 2), 1, 64, VERDICT_CLEAN);
	expect(a, k, shape(64, 2), 1, 65, VERDICT_REFUSED);
	expect(a, k, shape(64, 2), 1, 129, VERDICT_CLEAN);
}

/* Data decide: no value of an argument does, and none is named. */
static void
test_no_condition(void **state)
{
	struct arena *a = *state;
	const struct gate_kernel *k = kernel(a,
		"ld.global.u32 %r4, [%rd2];\nsetp.lt.s32 %p1, %r4, %r1;\n@!%p1 bra END;\n"
		"bar.sync 0;\nEND:\n");
	struct verdict v = check(a, k, shape(64, 2), NULL, 0);

	assert_int_equal(v.kind, VERDICT_CAVEAT);
	assert_false(says(a, &v, "with argument"));
	assert_false(says(a, &v, "refused if"));
}

/* ---- every caveat of the labelled kernels ---- */

/* "argument 2 == 7" at the start of text; what follows is left in it. */
static bool
read_equal(struct str *text, struct given *g)
{
	struct str t = *text;
	uint64_t n[2];

	for (int i = 0; i < 2; i++) {
		const char *lead = i ? " == " : "argument ";
		size_t end;

		if (!str_starts(t, lead))
			return false;
		t = str_sub(t, strlen(lead), t.n);
		for (end = 0; end < t.n && t.s[end] >= '0' && t.s[end] <= '9';)
			end++;
		if (!str_to_u64(str_sub(t, 0, end), &n[i]))
			return false;
		t = str_sub(t, end, t.n);
	}
	*g = (struct given){(uint32_t)n[0], (uint32_t)n[1]};
	*text = t;
	return true;
}

/* What a message says of single values is so. */
static unsigned
agree(struct arena *a, const struct gate_kernel *k, struct launch l, struct str m)
{
	unsigned n = 0;
	struct given g;

	for (size_t i = 0; i < m.n; i++) {
		struct str t = str_sub(m, i, m.n);
		bool cond = str_starts(t, "refused if "), with = str_starts(t, "with ");

		if (!cond && !with)
			continue;
		t = str_sub(t, cond ? 11 : 5, t.n);
		if (!read_equal(&t, &g) || (cond && t.n && t.s[0] != ';'))
			continue;
		bool clean = !cond && str_find(t, 'c') < str_find(t, 'f');
		expect(a, k, l, g.at, g.value, clean ? VERDICT_CLEAN : VERDICT_REFUSED);
		n++;
	}
	return n;
}

static void
test_corpus(void **state)
{
	struct arena *a = *state;
	const char *dir = getenv("SRCDIR");
	struct str text, line, last = {0};
	unsigned caveats = 0, checked = 0;

	dir = dir ? dir : ".";
	assert_true(fs_try_read(
		a, str_c(a, str_fmt(a, "%s/tests/gate/launches.txt", dir)), &text));
	while (str_line(&text, &line)) {
		struct str name, where, ptx;
		struct launch l;

		if (!line.n || line.s[0] == '#' || !str_split(&line, ' ', &name) ||
			!str_split(&line, ' ', &where) || str_eq(name, last))
			continue;
		last = name;
		assert_true(launch_parse(where, &l));
		const char *path = str_c(
			a, str_fmt(a, "%s/tests/gate/%.*s.ptx", dir, STR_ARG(name)));
		assert_true(fs_try_read(a, path, &ptx));
		const struct gate_kernel *k = prepare(a, path, ptx, name);
		struct verdict v = check(a, k, l, NULL, 0);
		caveats += v.kind == VERDICT_CAVEAT;
		for (size_t i = 0; i < v.n_findings; i++)
			checked += agree(a, k, l, v.findings[i].message);
	}
	print_message("%u caveats, %u conditions checked\n", caveats, checked);
	assert_true(checked >= 10);
}

/* ---- what follows an unknown is not certain ---- */

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
		cmocka_unit_test(test_path),
		cmocka_unit_test(test_unsigned_path),
		cmocka_unit_test(test_period),
		cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_no_condition),
		cmocka_unit_test(test_corpus),
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
