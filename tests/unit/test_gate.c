#include "base/arena.h"
#include "base/buf.h"
#include "base/diag.h"
#include "gate/gate.h"
#include "simt/rules.h"
#include "value/eval.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

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

static const struct ptx_module *
parse(struct arena *a, const char *body, const char *head)
{
	struct diag d = {0};
	struct source *src = arena_new(a, struct source);
	*src = (struct source){
		"k.ptx", str_fmt(a,
				 ".version 9.0\n.target sm_90a\n.address_size 64\n%s\n"
				 ".visible .entry k(.param .u64 k_param_0, .param .u32 "
				 "k_param_1)\n"
				 "{\n.reg .pred %%p<10>;\n.reg .b32 %%r<20>;\n.reg .b64 "
				 "%%rd<10>;\n"
				 "%s\nret;\n}\n",
				 head, body)};
	const struct ptx_module *m = ptx_parse(a, src, &d);
	assert_non_null(m);
	return m;
}

enum { RELEASE = 1, LENIENT = 2, COOPERATIVE = 4 };

struct ask {
	const char *head, *body;
	struct dim block, grid;
	int64_t n; /* k_param_1; negative: not given */
	unsigned policies;
	uint64_t shared;
};

static struct verdict
ask(struct arena *a, struct ask x)
{
	struct str why = {0};
	unsigned char *p = arena_alloc(a, 4);
	struct gate_arg args[2] = {{GATE_ARG_POINTER, NULL, 0}};
	for (int i = 0; i < 4; i++)
		p[i] = (unsigned char)(x.n >> (8 * i));
	if (x.n >= 0)
		args[1] = (struct gate_arg){GATE_ARG_BYTES, p, 4};
	struct gate_kernel *k = gate_prepare(
		a, parse(a, x.body, x.head ? x.head : ""), STR_LIT("k"), &why);
	assert_non_null(k);
	struct gate_query q = {.launch = {.block = x.block,
				       .grid = x.grid,
				       .cluster = {1, 1, 1},
				       .shared_bytes = x.shared,
				       .cooperative = (x.policies & COOPERATIVE) != 0},
		.args = args,
		.n_args = 2,
		.exit_release = (x.policies & RELEASE) != 0,
		.site_lenient = (x.policies & LENIENT) != 0};
	return gate_check(a, k, &q);
}

static void
expect(struct arena *a, struct ask x, enum verdict_kind kind, const char *rule)
{
	struct verdict v = ask(a, x);
	bool found = !rule && !v.n_findings;
	for (size_t i = 0; i < v.n_findings; i++)
		found = found || (rule && str_is(v.findings[i].rule, rule));
	if (v.kind != kind || !found)
		fail_msg("%s %.*s instead of %s %s", verdict_name(v.kind),
			STR_ARG(v.n_findings ? v.findings[0].rule : STR_LIT("")),
			verdict_name(kind), rule ? rule : "");
}

#define ONE \
	{ \
		1, 1, 1 \
	}
#define GUARD \
	"mov.u32 %r1, %tid.x;\nld.param.u32 %r2, [k_param_1];\n" \
	"setp.ge.s32 %p1, %r1, %r2;\n"

/* ---- values ---- */

static struct ptx_form
form_of(struct arena *a, const char *text)
{
	const struct ptx_module *m = parse(a, str_c(a, str_fmt(a, "%s;", text)), "");
	return *m->funcs[0].ins[0].form;
}

