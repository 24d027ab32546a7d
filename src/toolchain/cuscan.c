#include "toolchain/cuscan.h"

#include "base/arena.h"

#include <ctype.h>

static bool
is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Index after the literal or comment that begins at i, or i itself. */
static size_t
skip_opaque(struct str t, size_t i)
{
	size_t k = i + 1;
	if (t.s[i] == '"' || t.s[i] == '\'') {
		while (k < t.n && t.s[k] != t.s[i] && t.s[k] != '\n')
			k += t.s[k] == '\\' ? 2 : 1;
		return k < t.n ? k + 1 : t.n;
	}
	if (t.s[i] != '/' || k >= t.n)
		return i;
	if (t.s[k] == '/') {
		while (k < t.n && t.s[k] != '\n')
			k++;
		return k;
	}
	if (t.s[k] != '*')
		return i;
	for (k++; k + 1 < t.n; k++)
		if (t.s[k] == '*' && t.s[k + 1] == '/')
			return k + 2;
	return t.n;
}

/* The text with comments and literals made blank, line ends kept. */
static struct str
blank(struct arena *a, struct str t)
{
	char *s = arena_copy(a, t.s, t.n);
	for (size_t i = 0; i < t.n;) {
		size_t end = skip_opaque(t, i);
		if (end == i)
			i++;
		for (; i < end; i++)
			if (s[i] != '\n')
				s[i] = ' ';
	}
	return (struct str){s, t.n};
}

/* Words and single characters, spaces between them dropped. */
static bool
next_token(struct str *rest, struct str *token)
{
	size_t i = 0, n = 1;
	while (i < rest->n && isspace((unsigned char)rest->s[i]))
		i++;
	if (i == rest->n)
		return false;
	while (is_word(rest->s[i]) && i + n < rest->n && is_word(rest->s[i + n]))
		n++;
	*token = str_sub(*rest, i, i + n);
	*rest = str_sub(*rest, i + n, rest->n);
	return true;
}

/* --- types --- */

static const struct {
	const char *name;
	enum dtype type;
	unsigned width;
} types[] = {
	{"float", DTYPE_F32, 1},
	{"float2", DTYPE_F32, 2},
	{"float3", DTYPE_F32, 3},
	{"float4", DTYPE_F32, 4},
	{"double", DTYPE_F64, 1},
	{"double2", DTYPE_F64, 2},
	{"half", DTYPE_F16, 1},
	{"__half", DTYPE_F16, 1},
	{"half2", DTYPE_F16, 2},
	{"__half2", DTYPE_F16, 2},
	{"__nv_bfloat16", DTYPE_BF16, 1},
	{"nv_bfloat16", DTYPE_BF16, 1},
	{"__nv_bfloat162", DTYPE_BF16, 2},
	{"__nv_fp8_e4m3", DTYPE_E4M3, 1},
	{"__nv_fp8x4_e4m3", DTYPE_E4M3, 4},
	{"__nv_fp8_e5m2", DTYPE_E5M2, 1},
	{"__nv_fp8x4_e5m2", DTYPE_E5M2, 4},
	{"bool", DTYPE_U8, 1},
	{"int8_t", DTYPE_I8, 1},
	{"uint8_t", DTYPE_U8, 1},
	{"uchar4", DTYPE_U8, 4},
	{"int16_t", DTYPE_I16, 1},
	{"uint16_t", DTYPE_U16, 1},
	{"int32_t", DTYPE_I32, 1},
	{"uint32_t", DTYPE_U32, 1},
	{"uint", DTYPE_U32, 1},
	{"int2", DTYPE_I32, 2},
	{"int4", DTYPE_I32, 4},
	{"uint2", DTYPE_U32, 2},
	{"uint4", DTYPE_U32, 4},
	{"int64_t", DTYPE_I64, 1},
	{"uint64_t", DTYPE_U64, 1},
	{"size_t", DTYPE_U64, 1},
	{"ptrdiff_t", DTYPE_I64, 1},
};

/* What the words of a declaration say, counted. */
struct words {
	unsigned n_long, n_short, n_char, n_int, n_unsigned, n_signed;
};

