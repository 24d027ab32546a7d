/*
 * Kernels written in a test: prepared, judged with values of arguments, and what the
 * verdict says of them.
 */
#ifndef TESTS_UNIT_SMALL_KERNEL_H
#define TESTS_UNIT_SMALL_KERNEL_H

#include "base/arena.h"
#include "base/diag.h"
#include "gate/gate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { SMALL_ARGS = 32 };

static inline int
setup(void **state)
{
	static struct arena a;

	a = (struct arena){0};
	*state = &a;
	return 0;
}

static inline int
teardown(void **state)
{
	arena_release(*state);
	return 0;
}

static inline struct gate_kernel *
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

/* k(u64, u32, u32), whose arguments are in %rd1, %r1, %r2 and %tid.x in %r3. */
static inline struct gate_kernel *
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
	uint32_t at;
	uint64_t value;
};

static inline struct verdict
check(struct arena *a, const struct gate_kernel *k, struct launch l,
	const struct given *given, size_t n)
{
	struct gate_arg *args = arena_news(a, SMALL_ARGS, struct gate_arg);
	struct gate_query q = {.launch = l, .args = args, .n_args = SMALL_ARGS};

	for (size_t i = 0; i < n; i++) {
		unsigned char *p = arena_alloc(a, 8);

		for (int j = 0; j < 8; j++)
			p[j] = (unsigned char)(given[i].value >> (8 * j));
		args[given[i].at] = (struct gate_arg){GATE_ARG_BYTES, p, 8};
	}
	return gate_check(a, k, &q);
}

static inline struct launch
shape(uint32_t block, uint32_t grid)
{
	return (struct launch){
		.block = {block, 1, 1}, .grid = {grid, 1, 1}, .cluster = {1, 1, 1}};
}

static inline bool
says(struct arena *a, const struct verdict *v, const char *text)
{
	for (size_t i = 0; i < v->n_findings; i++)
		if (strstr(str_c(a, v->findings[i].message), text))
			return true;
	return false;
}

static inline void
expect_all(struct arena *a, const struct gate_kernel *k, struct launch l,
	const struct given *g, size_t n, enum verdict_kind kind)
{
	struct verdict v = check(a, k, l, g, n);

	if (v.kind != kind)
		fail_msg("argument %u = %llu and %zu more: %s", (unsigned)g->at,
			(unsigned long long)g->value, n - 1, verdict_name(v.kind));
}

static inline void
expect(struct arena *a, const struct gate_kernel *k, struct launch l, uint32_t at,
	uint64_t value, enum verdict_kind kind)
{
	struct given g = {at, value};

	expect_all(a, k, l, &g, 1, kind);
}

#endif