static void
test_arithmetic(void **state)
{
	static const struct {
		const char *text;
		uint64_t a, b, c, d;
		unsigned n;
		uint64_t want, mask;
	} rows[] = {
		{"add.s32 %r1, %r2, %r3", 0xffffffff, 2, 0, 0, 2, 1, UINT32_MAX},
		{"sub.u32 %r1, %r2, %r3", 1, 2, 0, 0, 2, 0xffffffff, UINT32_MAX},
		{"mul.hi.u32 %r1, %r2, %r3", 0xffffffff, 0xffffffff, 0, 0, 2, 0xfffffffe,
			UINT32_MAX},
		{"mul.hi.s32 %r1, %r2, %r3", 0xffffffff, 2, 0, 0, 2, 0xffffffff,
			UINT32_MAX},
		{"mul.wide.s32 %rd1, %r2, %r3", 0xffffffff, 3, 0, 0, 2,
			0xfffffffffffffffd, UINT64_MAX},
		{"mul.hi.u64 %rd1, %rd2, %rd3", UINT64_MAX, UINT64_MAX, 0, 0, 2,
			UINT64_MAX - 1, UINT64_MAX},
		{"mad.lo.s32 %r1, %r2, %r3, %r4", 3, 4, 0xffffffff, 0, 3, 11, UINT32_MAX},
		{"div.s32 %r1, %r2, %r3", 0xfffffff9, 2, 0, 0, 2, 0xfffffffd, UINT32_MAX},
		{"rem.s32 %r1, %r2, %r3", 0xfffffff9, 2, 0, 0, 2, 0xffffffff, UINT32_MAX},
		{"div.u32 %r1, %r2, %r3", 0xfffffff9, 2, 0, 0, 2, 0x7ffffffc, UINT32_MAX},
		{"shr.s32 %r1, %r2, %r3", 0x80000000, 40, 0, 0, 2, 0xffffffff,
			UINT32_MAX},
		{"shr.u32 %r1, %r2, %r3", 0x80000000, 32, 0, 0, 2, 0, UINT32_MAX},
		{"shl.b32 %r1, %r2, %r3", 1, 32, 0, 0, 2, 0, UINT32_MAX},
		{"bfe.u32 %r1, %r2, %r3, %r4", 0xabcd1234, 8, 8, 0, 3, 0x12, UINT32_MAX},
		{"bfe.s32 %r1, %r2, %r3, %r4", 0x0000f000, 12, 4, 0, 3, 0xffffffff,
			UINT32_MAX},
		{"bfi.b32 %r1, %r2, %r3, %r4, %r5", 0xf, 0, 4, 4, 4, 0xf0, UINT32_MAX},
		{"clz.b32 %r1, %r2", 1, 0, 0, 0, 1, 31, UINT32_MAX},
		{"popc.b32 %r1, %r2", 0xff00ff, 0, 0, 0, 1, 16, UINT32_MAX},
		{"brev.b32 %r1, %r2", 1, 0, 0, 0, 1, 0x80000000, UINT32_MAX},
		{"bfind.u32 %r1, %r2", 0, 0, 0, 0, 1, UINT32_MAX, UINT32_MAX},
		{"bfind.shiftamt.u32 %r1, %r2", 1, 0, 0, 0, 1, 31, UINT32_MAX},
		{"prmt.b32 %r1, %r2, %r3, %r4", 0x33221100, 0x77665544, 0x7531, 0, 3,
			0x77553311, UINT32_MAX},
		{"shf.l.wrap.b32 %r1, %r2, %r3, %r4", 0x80000000, 1, 1, 0, 3, 3,
			UINT32_MAX},
		{"cvt.s64.s32 %rd1, %r2", 0x80000000, 0, 0, 0, 1, 0xffffffff80000000,
			UINT64_MAX},
		{"cvt.u64.u32 %rd1, %r2", 0x80000000, 0, 0, 0, 1, 0x80000000, UINT64_MAX},
		{"cvt.rzi.s32.f32 %r1, %r2", 0xc0600000, 0, 0, 0, 1, 0xfffffffd,
			UINT32_MAX},
		{"cvt.rn.f32.s32 %r1, %r2", 3, 0, 0, 0, 1, 0x40400000, UINT32_MAX},
		{"add.f32 %r1, %r2, %r3", 0x3f800000, 0x40000000, 0, 0, 2, 0x40400000,
			UINT32_MAX},
		{"fma.rn.f32 %r1, %r2, %r3, %r4", 0x40000000, 0x40400000, 0x3f800000, 0,
			3, 0x40e00000, UINT32_MAX},
		{"slct.s32.s32 %r1, %r2, %r3, %r4", 1, 2, 0xffffffff, 0, 3, 2,
			UINT32_MAX},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		uint64_t v[4] = {rows[i].a, rows[i].b, rows[i].c, rows[i].d}, got = 0;
		struct ptx_form f = form_of(*state, rows[i].text);
		if (!eval_known(&f, v, rows[i].n, &got) ||
			(got & rows[i].mask) != rows[i].want)
			fail_msg("%s gives %llx", rows[i].text, (unsigned long long)got);
	}
}

