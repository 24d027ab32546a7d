#include "cmd/space_pick.h"

#include "base/arena.h"
#include "base/buf.h"

static bool
fail_param(struct arena *a, const struct kernel *k, struct str name, struct diag *d)
{
	struct str *names = arena_news(a, k->n_params, struct str);
	for (size_t i = 0; i < k->n_params; i++)
		names[i] = k->params[i].name;
	struct str near = str_nearest(name, names, k->n_params);
	if (near.n)
		diag_error(d, k->at,
			"'%.*s' has no parameter '%.*s' (did you mean '%.*s'?)",
			STR_ARG(k->name), STR_ARG(name), STR_ARG(near));
	else
		diag_error(d, k->at, "'%.*s' has no parameter '%.*s'", STR_ARG(k->name),
			STR_ARG(name));
	return false;
}

static bool
fail_value(struct arena *a, const struct param *p, struct str text, struct diag *d)
{
	enum { FEW = 12 };
	struct buf list = {.a = a};
	for (size_t i = 0; i < p->n_values && i < FEW; i++) {
		buf_adds(&list, i ? ", " : "");
		buf_addstr(&list, value_text(a, p->values[i]));
	}
	diag_error(d, p->at, "%.*s is not among the values of '%.*s': %s%s",
		STR_ARG(text), STR_ARG(p->name), buf_c(&list),
		p->n_values > FEW ? ", ..." : "");
	return false;
}

static bool
pick_one(struct arena *a, const struct kernel *k, struct str piece, long *only,
	struct diag *d)
{
	size_t equals = str_find(piece, '=');
	struct str name = str_sub(piece, 0, equals);
	struct str text = str_sub(piece, equals + 1, piece.n);
	long i = kernel_param(k, name);
	if (equals == piece.n) {
		diag_error(d, k->at, "'%.*s' is no assignment: write PARAM=VALUE",
			STR_ARG(piece));
		return false;
	}
	if (i < 0)
		return fail_param(a, k, name, d);
	const struct param *p = &k->params[i];
	for (size_t v = 0; v < p->n_values; v++)
		if (str_eq(value_text(a, p->values[v]), text)) {
			only[i] = (long)v;
			return true;
		}
	return fail_value(a, p, text, d);
}

bool
space_pick(struct arena *a, const struct kernel *k, const char *text, long *only,
	struct diag *d)
{
	struct str rest = str_of(text), piece;
	for (size_t i = 0; i < k->n_params; i++)
		only[i] = -1;
	while (str_split(&rest, ',', &piece))
		if (!pick_one(a, k, piece, only, d))
			return false;
	return true;
}
