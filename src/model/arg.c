#include "model/arg.h"

#include "base/arena.h"
#include "base/buf.h"
#include "model/exact.h"

static const char *const fills[N_FILLS] = {
#define X(id, name) name,
	FILLS(X)
#undef X
};

/* More than any machine has; keeps count * bytes far from overflow. */
static const uint64_t COUNT_MAX = (uint64_t)1 << 48;

const char *
fill_name(enum fill f)
{
	return fills[f];
}

bool
fill_find(struct str name, enum fill *out)
{
	for (unsigned i = 0; i < N_FILLS; i++) {
		if (str_is(name, fills[i])) {
			*out = (enum fill)i;
			return true;
		}
	}
	return false;
}

bool
fill_fits(enum fill f, enum dtype t)
{
	return dtype_is_float(t) ||
	       (f != FILL_CANCELLING && f != FILL_SPECIAL && f != FILL_FULL);
}

bool
fill_exponents_fit(enum dtype t, int64_t from, int64_t to)
{
	return dtype_is_float(t) && from >= dtype_least_exponent(t) && from <= to &&
	       to <= dtype_most_exponent(t);
}

struct arg
arg_keep(struct arena *a, const struct arg *v)
{
	struct arg kept = *v;
	kept.name = str_dup(a, v->name);
	kept.file = str_dup(a, v->file);
	kept.file_hash = str_dup(a, v->file_hash);
	return kept;
}

/* --- text --------------------------------------------------------------------------- */

/* The shortest decimal that reads back as the same bits. */
static void
float_text(struct buf *b, enum dtype t, uint64_t bits)
{
	char text[40];
	double v = dtype_decode(t, &bits);
	for (int digits = 1; digits <= 17; digits++) {
		uint64_t back;
		double again;
		snprintf(text, sizeof text, "%.*g", digits, v);
		if (str_to_f64(str_of(text), &again) && dtype_encode(t, again, &back) &&
			back == bits)
			break;
	}
	buf_adds(b, text);
}

static void
scalar_text(struct buf *b, const struct arg *v)
{
	buf_addf(b, "%s:", dtype_name(v->type));
	if (!v->known)
		buf_adds(b, "unknown");
	else if (dtype_is_float(v->type))
		float_text(b, v->type, v->bits);
	else if (dtype_is_signed(v->type))
		buf_addf(b, "%lld", (long long)dtype_decode_i64(v->type, &v->bits));
	else
		buf_addf(b, "%llu", (unsigned long long)v->bits);
}

/* What a list of arguments is written for. */
enum detail { SHAPE, INPUTS, ALL };

static bool
is_plain_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || (c && strchr("._-+/", c));
}

static void
file_text(struct buf *b, const struct arg *v)
{
	buf_addf(b, ":%.*s:", STR_ARG(v->file_hash));
	for (size_t i = 0; i < v->file.n; i++) {
		if (is_plain_byte(v->file.s[i]))
			buf_addc(b, v->file.s[i]);
		else
			buf_addf(b, "%%%02X", (unsigned char)v->file.s[i]);
	}
}

static void
fill_text(struct buf *b, const struct arg *v, enum detail detail)
{
	buf_adds(b, fill_name(v->fill));
	if (v->fill == FILL_EXACT && v->most)
		buf_addf(b, ":%d", v->most);
	if (v->fill == FILL_FULL)
		buf_addf(b, ":%d:%d", v->from, v->to);
	if (v->fill == FILL_FILE && v->file.n && detail != SHAPE)
		file_text(b, v);
}

static void
pointer_text(struct buf *b, const struct arg *v, enum detail detail)
{
	const struct tolerance *t = &v->tolerance;
	buf_addf(b, "%s*[%llu]:", dtype_name(v->type), (unsigned long long)v->count);
	if (v->output)
		buf_adds(b, v->input ? "inout" : "out");
	if (v->output && v->tolerated && detail == ALL)
		buf_addf(b, "~%.17g~%.17g~%lld", t->abs, t->rel, (long long)t->ulp);
	if (v->output && v->input)
		buf_adds(b, "/");
	if (v->input)
		fill_text(b, v, detail);
}

