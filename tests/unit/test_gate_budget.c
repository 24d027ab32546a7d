/*
 * Kernels made to spend the gate's budgets: each is answered, with a caveat that names
 * the budget, in the memory that docs/SAFETY.md promises.
 */
#include "base/arena.h"
#include "base/buf.h"
#include "base/diag.h"
#include "gate/gate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/resource.h>

#include <cmocka.h>

enum { PROMISED_MIB = 320 }; /* the budget, and what the PTX itself takes */

static void
begin(struct buf *b, struct arena *a)
{
	*b = (struct buf){.a = a};
	buf_adds(b, ".version 8.7\n.target sm_90a\n.address_size 64\n"
		    ".visible .entry k(.param .u64 k_param_0)\n{\n"
		    ".reg .pred %p<9>;\n.reg .b32 %r<20>;\n.reg .b64 %rd<9>;\n"
		    "mov.u32 %r8, %tid.x;\nld.param.u64 %rd1, [k_param_0];\n"
		    "ld.global.u32 %r2, [%rd1];\n");
}

static struct verdict
judge(struct arena *a, struct buf *b, uint64_t threads, uint64_t blocks)
{
	struct diag d = {0};
	struct str why;
	buf_adds(b, "ret;\n}\n");
	struct source src = {"k.ptx", buf_str(b)};
	const struct ptx_module *m = ptx_parse(a, &src, &d);
	assert_non_null(m);
	struct gate_kernel *k = gate_prepare(a, m, STR_LIT("k"), &why);
	assert_non_null(k);
	struct gate_query q = {
		.launch = {.block = {threads, 1, 1}, .grid = {blocks, 1, 1}}};
	return gate_check(a, k, &q);
}

/* Is it a caveat because a budget of that name was spent? */
static bool
is_spent(struct arena *a, const struct verdict *v, const char *name)
{
	const char *want = str_fmt(a, "budget for %s was spent", name).s;
	bool found = false;

	for (size_t i = 0; i < v->n_findings; i++)
		found = found || (str_is(v->findings[i].rule, "LW061") &&
					 strstr(str_c(a, v->findings[i].message), want));
	return found && v->kind == VERDICT_CAVEAT;
}

static void
endless_loops_end(void **state)
{
	struct arena a = {0};
	struct buf b;
	struct verdict v;
	begin(&b, &a);
	buf_adds(&b, "L: bar.sync 0;\nbra L;\n");
	v = judge(&a, &b, 1024, 100000);
	assert_true(is_spent(&a, &v, "steps"));
	begin(&b, &a);
	buf_adds(&b, "L: and.b32 %r9, %r8, 0;\nxor.b32 %r10, %r8, %r8;\n"
		     "add.u32 %r10, %r10, %r9;\nbar.sync %r10;\nbra L;\n");
	v = judge(&a, &b, 1024, 100000);
	assert_true(is_spent(&a, &v, "work"));
	arena_release(&a);
}

/* Reports count too. */
static void
thousands_of_findings_in_many_blocks(void **state)
{
	struct arena a = {0};
	struct buf b;
	begin(&b, &a);
	buf_adds(&b, "mov.u32 %r1, %ctaid.x;\n");
	for (unsigned i = 0; i < 3000; i++)
		buf_addf(&b,
			"setp.eq.u32 %%p1, %%r1, %u;\n@%%p1 add.u32 %%r5, %%r5, %%r8;\n"
			"setp.eq.u32 %%p2, %%r5, 77;\n@%%p2 bra X%u;\n"
			"bar.warp.sync %%r2;\nX%u:\n",
			i * 10, i, i);
	struct verdict v = judge(&a, &b, 1024, 100000);
	assert_true(is_spent(&a, &v, "memory"));
	arena_release(&a);
}

static void
nested_unknown_branches(void **state)
{
	enum { DEPTH = 400 };
	struct arena a = {0};
	struct buf b;
	begin(&b, &a);
	for (unsigned i = 0; i < DEPTH; i++)
		buf_addf(&b,
			"ld.volatile.global.u32 %%r3, [%%rd1];\n"
			"setp.eq.u32 %%p1, %%r3, 0;\n@%%p1 bra D%u;\n"
			"vote.sync.ballot.b32 %%r7, %%p1, -1;\n",
			i);
	for (unsigned i = DEPTH; i--;)
		buf_addf(&b, "D%u:\nadd.u32 %%r5, %%r5, %%r7;\n", i);
	buf_adds(&b, "bar.sync 0;\n");
	struct verdict v = judge(&a, &b, 1024, 1);
	assert_true(is_spent(&a, &v, "nesting"));
	arena_release(&a);
}

/* Last: of the whole process. */
static void
in_the_memory_that_is_promised(void **state)
{
	struct rusage u;

#ifdef __SANITIZE_ADDRESS__
	skip();
#endif
	assert_int_equal(getrusage(RUSAGE_SELF, &u), 0);
	assert_in_range(u.ru_maxrss >> 10, 1, PROMISED_MIB);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(endless_loops_end),
		cmocka_unit_test(thousands_of_findings_in_many_blocks),
		cmocka_unit_test(nested_unknown_branches),
		cmocka_unit_test(in_the_memory_that_is_promised),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
