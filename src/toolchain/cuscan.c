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
	{"double", DTYPE_F64, 1},
	{"half", DTYPE_F16, 1},
	{"__half", DTYPE_F16, 1},
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
	{"char", DTYPE_I8, 1},
	{"uchar", DTYPE_U8, 1},
	{"int16_t", DTYPE_I16, 1},
	{"uint16_t", DTYPE_U16, 1},
	{"short", DTYPE_I16, 1},
	{"ushort", DTYPE_U16, 1},
	{"int", DTYPE_I32, 1},
	{"int32_t", DTYPE_I32, 1},
	{"uint32_t", DTYPE_U32, 1},
	{"uint", DTYPE_U32, 1},
	{"int64_t", DTYPE_I64, 1},
	{"uint64_t", DTYPE_U64, 1},
	{"long", DTYPE_I64, 1},
	{"ulong", DTYPE_U64, 1},
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

static bool
type_named(struct scan_param *p, struct str word, unsigned width)
{
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (str_is(word, types[i].name)) {
			p->type = types[i].type;
			p->width = types[i].width * width;
			p->known = true;
			return true;
		}
	return false;
}

/* "float", or "float4" of it. */
static void
named_type(struct scan_param *p, struct str word)
{
	static const unsigned widths[] = {2, 3, 4, 8, 16};
	if (type_named(p, word, 1))
		return;
	for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
		char digits[4];
		int n = snprintf(digits, sizeof digits, "%u", widths[i]);
		if (str_ends(word, digits) &&
			type_named(p, str_sub(word, 0, word.n - (size_t)n), widths[i]))
			return;
	}
}