static struct str
list_text(struct arena *a, const struct arg *v, size_t n, enum detail detail)
{
	struct buf b = {.a = a};
	for (size_t i = 0; i < n; i++) {
		buf_addf(&b, "%s%.*s=", i ? "," : "", STR_ARG(v[i].name));
		if (v[i].pointer)
			pointer_text(&b, &v[i], detail);
		else
			scalar_text(&b, &v[i]);
	}
	return (struct str){buf_c(&b), b.n};
}

struct str
args_text(struct arena *a, const struct arg *v, size_t n)
{
	return list_text(a, v, n, ALL);
}

struct str
args_input_text(struct arena *a, const struct arg *v, size_t n)
{
	return list_text(a, v, n, INPUTS);
}

struct str
args_shape_text(struct arena *a, const struct arg *v, size_t n)
{
	return list_text(a, v, n, SHAPE);
}

static bool
wrong(struct arena *a, struct str *why, struct str where, const char *what)
{
	*why = str_fmt(a, "argument '%.*s': %s", STR_ARG(where), what);
	return false;
}

/* Whole numbers behind the fill's name, a colon before each. */
static bool
numbers_parse(struct str s, int64_t *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t end =
			s.n && s.s[0] == ':' ? 1 + str_find(str_sub(s, 1, s.n), ':') : 0;
		if (!end || !str_to_i64(str_sub(s, 1, end), &v[i]))
			return false;
		s = str_sub(s, end, s.n);
	}
	return s.n == 0;
}

static bool
fill_numbers_parse(struct str s, struct arg *out)
{
	int64_t v[2] = {0, 0};
	if (out->fill == FILL_EXACT && s.n) {
		bool ok = numbers_parse(s, v, 1) && v[0] > 0 &&
			  v[0] < exact_most(out->type);
		out->most = ok ? (int)v[0] : 0;
		return ok;
	}
	if (out->fill != FILL_FULL)
		return s.n == 0;
	if (!numbers_parse(s, v, 2) || !fill_exponents_fit(out->type, v[0], v[1]))
		return false;
	out->from = (int)v[0];
	out->to = (int)v[1];
	return true;
}

static int
hex_digit(char c)
{
	const char *digits = "0123456789ABCDEF", *at = c ? strchr(digits, c) : NULL;
	return at ? (int)(at - digits) : -1;
}

/* :HASH:PATH */
static bool
file_parse(struct arena *a, struct str s, struct arg *out)
{
	struct buf path = {.a = a};
	if (s.n == 0)
		return true;
	s = str_sub(s, 1, s.n);
	size_t colon = str_find(s, ':');
	out->file_hash = str_sub(s, 0, colon);
	for (size_t i = colon + 1; i < s.n; i++) {
		int high = -1, low = -1;
		if (is_plain_byte(s.s[i])) {
			buf_addc(&path, s.s[i]);
			continue;
		}
		if (s.s[i] == '%' && i + 2 < s.n) {
			high = hex_digit(s.s[++i]);
			low = hex_digit(s.s[++i]);
		}
		if (high < 0 || low < 0 || high + low == 0)
			return false;
		buf_addc(&path, (char)(high << 4 | low));
	}
	out->file = buf_str(&path);
	return out->file.n && out->file_hash.n == 16;
}

static bool
fill_parse(struct arena *a, struct str s, struct arg *out, struct str *why)
{
	size_t colon = str_find(s, ':');
	if (!fill_find(str_sub(s, 0, colon), &out->fill))
		return wrong(a, why, out->name, "unknown fill");
	if (!fill_fits(out->fill, out->type))
		return wrong(a, why, out->name, "the fill is for floating types");
	s = str_sub(s, colon, s.n);
	if (out->fill == FILL_FILE)
		return file_parse(a, s, out) ||
		       wrong(a, why, out->name, "expected file:HASH:PATH");
	return fill_numbers_parse(s, out) ||
	       wrong(a, why, out->name, "the fill's numbers do not fit");
}

