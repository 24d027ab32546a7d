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

static void
constant_add(struct arena *a, struct buf *b, const struct constant *c)
{
	if (!c->bits) {
		buf_addstr(b, args_text(a, &c->v, 1));
		return;
	}
	buf_addf(b, "%.*s=%s*[%llu]:", STR_ARG(c->v.name), dtype_name(c->v.type),
		(unsigned long long)c->v.count);
	for (uint64_t i = 0; i < c->v.count; i++) {
		buf_adds(b, i ? ";" : "");
		value_add(a, b, c->v.type, c->bits[i]);
	}
}

struct str
constants_text(struct arena *a, const struct constant *v, size_t n)
{
	struct buf b = {.a = a};
	for (size_t i = 0; i < n; i++) {
		buf_adds(&b, i ? "," : "");
		constant_add(a, &b, &v[i]);
	}
	return (struct str){buf_c(&b), b.n};
}

static bool
wrong(struct arena *a, struct str *why, struct str where, const char *what)
{
	*why = str_fmt(a, "constant '%.*s': %s", STR_ARG(where), what);
	return false;
}

/* NAME=TYPE*[COUNT]:FILL by the parser of arguments, which knows all fills. */
static bool
head_parse(struct arena *a, struct str s, struct arg *out, struct str *why)
{
	struct arg *v;
	size_t n;
	if (!args_parse(a, s, &v, &n, why))
		return false;
	if (n != 1 || !v[0].pointer || v[0].output)
		return wrong(a, why, s, "expected NAME=TYPE*[COUNT]:FILL");
	*out = v[0];
	return true;
}

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
values_parse(struct arena *a, struct str s, struct constant *c, struct str *why)
{
	struct str piece, rest = s;
	uint64_t n = 0;
	uint64_t *bits = arena_news(a, c->v.count, uint64_t);
	bool fit = true;
	while (fit && str_split(&rest, ';', &piece)) {
		fit = n < c->v.count && value_parse(a, c->v.type, piece, &bits[n]);
		n += fit;
	}
	c->bits = bits;
	return (fit && n == c->v.count) ||
	       wrong(a, why, c->v.name, "its values do not fit its type and count");
}

static bool
constant_parse(struct arena *a, struct str s, struct constant *out, struct str *why)
{
	size_t colon = str_find(s, ':');
	struct str values = str_sub(s, colon + 1, s.n), head = s;
	bool listed = values.n && strchr("0123456789-+.", values.s[0]);
	if (listed)
		head = str_fmt(a, "%.*s:zeros", STR_ARG(str_sub(s, 0, colon)));
	if (!head_parse(a, head, &out->v, why))
		return false;
	if (out->v.count == 0 ||
		out->v.count > CONSTANT_BYTES_MAX / dtype_bytes(out->v.type))
		return wrong(a, why, out->v.name, "constant memory holds 64 KiB");
	return !listed || values_parse(a, values, out, why);
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
			if (str_eq((*v)[i].v.name, (*v)[*n].v.name))
				return wrong(a, why, piece, "the name is used twice");
		}
		(*n)++;
	}
	return true;
}