static bool
count_word(struct words *w, struct str word)
{
	struct {
		const char *name;
		unsigned *n;
	} t[] = {{"long", &w->n_long}, {"short", &w->n_short}, {"char", &w->n_char},
		{"int", &w->n_int}, {"unsigned", &w->n_unsigned},
		{"signed", &w->n_signed}};
	for (size_t i = 0; i < sizeof t / sizeof *t; i++)
		if (str_is(word, t[i].name)) {
			++*t[i].n;
			return true;
		}
	return false;
}

static bool
integer_type(const struct words *w, enum dtype *out)
{
	bool u = w->n_unsigned > 0;
	if (w->n_char)
		*out = u ? DTYPE_U8 : DTYPE_I8;
	else if (w->n_short)
		*out = u ? DTYPE_U16 : DTYPE_I16;
	else if (w->n_long)
		*out = u ? DTYPE_U64 : DTYPE_I64;
	else if (w->n_int || u || w->n_signed)
		*out = u ? DTYPE_U32 : DTYPE_I32;
	else
		return false;
	return true;
}

static void
named_type(struct scan_param *p, struct str word)
{
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (str_is(word, types[i].name)) {
			p->type = types[i].type;
			p->width = types[i].width;
			p->known = true;
		}
}

static bool
is_qualifier(struct str w)
{
	static const char *const v[] = {"volatile", "restrict", "__restrict__",
		"__restrict", "struct", "std", "__grid_constant__", "__align__",
		"static"};
	for (size_t i = 0; i < sizeof v / sizeof *v; i++)
		if (str_is(w, v[i]))
			return true;
	return false;
}

/* "const float *__restrict__ in": the last word that is none of the type's is the name.
 */
static struct scan_param
read_param(struct str text)
{
	struct scan_param p = {.width = 1};
	struct words w = {0};
	struct str token, last = {0};
	size_t n_plain = 0;
	while (next_token(&text, &token)) {
		if (str_is(token, "*") || str_is(token, "[")) {
			p.pointer = true;
		} else if (str_is(token, "=")) {
			break;
		} else if (str_is(token, "const")) {
			p.constant |=
				!p.pointer; /* T *const p says nothing of the target */
		} else if (is_word(token.s[0]) && !isdigit((unsigned char)token.s[0]) &&
			   !is_qualifier(token) && !count_word(&w, token)) {
			named_type(&p, token);
			last = token;
			n_plain++;
		}
	}
	bool integer = integer_type(&w, &p.type);
	p.known |= integer;
	if (integer ? n_plain > 0 : n_plain > 1)
		p.name = last;
	return p;
}

/* --- kernels --- */

/* The text inside the bracket that opens at the start of *rest; *rest goes on behind it.
 */
static bool
bracketed(struct str *rest, struct str *inside)
{
	size_t depth = 0;
	for (size_t i = 0; i < rest->n; i++) {
		depth += rest->s[i] == '(';
		if (rest->s[i] != ')' || --depth)
			continue;
		*inside = str_sub(*rest, 1, i);
		*rest = str_sub(*rest, i + 1, rest->n);
		return true;
	}
	return false;
}

/* Cuts a parameter off: up to a comma outside of < > and ( ). */
static bool
next_param(struct str *rest, struct str *param)
{
	int depth = 0;
	size_t i = 0;
	if (!str_trim(*rest).n)
		return false;
	for (; i < rest->n; i++) {
		char c = rest->s[i];
		depth += (c == '<' || c == '(') - (c == '>' || c == ')');
		if (c == ',' && depth <= 0)
			break;
	}
	*param = str_trim(str_sub(*rest, 0, i));
	*rest = str_sub(*rest, i + 1, rest->n);
	return true;
}

static void
read_params(struct arena *a, struct str list, struct scan_kernel *k)
{
	struct str param;
	size_t cap = 0;
	if (str_is(str_trim(list), "void"))
		return;
	while (next_param(&list, &param)) {
		arena_grow(a, k->params, k->n_params, cap);
		k->params[k->n_params++] = read_param(param);
	}
}

