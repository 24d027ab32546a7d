/* Lists as T1 files write them: outline.h. */
#include "search/outline.h"

#include "base/arena.h"

#include <ctype.h>

enum { DEEP_MAX = 8, TEXT_MAX = 1 << 16 };

struct pylist {
	struct arena *a;
	struct diag *d;
	struct place at;
	const char *start; /* of the text: offsets are columns after at */
	struct value *v;
	size_t n, cap;
};

static bool
fail(struct pylist *p, struct str where, const char *what)
{
	struct place at = p->at;
	at.col += (unsigned)(where.s - p->start);
	diag_error(p->d, at, "%s", what);
	return false;
}

static bool
add(struct pylist *p, struct str where, struct value v)
{
	if (p->n == SPEC_VALUES_MAX)
		return fail(p, where, "more than 4096 values");
	arena_grow(p->a, p->v, p->n, p->cap);
	p->v[p->n++] = v;
	return true;
}

/* --- pieces ------------------------------------------------------------------------- */

/* The first place where `word` stands outside of strings and brackets, or text.n. */
static size_t
find_outside(struct str text, const char *word)
{
	size_t n = strlen(word);
	int depth = 0;
	char quote = '\0';
	for (size_t i = 0; i < text.n; i++) {
		char c = text.s[i];
		if (quote) {
			quote = c == quote ? '\0' : quote;
			continue;
		}
		if (!depth && text.n - i >= n && memcmp(text.s + i, word, n) == 0)
			return i;
		if (c == '\'' || c == '"')
			quote = c;
		depth += (c == '(' || c == '[') - (c == ')' || c == ']');
	}
	return text.n;
}

/* Cuts off what stands before a word, or all of it. */
static struct str
cut(struct str *rest, const char *word)
{
	size_t i = find_outside(*rest, word);
	struct str piece = str_trim(str_sub(*rest, 0, i));
	*rest = i < rest->n ? str_sub(*rest, i + strlen(word), rest->n)
			    : (struct str){rest->s + rest->n, 0};
	return piece;
}

/* What stands between `open` and a closing bracket that ends the text; false: neither. */
static bool
inside(struct str text, const char *open, char close, struct str *in)
{
	size_t n = strlen(open);
	if (text.n <= n || !str_starts(text, open) || text.s[text.n - 1] != close)
		return false;
	*in = str_sub(text, n, text.n - 1);
	return find_outside(*in, (char[2]){close, '\0'}) == in->n;
}

/* --- elements ----------------------------------------------------------------------- */

struct loop_name {
	struct str name;
	struct value value;
};

static bool
lookup(void *env, struct str name, struct value *out)
{
	const struct loop_name *l = env;
	if (str_is(name, "True") || str_is(name, "False")) {
		*out = (struct value){.kind = VALUE_BOOL, .i = str_is(name, "True")};
		return true;
	}
	if (!l || !str_eq(l->name, name))
		return false;
	*out = l->value;
	return true;
}

static bool
element(struct pylist *p, struct str text, struct loop_name *l, struct value *out)
{
	struct place at = p->at;
	struct str why;
	at.col += (unsigned)(text.s - p->start);
	const struct expr *e = expr_parse(p->a, text, at, p->d);
	if (!e)
		return false;
	if (expr_eval(p->a, e, lookup, l, out, &why))
		return true;
	diag_error(p->d, at, "%.*s", STR_ARG(why));
	return false;
}

/* --- lists -------------------------------------------------------------------------- */

static bool list(struct pylist *p, struct str text, unsigned depth);