/* ABS~REL~ULP */
static bool
tolerance_parse(struct str s, struct tolerance *out)
{
	struct str abs, rel;
	return str_split(&s, '~', &abs) && str_split(&s, '~', &rel) &&
	       str_to_f64(abs, &out->abs) && out->abs >= 0 &&
	       str_to_f64(rel, &out->rel) && out->rel >= 0 && str_to_i64(s, &out->ulp) &&
	       out->ulp >= 0;
}

/* [in]out[~TOLERANCE][/FILL] or FILL */
static bool
buffer_parse(struct arena *a, struct str s, struct arg *out, struct str *why)
{
	size_t slash = str_find(s, '/'), tilde = str_find(s, '~');
	struct str how = str_sub(s, 0, tilde < slash ? tilde : slash);
	out->output = str_is(how, "out") || str_is(how, "inout");
	out->input = !str_is(how, "out");
	if (!out->output)
		return fill_parse(a, s, out, why);
	out->tolerated = tilde < slash;
	if (out->tolerated &&
		!tolerance_parse(str_sub(s, tilde + 1, slash), &out->tolerance))
		return wrong(a, why, out->name, "malformed tolerance");
	if (out->input != (slash < s.n))
		return wrong(a, why, out->name, "expected out, or inout/FILL");
	return !out->input || fill_parse(a, str_sub(s, slash + 1, s.n), out, why);
}

static bool
scalar_parse(struct str s, struct arg *out)
{
	int64_t i;
	double f;
	out->known = !str_is(s, "unknown");
	if (!out->known)
		return true;
	if (out->type == DTYPE_U64)
		return str_to_u64(s, &out->bits);
	if (dtype_is_float(out->type))
		return str_to_f64(s, &f) && dtype_encode(out->type, f, &out->bits);
	return str_to_i64(s, &i) && dtype_encode_i64(out->type, i, &out->bits);
}

static bool
name_is_plain(struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		if (s.s[i] <= ' ' || strchr("=,:|/*[]\x7f", s.s[i]))
			return false;
	}
	return s.n > 0;
}

/* TYPE*[COUNT]:FILL or TYPE:VALUE */
static bool
arg_parse(struct arena *a, struct str s, struct arg *out, struct str *why)
{
	size_t equals = str_find(s, '='), colon = str_find(s, ':');
	if (equals == s.n || colon == s.n || colon < equals)
		return wrong(
			a, why, s, "expected NAME=TYPE:VALUE or NAME=TYPE*[COUNT]:FILL");
	struct str type = str_sub(s, equals + 1, colon),
		   value = str_sub(s, colon + 1, s.n);
	size_t star = str_find(type, '*');
	out->name = str_sub(s, 0, equals);
	out->pointer = star < type.n;
	if (!name_is_plain(out->name))
		return wrong(a, why, s, "the name is not plain");
	if (!dtype_find(str_sub(type, 0, star), &out->type))
		return wrong(a, why, s, "unknown type");
	if (!out->pointer)
		return scalar_parse(value, out) ||
		       wrong(a, why, s, "the value does not fit");
	struct str count = str_sub(type, star + 1, type.n);
	if (count.n < 3 || count.s[0] != '[' || count.s[count.n - 1] != ']' ||
		!str_to_u64(str_sub(count, 1, count.n - 1), &out->count) ||
		out->count > COUNT_MAX)
		return wrong(a, why, s, "expected a count between '[' and ']'");
	return buffer_parse(a, value, out, why);
}

bool
args_parse(struct arena *a, struct str s, struct arg **v, size_t *n, struct str *why)
{
	size_t cap = 0;
	struct str rest = s, piece;
	*v = NULL;
	*n = 0;
	if (s.n && s.s[s.n - 1] == ',')
		return wrong(a, why, s, "ends in a comma");
	while (str_split(&rest, ',', &piece)) {
		arena_grow(a, *v, *n, cap);
		(*v)[*n] = (struct arg){0};
		if (!arg_parse(a, piece, &(*v)[*n], why))
			return false;
		for (size_t i = 0; i < *n; i++) {
			if (str_eq((*v)[i].name, (*v)[*n].name))
				return wrong(a, why, piece, "the name is used twice");
		}
		(*n)++;
	}
	return true;
}
