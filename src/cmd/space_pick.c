#include "cmd/space_pick.h"

#include "base/arena.h"
#include "base/buf.h"

enum { FEW = 12 };

/* What is wrong stands on the command line, and no line of the spec is to blame. */
struct pick {
	struct arena *a;
	const struct kernel *k;
	const char *option, *text;
	struct diag *d;
};

static bool
fail(const struct pick *p, struct str why)
{
	diag_error(p->d, (struct place){0}, "'%s %s': %.*s", p->option, p->text,
		STR_ARG(why));
	return false;
}

static struct str
listed(struct arena *a, const struct str *v, size_t n)
{
	struct buf b = {.a = a};

	for (size_t i = 0; i < n && i < FEW; i++) {
		buf_adds(&b, i ? ", " : "");
		buf_addstr(&b, v[i]);
	}
	buf_adds(&b, n > FEW ? ", ..." : "");
	return buf_str(&b);
}

static bool
fail_param(const struct pick *p, struct str name)
{
	size_t n = p->k->n_params;
	struct str *names = arena_news(p->a, n + 1, struct str), near, all;

	for (size_t i = 0; i < n; i++)
		names[i] = p->k->params[i].name;
	near = str_nearest(name, names, n);
	all = listed(p->a, names, n);
	if (near.n)
		return fail(p,
			str_fmt(p->a,
				"'%.*s' has no parameter '%.*s' (did you mean '%.*s'?)",
				STR_ARG(p->k->name), STR_ARG(name), STR_ARG(near)));
	return fail(
		p, str_fmt(p->a, "'%.*s' has no parameter '%.*s'; %s%.*s",
			   STR_ARG(p->k->name), STR_ARG(name),
			   n ? "its parameters: " : "it has none at all", STR_ARG(all)));
}

static bool
fail_value(const struct pick *p, const struct param *of, struct str text)
{
	struct str *values = arena_news(p->a, of->n_values, struct str), all;

	for (size_t i = 0; i < of->n_values; i++)
		values[i] = value_text(p->a, of->values[i]);
	all = listed(p->a, values, of->n_values);
	return fail(p, str_fmt(p->a, "%.*s is not among the values of '%.*s': %.*s",
			       STR_ARG(text), STR_ARG(of->name), STR_ARG(all)));
}

static bool
pick_one(const struct pick *p, struct str piece, long *only)
{
	size_t equals = str_find(piece, '=');
	struct str name = str_sub(piece, 0, equals);
	struct str text = str_sub(piece, equals + 1, piece.n);
	long i = kernel_param(p->k, name);

	if (equals == piece.n)
		return fail(p, str_fmt(p->a, "'%.*s' is no assignment: write PARAM=VALUE",
				       STR_ARG(piece)));
	if (i < 0)
		return fail_param(p, name);
	const struct param *of = &p->k->params[i];
	if (only[i] >= 0)
		return fail(p, str_fmt(p->a, "'%.*s' has two values", STR_ARG(name)));
	for (size_t v = 0; v < of->n_values; v++)
		if (str_eq(value_text(p->a, of->values[v]), text)) {
			only[i] = (long)v;
			return true;
		}
	return fail_value(p, of, text);
}

bool
space_pick(struct arena *a, const struct kernel *k, const char *option, const char *text,
	long *only, struct diag *d)
{
	const struct pick p = {a, k, option, text, d};
	struct str rest = str_of(text), piece;

	for (size_t i = 0; i < k->n_params; i++)
		only[i] = -1;
	while (str_split(&rest, ',', &piece))
		if (!pick_one(&p, piece, only))
			return false;
	return true;
}

bool
space_pick_fits(const struct kernel *k, const char *text)
{
	struct str rest = str_of(text), piece;

	while (str_split(&rest, ',', &piece))
		if (kernel_param(k, str_sub(piece, 0, str_find(piece, '='))) < 0)
			return false;
	return true;
}