static void
test_unknown_results(void **state)
{
	static const char *const texts[] = {"div.u32 %r1, %r2, %r3",
		"sub.f32 %r1, %r2, %r3", "add.sat.s32 %r1, %r2, %r3",
		"add.rz.f32 %r1, %r2, %r3", "div.approx.f32 %r1, %r2, %r3"};
	/* by zero, inf - inf, and roundings that are not modelled */
	static const uint64_t v[2] = {0x7f800000, 0}, w[2] = {0x7f800000, 0x7f800000};
	uint64_t got;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct ptx_form f = form_of(*state, texts[i]);
		assert_false(eval_known(&f, i == 0 ? v : w, 2, &got));
	}
}

static void
test_compare(void **state)
{
	bool r;
	(void)state;
	assert_true(eval_compare(PTX_CMP_LT, PTX_T_s32, 0xffffffff, 0, &r) && r);
	assert_true(eval_compare(PTX_CMP_LT, PTX_T_u32, 0xffffffff, 0, &r) && !r);
	assert_true(eval_compare(PTX_CMP_LO, PTX_T_s32, 0xffffffff, 0, &r) && !r);
	/* a NaN: unordered comparisons hold, ordered ones do not */
	assert_true(eval_compare(PTX_CMP_LTU, PTX_T_f32, 0x7fc00000, 0, &r) && r);
	assert_true(eval_compare(PTX_CMP_NE, PTX_T_f32, 0x7fc00000, 0, &r) && !r);
	assert_false(eval_compare(PTX_CMP_LT, PTX_T_f16, 0, 0, &r));
}

/* ---- barriers ---- */

static void
test_guarded_barrier(void **state)
{
	const char *body =
		"mov.u32 %r1, %tid.x;\nshr.u32 %r2, %r1, 5;\n"
		"setp.ne.u32 %p1, %r2, 0;\n@%p1 bra L;\nbar.sync 0;\nL:\nbar.sync 0;";
	expect(*state, (struct ask){NULL, body, {32, 1, 1}, ONE, -1, 0, 0}, VERDICT_CLEAN,
		NULL);
	expect(*state, (struct ask){NULL, body, {64, 1, 1}, ONE, -1, 0, 0},
		VERDICT_REFUSED, "LW003");
}

static void
test_exit_policy(void **state)
{
	struct ask x = {
		NULL, GUARD "@%p1 ret;\nbar.sync 0;", {256, 1, 1}, ONE, 200, false, 0};
	expect(*state, x, VERDICT_REFUSED, "LW005");
	x.policies = RELEASE;
	expect(*state, x, VERDICT_CAVEAT, "LW005");
	x.n = 256;
	expect(*state, x, VERDICT_CLEAN, NULL);
	x.n = -1;
	expect(*state, x, VERDICT_CAVEAT, "LW055");
}

/* Both roles wait at a barrier of their own; then warp 1 alone at one more. */
static void
test_site_policy(void **state)
{
	struct ask x = {NULL,
		"mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 32;\n@%p1 bra L;\n"
		"bar.sync 0;\nbra M;\nL:\nbar.sync 0;\nM:\n",
		{64, 1, 1}, ONE, -1, 0, 0};
	struct ask y = x;

	expect(*state, x, VERDICT_REFUSED, "LW003");
	x.policies = LENIENT;
	expect(*state, x, VERDICT_CAVEAT, "LW003");
	x.block.x = 32;
	expect(*state, x, VERDICT_CLEAN, NULL);
	/* what comes after is judged, and other classes stay what they are */
	y.policies = LENIENT;
	y.body = "mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 32;\n@%p1 bra L;\n"
		 "bar.sync 0;\nbra M;\nL:\nbar.sync 0;\nM:\n"
		 "setp.lt.u32 %p2, %r1, 16;\n@!%p2 bra END;\nbar.sync 0;\nEND:\n"
		 "bar.sync 1;";
	expect(*state, y, VERDICT_REFUSED, "LW001");
}