static bool
is_qualifier(struct str w)
{
	static const char *const v[] = {"volatile", "restrict", "__restrict__",
		"__restrict", "struct", "std", "__grid_constant__", "__align__", "static",
		"register", "__global", "global", "__constant", "constant", "__local",
		"local", "__private", "private"};
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

/* The text inside the bracket that opens at the start of *rest, as "()" or "{}"; *rest
 * goes on behind it. */
static bool
bracketed(struct str *rest, const char *pair, struct str *inside)
{
	size_t depth = 0;
	for (size_t i = 0; i < rest->n; i++) {
		depth += rest->s[i] == pair[0];
		if (rest->s[i] != pair[1] || --depth)
			continue;
		*inside = str_sub(*rest, 1, i);
		*rest = str_sub(*rest, i + 1, rest->n);
		return true;
	}
	return false;
}

/* The text that begins with a token that was cut off. */
static struct str
put_back(struct str rest, struct str token)
{
	return (struct str){token.s, rest.n + (size_t)(rest.s - token.s)};
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

/* The numbers after reqd_work_group_size. */
static void
read_group(struct str rest, uint32_t reqd[3])
{
	struct str inside, number;
	int64_t v;
	if (!bracketed(&rest, "()", &inside))
		return;
	for (int i = 0; i < 3 && next_param(&inside, &number); i++)
		reqd[i] = str_to_i64(number, &v) && v > 0 ? (uint32_t)v : 0;
}

static void
keep_kernel(struct arena *a, struct scan *s, struct scan_kernel k)
{
	arena_grow(a, s->kernels, s->n_kernels, s->cap_kernels);
	s->kernels[s->n_kernels++] = k;
}

/* After __global__ or __kernel: attributes with brackets, "void", the name, the
 * parameters. */
static void
read_kernel(struct arena *a, struct str rest, struct scan *s, struct scan_kernel k)
{
	struct str token, inside;
	while (next_token(&rest, &token)) {
		if (str_is(token, "(")) {
			rest = put_back(rest, token);
			if (!bracketed(&rest, "()", &inside))
				return;
			if (!k.name.n || str_starts(k.name, "__"))
				continue; /* __launch_bounds__(256) */
			read_params(a, inside, &k);
			keep_kernel(a, s, k);
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

static bool
begins_kernel(struct str token)
{
	return str_is(token, "__global__") || str_is(token, "__kernel") ||
	       str_is(token, "kernel");
}

static void
scan_kernels(struct arena *a, struct str text, struct scan *s)
{
	struct str rest = text, token, before = {0};
	struct scan_kernel next = {0};
	while (next_token(&rest, &token)) {
		if (str_is(token, "reqd_work_group_size"))
			read_group(rest, next.reqd);
		else if (str_is(token, ";") || str_is(token, "{"))
			next = (struct scan_kernel){0};
		else if (begins_kernel(token))
			read_kernel(a, rest, s, next);
		else if (str_is(token, "__shared__") && str_is(before, "extern"))
			read_shared(rest, s);
		before = token;
	}
}

/* --- functions of C --- */

/* Lines of the preprocessor made blank. */
static struct str
without_directives(struct arena *a, struct str text)
{
	char *s = arena_copy(a, text.s, text.n);
	bool inside = false, begins = true;
	for (size_t i = 0; i < text.n; i++) {
		inside |= begins && s[i] == '#';
		if (s[i] == '\n') {
			inside &= i > 0 && text.s[i - 1] == '\\';
			begins = true;
			continue;
		}
		begins &= isspace((unsigned char)s[i]) != 0;
		if (inside)
			s[i] = ' ';
	}
	return (struct str){s, text.n};
}

/* What stands behind an element: "= 1" stores it, "+= 1" and "++" do both. */
static void
note_element(struct scan_param *p, struct str rest)
{
	struct str one = {0}, two = {0}, three = {0};
	next_token(&rest, &one);
	next_token(&rest, &two);
	next_token(&rest, &three);
	bool assigned = str_is(one, "=") && !str_is(two, "=");
	bool changed = (one.n && strchr("+-*/%&|^", one.s[0]) && str_is(two, "=")) ||
		       ((str_is(one, "+") || str_is(one, "-")) && str_eq(one, two)) ||
		       ((str_is(one, "<") || str_is(one, ">")) && str_eq(one, two) &&
			       str_is(three, "="));
	p->stored |= assigned || changed;
	p->loaded |= !assigned;
}

/* What a body does with p[...] and p[...][...]. */
static void
note_use(struct scan_param *p, struct str body)
{
	struct str token, open, inside;
	while (next_token(&body, &token)) {
		struct str here = body, after = {0};
		if (!p->name.n || !str_eq(token, p->name))
			continue;
		while (next_token(&here, &open) && str_is(open, "[")) {
			after = put_back(here, open);
			if (!bracketed(&after, "[]", &inside))
				return;
			here = after;
		}
		if (after.s)
			note_element(p, after);
	}
}

static void
read_function(struct arena *a, struct scan *s, struct scan_kernel k, struct str params,
	struct str body)
{
	read_params(a, params, &k);
	for (size_t i = 0; i < k.n_params; i++)
		note_use(&k.params[i], body);
	keep_kernel(a, s, k);
}

/* What opens with this token, bracket and all, is cut off. */
static bool
cut_bracket(struct str *rest, struct str token, const char *pair, struct str *inside)
{
	*rest = put_back(*rest, token);
	return bracketed(rest, pair, inside);
}

/* After the (parameters) of what `last` names: true when its {body} was cut off. */
static bool
cut_body(struct str *rest, struct str *body)
{
	struct str after = *rest, token;
	if (!next_token(&after, &token) || !str_is(token, "{") ||
		!cut_bracket(&after, token, "{}", body))
		return false;
	*rest = after;
	return true;
}

/* Definitions outside of all brackets: a name, (parameters), { and a body. */
static void
scan_functions(struct arena *a, struct str rest, struct scan *s)
{
	struct str token, last = {0}, inside, body;
	bool is_static = false, is_void = false;
	while (next_token(&rest, &token)) {
		bool ends = str_is(token, ";");
		if (str_is(token, "{") && !str_is(last, "extern")) {
			if (!cut_bracket(&rest, token, "{}", &body))
				return;
			ends = true;
		} else if (str_is(token, "(")) {
			if (!cut_bracket(&rest, token, "()", &inside))
				return;
			ends = cut_body(&rest, &body);
			if (ends)
				read_function(a, s,
					(struct scan_kernel){.name = last,
						.open = is_void && !is_static &&
							!str_is(last, "main")},
					inside, body);
		}
		is_static = !ends && (is_static || str_is(token, "static"));
		is_void =
			!ends && (is_void ? !str_is(token, "*") : str_is(token, "void"));
		last = token;
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
source_scan(struct arena *a, struct str text, struct str language)
{
	struct scan s = {0};
	struct str plain = blank(a, text);
	if (str_is(language, "c"))
		scan_functions(a, without_directives(a, plain), &s);
	else
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
