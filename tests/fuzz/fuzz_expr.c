/* Any text as an expression: parsed, evaluated with every name known and with none. */
#include "base/arena.h"
#include "format/expr.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static bool
lookup(void *env, struct str name, struct value *out)
{
	(void)env;
	*out = (struct value){.kind = (enum value_kind)(name.n % 4),
		.i = (int64_t)name.n % 4 == 3 ? 1 : (int64_t)name.n - 3,
		.f = 0.5 * (double)name.n,
		.s = name};
	return true;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static FILE *nowhere;
	if (!nowhere && !(nowhere = fopen("/dev/null", "w")))
		return 0;
	struct arena a = {0};
	struct diag d = {.to = nowhere};
	struct source src = {"fuzz", {(const char *)data, n}};
	struct expr *e = expr_parse(&a, src.text, (struct place){&src, 1, 1}, &d);
	if (!e != (d.errors > 0))
		abort();
	if (e) {
		struct value v;
		struct str why = {0};
		if (expr_eval(&a, e, lookup, NULL, &v, &why))
			value_text(&a, v);
		else if (!why.n)
			abort();
		expr_eval(&a, e, NULL, NULL, &v, &why);
		const struct str *names;
		for (size_t i = expr_names(e, &names); i--;)
			expr_name_place(e, i);
	}
	arena_release(&a);
	return 0;
}