/* The witness: who waits, who is gone, in which block, in how many. */
static void
test_witness(void **state)
{
	struct ask x = {NULL,
		"mov.u32 %r3, %ctaid.x;\nmov.u32 %r4, %tid.x;\n"
		"mad.lo.s32 %r1, %r3, 64, %r4;\nld.param.u32 %r2, [k_param_1];\n"
		"setp.ge.s32 %p1, %r1, %r2;\n@%p1 ret;\nbar.sync 0;",
		{64, 1, 1}, {10, 1, 1}, 200, false, 0};
	struct verdict v = ask(*state, x);
	assert_int_equal(v.kind, VERDICT_REFUSED);
	const struct witness *w = &v.findings[0].witness;
	assert_true(w->present);
	assert_int_equal(w->cta[0], 3);
	assert_int_equal(w->n_blocks, 1);
	assert_string_equal(w->warps[0].lanes, "WWWWWWWWxxxxxxxxxxxxxxxxxxxxxxxx");
	assert_string_equal(w->warps[1].lanes, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
}

static void
test_large_grid(void **state)
{
	struct ask x = {NULL,
		"mov.u32 %r3, %ctaid.x;\nmov.u32 %r4, %tid.x;\n"
		"mad.lo.s32 %r1, %r3, 64, %r4;\nld.param.u32 %r2, [k_param_1];\n"
		"setp.ge.s32 %p1, %r1, %r2;\n@%p1 bra L;\nbar.warp.sync "
		"0xffffffff;\nL:\nbar.sync 0;",
		{64, 1, 1}, {2000000000 / 64, 1, 1}, 1000000, false, 0};
	expect(*state, x, VERDICT_CLEAN, NULL); /* 10^6 is a multiple of 32 */
	x.n = 1000001;
	expect(*state, x, VERDICT_REFUSED, "LW030");
}

static void
test_named(void **state)
{
	const char *half =
		"mov.u32 %r1, %tid.x;\nshr.u32 %r2, %r1, 6;\nadd.s32 %r3, %r2, 1;\n"
		"bar.sync %r3, 64;";
	const char *early = "mov.u32 %r1, %tid.x;\nsetp.ge.u32 %p1, %r1, 32;\n"
			    "@%p1 bra L;\nbar.arrive 1, 64;\nL:";
	expect(*state, (struct ask){NULL, half, {256, 1, 1}, ONE, -1, 0, 0},
		VERDICT_CLEAN, NULL);
	expect(*state, (struct ask){NULL, half, {224, 1, 1}, ONE, -1, 0, 0},
		VERDICT_REFUSED, "LW016");
	expect(*state, (struct ask){NULL, half, {1024, 1, 1}, ONE, -1, 0, 0},
		VERDICT_REFUSED, "LW010");
	expect(*state, (struct ask){NULL, "bar.sync 1, 48;", {64, 1, 1}, ONE, -1, 0, 0},
		VERDICT_REFUSED, "LW011");
	expect(*state, (struct ask){NULL, "bar.sync 1, 64;", {128, 1, 1}, ONE, -1, 0, 0},
		VERDICT_REFUSED, "LW014");
	expect(*state,
		(struct ask){NULL, "bar.arrive 1, 128;\nbar.arrive 1, 128;", {32, 1, 1},
			ONE, -1, 0, 0},
		VERDICT_REFUSED, "LW013");
	expect(*state, (struct ask){NULL, "bar.arrive 1, 64;", {32, 1, 1}, ONE, -1, 0, 0},
		VERDICT_REFUSED, "LW017");
	expect(*state, (struct ask){NULL, early, {64, 1, 1}, ONE, -1, 0, 0},
		VERDICT_CLEAN, NULL);
}

/* ---- collectives ---- */

static void
test_masks(void **state)
{
	const char *low = "mov.u32 %r1, %laneid;\nsetp.ge.u32 %p1, %r1, 4;\n@%p1 bra L;\n"
			  "vote.sync.all.pred %p2, %p1, 0xf;\nL:\nbar.sync 0;";
	const char *full =
		"mov.u32 %r1, %laneid;\nsetp.ge.u32 %p1, %r1, 4;\n@%p1 bra L;\n"
		"vote.sync.all.pred %p2, %p1, 0xffffffff;\nL:\nbar.sync 0;";
	const char *self =
		"mov.u32 %r1, %lanemask_lt;\nvote.sync.any.pred %p1, %p1, %r1;";
	expect(*state, (struct ask){NULL, low, {64, 1, 1}, ONE, -1, 0, 0}, VERDICT_CLEAN,
		NULL);
	expect(*state, (struct ask){NULL, full, {64, 1, 1}, ONE, -1, 0, 0},
		VERDICT_REFUSED, "LW030");
	expect(*state, (struct ask){NULL, self, {32, 1, 1}, ONE, -1, 0, 0},
		VERDICT_REFUSED, "LW020");
}

/* A ballot of a condition is the right mask under that condition. */
static void
test_ballot_mask(void **state)
{
	const char *body = "ld.param.u64 %rd1, [k_param_0];\nmov.u32 %r1, %tid.x;\n"
			   "mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\n"
			   "ld.global.u32 %r2, [%rd3];\nsetp.gt.s32 %p1, %r2, 0;\n"
			   "vote.sync.ballot.b32 %r3, %p1, 0xffffffff;\n@!%p1 bra L;\n"
			   "bar.warp.sync %r3;\nL:\nbar.sync 0;";
	const char *other = "ld.param.u64 %rd1, [k_param_0];\nmov.u32 %r1, %tid.x;\n"
			    "mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\n"
			    "ld.global.u32 %r2, [%rd3];\nsetp.gt.s32 %p1, %r2, 0;\n"
			    "@!%p1 bra L;\nbar.warp.sync 0xffffffff;\nL:\nbar.sync 0;";
	expect(*state, (struct ask){NULL, body, {64, 1, 1}, ONE, -1, 0, 0}, VERDICT_CLEAN,
		NULL);
	expect(*state, (struct ask){NULL, other, {64, 1, 1}, ONE, -1, 0, 0},
		VERDICT_CAVEAT, "LW051");
}

/* A value read from a lane that is not there is a hazard where it is used. */
static void
test_undefined_value(void **state)
{
	const char *used = "mov.u32 %r1, %tid.x;\n"
			   "shfl.sync.bfly.b32 %r2, %r1, 16, 31, 0xffffffff;\n"
			   "ld.param.u64 %rd1, [k_param_0];\nst.global.u32 [%rd1], %r2;";
	const char *dead =
		"mov.u32 %r1, %tid.x;\n"
		"shfl.sync.bfly.b32 %r2, %r1, 16, 31, 0xffffffff;\n"
		"setp.ne.u32 %p1, %r1, 0;\n@%p1 bra L;\n"
		"ld.param.u64 %rd1, [k_param_0];\nst.global.u32 [%rd1], %r2;\nL:";
	const char *and_more =
		"mov.u32 %r1, %tid.x;\n"
		"shfl.sync.bfly.b32 %r2, %r1, 16, 31, 0xffffffff;\n"
		"setp.ne.u32 %p1, %r1, 0;\n@%p1 bra L;\nbar.sync 0;\nL:\nbar.sync 0;";
	expect(*state, (struct ask){NULL, used, {48, 1, 1}, ONE, -1, 0, 0},
		VERDICT_REFUSED, "LW021");
	expect(*state, (struct ask){NULL, dead, {48, 1, 1}, ONE, -1, 0, 0}, VERDICT_CLEAN,
		NULL);
	expect(*state, (struct ask){NULL, and_more, {48, 1, 1}, ONE, -1, 0, 0},
		VERDICT_REFUSED, "LW001");
}

/* ---- shapes that were wrong once ---- */

/* Lanes that leave a loop by an unknown condition stay uncertain the next time round. */
static void
test_loop_uncertainty(void **state)
{
	const char *body =
		"ld.param.u64 %rd1, [k_param_0];\nld.global.u32 %r2, [%rd1];\n"
		"mov.u32 %r1, %tid.x;\nL:\nvote.sync.any.pred %p2, %p1, 0xffffffff;\n"
		"bar.sync 0;\nsetp.ge.u32 %p1, %r1, %r2;\n@%p1 bra E;\nbra L;\nE:\n"
		"st.global.u32 [%rd1], %r1;";
	struct verdict v =
		ask(*state, (struct ask){NULL, body, {64, 1, 1}, ONE, -1, 0, 0});
	assert_int_equal(v.kind, VERDICT_CAVEAT);
}

/* A return nested in a branch does not move the place where the others meet. */
static void
test_nested_return(void **state)
{
	const char *body =
		"mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 16;\n@%p1 bra A;\n"
		"setp.eq.u32 %p2, %r1, 999;\n@%p2 bra R;\nbra B;\nA:\nmov.u32 %r3, 1;\n"
		"B:\nbar.sync 0;\nld.param.u64 %rd1, [k_param_0];\n"
		"st.global.u32 [%rd1], %r1;\nR:";
	expect(*state, (struct ask){NULL, body, {64, 1, 1}, ONE, -1, 0, 0}, VERDICT_CLEAN,
		NULL);
}

/* An unknown bound that is the same for a warp lets whole warps leave. */
static void
test_warps_leave(void **state)
{
	const char *body =
		"mov.u32 %r1, %tid.x;\nshr.u32 %r3, %r1, 5;\n"
		"ld.param.u32 %r2, [k_param_1];\nsetp.ge.u32 %p1, %r3, %r2;\n@%p1 ret;\n"
		"shfl.sync.bfly.b32 %r4, %r1, 1, 31, 0xffffffff;\n"
		"ld.param.u64 %rd1, [k_param_0];\nst.global.u32 [%rd1], %r4;";
	expect(*state, (struct ask){NULL, body, {256, 1, 1}, {64, 1, 1}, -1, 0, 0},
		VERDICT_CLEAN, NULL);
}

/* One warp completes a barrier that counts 32, whatever the others do. */
static void
test_own_barrier(void **state)
{
	expect(*state, (struct ask){NULL, "bar.sync 1, 32;", {128, 1, 1}, ONE, -1, 0, 0},
		VERDICT_CLEAN, NULL);
	/* but it may fall into a phase that counts more */
	expect(*state,
		(struct ask){NULL,
			"mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 32;\n@%p1 bra L;\n"
			"bar.sync 1, 64;\nbra E;\nL:\nbar.sync 1, 32;\nE:",
			{96, 1, 1}, ONE, -1, 0, 0},
		VERDICT_REFUSED, "LW012");
}

/* A shuffle under an unknown condition reads lanes that were never launched. */
static void
test_undefined_under_unknown(void **state)
{
	const char *body = "ld.param.u64 %rd1, [k_param_0];\nmov.u32 %r1, %tid.x;\n"
			   "mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\n"
			   "ld.global.u32 %r2, [%rd3];\nsetp.gt.s32 %p1, %r2, 0;\n"
			   "vote.sync.any.pred %p2, %p1, 0xffffffff;\n@!%p2 bra L;\n"
			   "shfl.sync.bfly.b32 %r2, %r2, 16, 31, 0xffffffff;\nL:\n"
			   "st.global.u32 [%rd3], %r2;";
	expect(*state, (struct ask){NULL, body, {64, 1, 1}, ONE, -1, 0, 0}, VERDICT_CLEAN,
		NULL);
	expect(*state, (struct ask){NULL, body, {100, 1, 1}, ONE, -1, 0, 0},
		VERDICT_CAVEAT, "LW021");
}

/* One address of local memory is another place for every thread. */
static void
test_local_memory(void **state)
{
	const char *load =
		"mov.u64 %rd1, own;\ncvta.local.u64 %rd2, %rd1;\n"
		"ld.u32 %r1, [%rd2+4];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra L;\n"
		"bar.sync 0;\nL:\nbar.sync 0;";
	const char *local =
		str_c(*state, str_fmt(*state, ".local .align 4 .b8 own[16];\n%s", load));
	expect(*state,
		(struct ask){
			".global .align 4 .b8 own[16];", load, {64, 1, 1}, ONE, -1, 0, 0},
		VERDICT_CLEAN, NULL);
	expect(*state, (struct ask){NULL, local, {64, 1, 1}, ONE, -1, 0, 0},
		VERDICT_CAVEAT, "LW050");
}

/* ---- launches ---- */

static void
test_capacity(void **state)
{
	const char *shared = ".shared .align 4 .b8 s[49153];";
	struct dim one = ONE;
	expect(*state, (struct ask){NULL, "", {33, 32, 1}, one, -1, 0, 0},
		VERDICT_REFUSED, "LW040");
	expect(*state, (struct ask){NULL, "", {1, 1, 65}, one, -1, 0, 0}, VERDICT_REFUSED,
		"LW041");
	expect(*state, (struct ask){NULL, "", {32, 1, 1}, {1, 65536, 1}, -1, 0, 0},
		VERDICT_REFUSED, "LW042");
	expect(*state, (struct ask){shared, "", {32, 1, 1}, one, -1, 0, 0},
		VERDICT_REFUSED, "LW046");
	expect(*state, (struct ask){NULL, "", {32, 1, 1}, one, -1, 0, 227 * 1024},
		VERDICT_CLEAN, NULL);
	expect(*state, (struct ask){NULL, "", {32, 1, 1}, one, -1, 0, 227 * 1024 + 1},
		VERDICT_REFUSED, "LW046");
	expect(*state, (struct ask){NULL, "", {0, 1, 1}, one, -1, 0, 0}, VERDICT_REFUSED,
		"LW041");
}

/* What cooperative groups begins a barrier of the grid with. */
#define WORKSPACE \
	"mov.u32 %r3, %envreg2;\nmov.u32 %r4, %envreg1;\n" \
	"mov.b64 %rd1, {%r3, %r4};\nsetp.ne.s64 %p2, %rd1, 0;\n"
#define MEET "bar.sync 0;\nred.global.add.u32 [%rd1+4], 1;\n"
#define SYNC "@%p2 bra G;\ntrap;\nG:\n" MEET

static void
test_grid_launch(void **state)
{
	const char *some = GUARD "@%p1 bra E;\n" WORKSPACE SYNC "E:\n";
	const struct ask rows[] = {
		{NULL, WORKSPACE SYNC, {64, 1, 1}, ONE, -1, COOPERATIVE, 0},
		{NULL, WORKSPACE "@!%p2 bra E;\n" MEET "E:\n", {64, 1, 1}, ONE, -1, 0, 0},
		{NULL, some, {64, 1, 1}, ONE, 0, 0, 0},
		{NULL, some, {64, 1, 1}, ONE, 64, 0, 0},
		{NULL, some, {64, 1, 1}, ONE, -1, 0, 0},
		{NULL, WORKSPACE SYNC, {64, 1, 1}, ONE, -1, 0, 0}};
	for (int i = 0; i < 3; i++)
		expect(*state, rows[i], VERDICT_CLEAN, NULL);
	expect(*state, rows[3], VERDICT_REFUSED, "LW047");
	expect(*state, rows[4], VERDICT_CAVEAT, "LW047");
	expect(*state, rows[5], VERDICT_REFUSED, "LW047");
}

static void
test_unmodelled(void **state)
{
	const char *wait =
		"L:\nmbarrier.try_wait.parity.shared.b64 %p1, [%r1], %r2;\n@!%p1 bra L;";
	const char *indirect =
		"ld.param.u64 %rd1, [k_param_0];\nld.global.u64 %rd2, [%rd1];\n"
		"proto: .callprototype _ ();\ncall %rd2, (), proto;\nbar.sync 0;";
	expect(*state, (struct ask){NULL, wait, {32, 1, 1}, ONE, -1, 0, 0},
		VERDICT_CAVEAT, "LW059");
	expect(*state,
		(struct ask){".func f()\n{\nbar.sync 0;\nret;\n}", indirect, {32, 1, 1},
			ONE, -1, 0, 0},
		VERDICT_CAVEAT, "LW056");
}

/* Its body is in another module: it may wait for others, also where nothing here does. */
static void
test_extern_function(void **state)
{
	static const char other[] = ".extern .func f();",
			  prints[] = ".extern .func vprintf();";
	const struct ask rows[] = {{other, "call f;", {32, 1, 1}, ONE, -1, 0, 0},
		{other, "bar.sync 0;\n@%p1 call f;\nbar.sync 0;", {64, 1, 1}, ONE, -1, 0,
			0},
		{other,
			"mov.u64 %rd1, f;\nproto: .callprototype _ ();\n"
			"call %rd1, (), proto;",
			{32, 1, 1}, ONE, -1, 0, 0},
		{prints, "call vprintf;\nbar.sync 0;", {64, 1, 1}, ONE, -1, 0, 0},
		{other, "bar.sync 0;", {64, 1, 1}, ONE, -1, 0, 0}};

	for (int i = 0; i < 3; i++)
		expect(*state, rows[i], VERDICT_CAVEAT, "LW056");
	expect(*state, rows[3], VERDICT_CLEAN, NULL);
	expect(*state, rows[4], VERDICT_CLEAN, NULL);
}

static void
test_entries(void **state)
{
	struct arena *a = *state;
	struct str why = {0};
	const struct ptx_module *m = parse(a, "",
		".visible .entry _Z6reducePf()\n{\nret;\n}\n"
		".visible .entry _Z4scanILi4EEvPf()\n{\nret;\n}\n"
		".visible .entry _Z4scanILi8EEvPf()\n{\nret;\n}\n");
	struct gate_kernel *k = gate_prepare(a, m, STR_LIT("reduce"), &why);
	assert_non_null(k);
	assert_true(str_is(gate_entry_name(k), "_Z6reducePf"));
	assert_non_null(gate_prepare(a, m, STR_LIT("_Z4scanILi8EEvPf"), &why));
	assert_null(gate_prepare(a, m, STR_LIT("scan"), &why));
	assert_true(str_starts(why, "2 entries match 'scan'"));
	assert_null(gate_prepare(a, m, STR_LIT("duce"), &why));
	assert_true(str_starts(why, "no entry 'duce'"));
	assert_null(gate_prepare(a, m, (struct str){0}, &why));
}

/* Ids are unique, and each has its page. */
static void
test_rules(void **state)
{
	(void)state;
	for (int i = 0; i < N_GATE_RULES; i++) {
		assert_int_equal(strlen(gate_rules[i].id), 5);
		assert_true(gate_rules[i].title[0] != '\0');
		for (int k = 0; k < i; k++)
			assert_string_not_equal(gate_rules[i].id, gate_rules[k].id);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arithmetic),
		cmocka_unit_test(test_unknown_results),
		cmocka_unit_test(test_compare),
		cmocka_unit_test(test_guarded_barrier),
		cmocka_unit_test(test_exit_policy),
		cmocka_unit_test(test_site_policy),
		cmocka_unit_test(test_witness),
		cmocka_unit_test(test_large_grid),
		cmocka_unit_test(test_named),
		cmocka_unit_test(test_masks),
		cmocka_unit_test(test_ballot_mask),
		cmocka_unit_test(test_undefined_value),
		cmocka_unit_test(test_loop_uncertainty),
		cmocka_unit_test(test_nested_return),
		cmocka_unit_test(test_warps_leave),
		cmocka_unit_test(test_own_barrier),
		cmocka_unit_test(test_undefined_under_unknown),
		cmocka_unit_test(test_local_memory),
		cmocka_unit_test(test_capacity),
		cmocka_unit_test(test_grid_launch),
		cmocka_unit_test(test_unmodelled),
		cmocka_unit_test(test_extern_function),
		cmocka_unit_test(test_entries),
		cmocka_unit_test(test_rules),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
