#include "format/npy.h"

/* NumPy's own limit is far below. */
static const size_t HEADER_MAX = 1 << 20;
static const uint64_t COUNT_MAX = (uint64_t)1 << 48;

static const char NOT_ONE[] = "is no .npy file",
		  MALFORMED[] = "has a malformed .npy header";

struct parser {
	struct str rest;
	const char *wrong; /* the first thing that is */
};

static void
skip_space(struct parser *p)
{
	while (p->rest.n && strchr(" \t\r\n", p->rest.s[0]))
		p->rest = str_sub(p->rest, 1, p->rest.n);
}

static bool
fail(struct parser *p, const char *what)
{
	if (!p->wrong)
		p->wrong = what;
	return false;
}

static bool
accept(struct parser *p, const char *word)
{
	skip_space(p);
	if (!str_starts(p->rest, word))
		return false;
	p->rest = str_sub(p->rest, strlen(word), p->rest.n);
	return true;
}

static bool
expect(struct parser *p, const char *word)
{
	return accept(p, word) || fail(p, MALFORMED);
}

/* 'text' or "text", without escapes. */
static bool
string(struct parser *p, struct str *out)
{
	skip_space(p);
	if (!p->rest.n || (p->rest.s[0] != '\'' && p->rest.s[0] != '"'))
		return fail(p, MALFORMED);
	char quote = p->rest.s[0];
	struct str inner = str_sub(p->rest, 1, p->rest.n);
	size_t end = str_find(inner, quote);
	*out = str_sub(inner, 0, end);
	if (end == inner.n || str_find(*out, '\\') < out->n)
		return fail(p, MALFORMED);
	p->rest = str_sub(inner, end + 1, inner.n);
	return true;
}

static bool
number(struct parser *p, uint64_t *out)
{
	size_t n = 0;
	skip_space(p);
	while (n < p->rest.n && p->rest.s[n] >= '0' && p->rest.s[n] <= '9')
		n++;
	if (!str_to_u64(str_sub(p->rest, 0, n), out))
		return fail(p, MALFORMED);
	p->rest = str_sub(p->rest, n, p->rest.n);
	accept(p, "L"); /* as Python 2 wrote it */
	return true;
}

/* "<f4" */
static bool
read_descr(struct parser *p, struct npy *out)
{
	if (accept(p, "["))
		return fail(p, "holds records, not numbers");
	if (!string(p, &out->descr))
		return false;
	struct str d = out->descr;
	if (d.n < 3 || !strchr("<>|", d.s[0]) || d.s[1] < 'A' || d.s[1] > 'z' ||
		!str_to_u64(str_sub(d, 2, d.n), &out->bytes) || out->bytes < 1 ||
		out->bytes > 1 << 16)
		return fail(p, "has elements of an unknown kind");
	out->order = d.s[0];
	out->kind = d.s[1];
	return true;
}

/* (), (3,), (3, 4) or (3, 4,) */
static bool
read_shape(struct parser *p, struct npy *out, unsigned *long_sides)
{
	bool empty = false;
	out->count = 1;
	if (!expect(p, "("))
		return false;
	while (!accept(p, ")")) {
		uint64_t side;
		if (!number(p, &side))
			return false;
		/* An empty array is one, whatever its other sides. */
		if (side > COUNT_MAX || (side && out->count > COUNT_MAX / side))
			return fail(p, "has too many elements");
		empty = empty || side == 0;
		out->count *= side ? side : 1;
		*long_sides += side > 1;
		if (!accept(p, ",")) {
			if (!expect(p, ")"))
				return false;
			break;
		}
	}
	out->count = empty ? 0 : out->count;
	return true;
}

static bool
read_order(struct parser *p, struct npy *out)
{
	out->fortran = accept(p, "True");
	return out->fortran || expect(p, "False");
}

/* The three keys, each once, in any order. */
static bool
read_dict(struct parser *p, struct npy *out)
{
	static const char *const keys[] = {"descr", "fortran_order", "shape"};
	unsigned seen = 0, long_sides = 0;
	if (!expect(p, "{"))
		return false;
	while (!accept(p, "}")) {
		struct str key;
		unsigned k = 0;
		if (!string(p, &key) || !expect(p, ":"))
			return false;
		while (k < 3 && !str_is(key, keys[k]))
			k++;
		if (k == 3 || seen >> k & 1)
			return fail(p, MALFORMED);
		seen |= 1u << k;
		if (!(k == 0         ? read_descr(p, out)
			    : k == 1 ? read_order(p, out)
				     : read_shape(p, out, &long_sides)))
			return false;
		if (!accept(p, ",")) {
			if (!expect(p, "}"))
				return false;
			break;
		}
	}
	skip_space(p);
	out->fortran = out->fortran && long_sides > 1;
	return (seen == 7 && p->rest.n == 0) || fail(p, MALFORMED);
}

const char *
npy_read(struct str file, struct npy *out)
{
	static const char magic[] = "\x93NUMPY";
	size_t length = 0, before = 10;
	*out = (struct npy){0};
	if (!str_starts(file, magic) || file.n < 12)
		return NOT_ONE;
	unsigned major = (unsigned char)file.s[6];
	if (major < 1 || major > 3)
		return "is of a .npy version that is not 1, 2 or 3";
	if (major > 1)
		before = 12;
	for (size_t i = before; i-- > 8;)
		length = length << 8 | (unsigned char)file.s[i];
	if (length > HEADER_MAX)
		return "has a .npy header of more than 1 MiB";
	if (length > file.n - before)
		return "ends within its .npy header";
	struct parser p = {.rest = str_sub(file, before, before + length)};
	out->data_at = before + length;
	return read_dict(&p, out) ? NULL : p.wrong;
}