static bool
range(struct pylist *p, struct str where, struct str args)
{
	int64_t v[3] = {0, 0, 1};
	struct value x;
	size_t n = 0;
	while (str_trim(args).n) {
		struct str arg = cut(&args, ",");
		if (n == 3 || !element(p, arg, NULL, &x))
			return n == 3 ? fail(p, where, "range() takes 1 to 3 numbers")
				      : false;
		if (x.kind != VALUE_INT)
			return fail(p, arg, "range() takes whole numbers");
		v[n++] = x.i;
	}
	if (!n || !v[2])
		return fail(p, where, n ? "a range() in steps of 0" : "an empty range()");
	if (n == 1) {
		v[1] = v[0];
		v[0] = 0;
	}
	while (v[2] > 0 ? v[0] < v[1] : v[0] > v[1]) {
		if (!add(p, where, (struct value){.kind = VALUE_INT, .i = v[0]}))
			return false;
		if (__builtin_add_overflow(v[0], v[2], &v[0]))
			break;
	}
	return true;
}

/* [ELEMENT for NAME in LIST if CONDITION] */
/* NOLINTNEXTLINE(misc-no-recursion): at most DEEP_MAX deep */
static bool
comprehension(struct pylist *p, struct str text, unsigned depth)
{
	struct pylist over = *p;
	struct str rest = text, what = cut(&rest, " for "), name = cut(&rest, " in ");
	struct str where = cut(&rest, " if "), condition = str_trim(rest);
	over.v = NULL;
	over.n = over.cap = 0;
	if (!name.n || !where.n || find_outside(where, " for ") < where.n)
		return fail(p, text, "a comprehension is '[X for NAME in LIST]' here");
	if (!list(&over, where, depth + 1))
		return false;
	for (size_t i = 0; i < over.n; i++) {
		struct loop_name l = {name, over.v[i]};
		struct value v, yes = {.kind = VALUE_BOOL, .i = 1};
		if (condition.n && !element(p, condition, &l, &yes))
			return false;
		if (value_true(yes) && (!element(p, what, &l, &v) || !add(p, what, v)))
			return false;
	}
	return true;
}

/* NOLINTNEXTLINE(misc-no-recursion): at most DEEP_MAX deep */
static bool
elements(struct pylist *p, struct str in, unsigned depth)
{
	struct value v;
	if (find_outside(in, " for ") < in.n)
		return comprehension(p, in, depth);
	while (str_trim(in).n) {
		struct str e = cut(&in, ",");
		if (!element(p, e, NULL, &v) || !add(p, e, v))
			return false;
	}
	return true;
}

/* NOLINTNEXTLINE(misc-no-recursion): at most DEEP_MAX deep */
static bool
term(struct pylist *p, struct str text, unsigned depth)
{
	struct str in;
	if (inside(text, "range(", ')', &in))
		return range(p, text, in);
	if (inside(text, "list(", ')', &in))
		return list(p, in, depth + 1);
	if (inside(text, "[", ']', &in))
		return elements(p, in, depth);
	if (inside(text, "(", ')', &in))
		return find_outside(in, ",") < in.n ? elements(p, in, depth)
						    : list(p, in, depth + 1);
	return fail(p, text,
		"this is no list that is read here: [1, 2], range(), list(), "
		"[X for NAME in LIST] and sums of them are");
}

/* NOLINTNEXTLINE(misc-no-recursion): at most DEEP_MAX deep */
static bool
list(struct pylist *p, struct str text, unsigned depth)
{
	text = str_trim(text);
	if (depth > DEEP_MAX)
		return fail(p, text, "lists within lists within lists: too deep");
	if (!text.n)
		return fail(p, text, "a list is expected here");
	while (text.n)
		if (!term(p, cut(&text, "+"), depth))
			return false;
	return true;
}

bool
pylist_read(struct arena *a, struct str text, struct place at, struct value **v,
	size_t *n, struct diag *d)
{
	struct pylist p = {.a = a, .d = d, .at = at, .start = text.s};
	if (text.n > TEXT_MAX)
		return fail(&p, text, "more than 64 KiB of values");
	if (!list(&p, text, 0))
		return false;
	*v = p.v;
	*n = p.n;
	return true;
}