/* After __global__: attributes with brackets, "void", the name, the parameters. */
static void
read_kernel(struct arena *a, struct str rest, struct scan *s)
{
	struct scan_kernel k = {0};
	struct str token, inside;
	while (next_token(&rest, &token)) {
		if (str_is(token, "(")) {
			rest = (struct str){token.s, rest.n + (size_t)(rest.s - token.s)};
			if (!bracketed(&rest, &inside))
				return;
			if (!k.name.n || str_starts(k.name, "__"))
				continue; /* __launch_bounds__(256) */
			read_params(a, inside, &k);
			arena_grow(a, s->kernels, s->n_kernels, s->cap_kernels);
			s->kernels[s->n_kernels++] = k;
			return;
		}
		if (!is_word(token.s[0]))
			return;
		k.name = token;
	}
}

/* After `extern __shared__`: "float s[];" */
static void
read_shared(struct str rest, struct scan *s)
{
	struct scan_param p = read_param(str_sub(rest, 0, str_find(rest, ';')));
	if (p.known && p.pointer)
		s->dynamic_shared_bytes = dtype_bytes(p.type) * p.width;
}

static void
scan_kernels(struct arena *a, struct str text, struct scan *s)
{
	struct str rest = text, token, before = {0};
	while (next_token(&rest, &token)) {
		if (str_is(token, "__global__"))
			read_kernel(a, rest, s);
		else if (str_is(token, "__shared__") && str_is(before, "extern"))
			read_shared(rest, s);
		before = token;
	}
}

/* --- macros --- */

/* "#define NAME 128" of "define"; the value's text may be empty. */
static bool
directive(struct str line, const char *what, struct str *name, struct str *value)
{
	struct str token;
	if (!next_token(&line, &token) || !str_is(token, "#") ||
		!next_token(&line, &token) || !str_is(token, what) ||
		!next_token(&line, name))
		return false;
	*value = str_trim(line);
	return true;
}

static void
scan_macros(struct arena *a, struct str text, struct scan *s)
{
	struct str line, guard = {0}, name, value;
	int64_t v;
	while (str_line(&text, &line)) {
		if (directive(line, "ifndef", &name, &value))
			guard = name;
		else if (directive(line, "define", &name, &value) &&
			 str_eq(name, guard) && str_to_i64(value, &v)) {
			arena_grow(a, s->macros, s->n_macros, s->cap_macros);
			s->macros[s->n_macros++] = (struct scan_macro){name, v};
		} else if (str_trim(line).n)
			guard = (struct str){0};
	}
}

struct scan
source_scan(struct arena *a, struct str text)
{
	struct scan s = {0};
	struct str plain = blank(a, text);
	scan_kernels(a, plain, &s);
	scan_macros(a, plain, &s);
	return s;
}

const struct scan_kernel *
scan_find(const struct scan *s, struct str name, size_t n_params)
{
	for (size_t i = 0; i < s->n_kernels; i++)
		if (str_eq(s->kernels[i].name, name) &&
			s->kernels[i].n_params == n_params)
			return &s->kernels[i];
	return NULL;
}

/* --- names --- */

/* Cuts a <length><name> off *rest. */
static bool
source_name(struct str *rest, struct str *name)
{
	size_t digits = 0, n = 0;
	while (digits < rest->n && digits < 6 && isdigit((unsigned char)rest->s[digits]))
		n = n * 10 + (size_t)(rest->s[digits++] - '0');
	if (!n || n > rest->n - digits)
		return false;
	*name = str_sub(*rest, digits, digits + n);
	*rest = str_sub(*rest, digits + n, rest->n);
	return true;
}

struct str
mangled_base(struct str symbol)
{
	struct str rest = str_sub(symbol, 2, symbol.n), name = {0};
	if (!str_starts(symbol, "_Z") || !rest.n)
		return symbol;
	bool nested = rest.s[0] == 'N';
	if (nested || rest.s[0] == 'L') /* N: nested, L: internal linkage */
		rest = str_sub(rest, 1, rest.n);
	bool more = source_name(&rest, &name);
	while (more && nested)
		more = source_name(&rest, &name);
	return name.n ? name : symbol;
}
