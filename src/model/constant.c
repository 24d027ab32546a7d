#include "model/constant.h"

#include "base/arena.h"
#include "base/buf.h"

static void
value_add(struct arena *a, struct buf *b, enum dtype type, uint64_t bits)
{
	struct arg scalar = {
		.name = STR_LIT("v"), .type = type, .known = true, .bits = bits};
	struct str s = args_text(a, &scalar, 1); /* v=TYPE:VALUE */
	buf_addstr(b, str_sub(s, str_find(s, ':') + 1, s.n));
}

struct str
constants_text(struct arena *a, const struct constant *v, size_t n)
{
	struct buf b = {.a = a};
	for (size_t i = 0; i < n; i++) {
		buf_addf(&b, "%s%.*s=%s[%llu]:", i ? "," : "", STR_ARG(v[i].name),
			dtype_name(v[i].type), (unsigned long long)v[i].count);
		for (uint64_t j = 0; j < v[i].count; j++) {
			buf_adds(&b, j ? ";" : "");
			value_add(a, &b, v[i].type, v[i].bits[j]);
		}
	}
	return (struct str){buf_c(&b), b.n};
}

static bool
wrong(struct arena *a, struct str *why, struct str where, const char *what)
{
	*why = str_fmt(a, "constant '%.*s': %s", STR_ARG(where), what);
	return false;
}

/* By the parser of scalar arguments. */
static bool
value_parse(struct arena *a, enum dtype type, struct str s, uint64_t *bits)
{
	struct arg *v;
	size_t n;
	struct str why, text = str_fmt(a, "v=%s:%.*s", dtype_name(type), STR_ARG(s));
	if (!args_parse(a, text, &v, &n, &why) || n != 1 || !v[0].known)
		return false;
	*bits = v[0].bits;
	return true;
}

static bool
values_parse(struct arena *a, struct str s, struct constant *c)
{
	struct str piece, rest = s;
	uint64_t n = 0;
	uint64_t *bits = arena_news(a, c->count, uint64_t);
	c->bits = bits;
	while (str_split(&rest, ';', &piece)) {
		if (n == c->count || !value_parse(a, c->type, piece, &bits[n++]))
			return false;
	}
	return n == c->count;
}

/* NAME=TYPE[COUNT]:VALUE;... */
static bool
constant_parse(struct arena *a, struct str s, struct constant *out, struct str *why)
{
	size_t equals = str_find(s, '='), open = str_find(s, '['),
	       colon = str_find(s, ':');
	out->name = str_sub(s, 0, equals);
	if (equals == 0 || open <= equals || colon < open + 3 || s.n <= colon ||
		s.s[colon - 1] != ']')
		return wrong(a, why, s, "expected NAME=TYPE[COUNT]:VALUE;...");
	if (!dtype_find(str_sub(s, equals + 1, open), &out->type))
		return wrong(a, why, s, "unknown type");
	if (!str_to_u64(str_sub(s, open + 1, colon - 1), &out->count) ||
		out->count == 0 ||
		out->count > CONSTANT_BYTES_MAX / dtype_bytes(out->type))
		return wrong(a, why, out->name, "constant memory holds 64 KiB");
	return values_parse(a, str_sub(s, colon + 1, s.n), out) ||
	       wrong(a, why, out->name, "its values do not fit its type and count");
}

bool
constants_parse(
	struct arena *a, struct str s, struct constant **v, size_t *n, struct str *why)
{
	size_t cap = 0;
	struct str rest = s, piece;
	*v = NULL;
	*n = 0;
	while (str_split(&rest, ',', &piece)) {
		arena_grow(a, *v, *n, cap);
		(*v)[*n] = (struct constant){0};
		if (!constant_parse(a, piece, &(*v)[*n], why))
			return false;
		for (size_t i = 0; i < *n; i++) {
			if (str_eq((*v)[i].name, (*v)[*n].name))
				return wrong(a, why, piece, "the name is used twice");
		}
		(*n)++;
	}
	return true;
}
