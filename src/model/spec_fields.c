#include "base/arena.h"
#include "base/fs.h"
#include "model/spec_reader.h"

#include <ctype.h>
#include <inttypes.h>

/* Beyond this a JSON number no longer names one integer. */
#define EXACT_MAX ((int64_t)1 << 53)

bool
spec_goes_on(const struct spec_reader *r)
{
	enum { ENOUGH = 64 };
	return r->d->errors - r->errors_before < ENOUGH;
}

/* "; known are f64, f32", or nothing when they are too many to read. */
static const char *
list_known(struct arena *a, const struct str *choices, size_t n)
{
	enum { FEW = 16 };
	struct buf b = {.a = a};
	for (size_t i = 0; i < n && n <= FEW; i++) {
		buf_adds(&b, i ? ", " : "; known are ");
		buf_addstr(&b, choices[i]);
	}
	return b.n ? buf_c(&b) : "";
}

void
spec_unknown(struct spec_reader *r, struct place at, const char *what, struct str name,
	const struct str *choices, size_t n)
{
	struct str near = str_nearest(name, choices, n);
	if (near.n)
		diag_error(r->d, at, "unknown %s '%.*s' (did you mean '%.*s'?)", what,
			STR_ARG(name), STR_ARG(near));
	else
		diag_error(r->d, at, "unknown %s '%.*s'%s", what, STR_ARG(name),
			list_known(r->a, choices, n));
}

bool
spec_count_ok(struct spec_reader *r, const struct json *v, size_t most, const char *what)
{
	if (v->n <= most)
		return true;
	diag_error(r->d, json_key_place(v), "%zu %s are too many: at most %zu", v->n,
		what, most);
	return false;
}

static bool
is_identifier(struct str s)
{
	return str_is_identifier(s) && s.n <= 100;
}

bool
spec_key_identifier(struct spec_reader *r, const struct json *v, const char *what)
{
	static const char *const words[] = {
		"and", "or", "not", "in", "if", "else", "true", "false", "device"};
	if (!is_identifier(v->key)) {
		diag_error(r->d, json_key_place(v),
			"'%.*s' is no name for a %s: letters, digits and '_', no digit "
			"first",
			STR_ARG(v->key), what);
		return false;
	}
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (str_is(v->key, words[i])) {
			diag_error(r->d, json_key_place(v),
				"'%s' is a word of the expression language: rename the "
				"%s",
				words[i], what);
			return false;
		}
	return true;
}

bool
spec_key_plain(struct spec_reader *r, const struct json *v, const char *what)
{
	enum { LONGEST = 64 };
	bool ok = v->key.n && v->key.n <= LONGEST && !strchr(".-", v->key.s[0]);
	for (size_t i = 0; ok && i < v->key.n; i++)
		ok = isalnum((unsigned char)v->key.s[i]) || strchr("._+-", v->key.s[i]);
	if (!ok)
		diag_error(r->d, json_key_place(v),
			"'%.*s' is no name for a %s: it becomes part of file names "
			"(letters, "
			"digits, '_', '.', '+', '-'; at most 64)",
			STR_ARG(v->key), what);
	return ok;
}

bool
spec_path_ok(struct spec_reader *r, struct str *path, struct place at)
{
	const char *say = NULL;
	struct str p = *path;
	if (!p.n || p.n > 1024 || str_has_control(p) || p.s[0] == '-')
		say = "not a path";
	else if (p.s[0] == '/')
		say = "an absolute path: sources are copied, so use one relative to the "
		      "spec";
	else
		*path = str_of(fs_normal(r->a, str_c(r->a, p)));
	if (!say && (str_is(*path, "..") || str_starts(*path, "../")))
		say = "a path out of the project: move the file, or the spec up";
	if (say)
		diag_error(r->d, at, "'%.*s' is %s", STR_ARG(p), say);
	return !say;
}

/* --- strings ------------------------------------------------------------------------ */

void
read_text(struct spec_reader *r, const struct json *v, void *to)
{
	struct name *name = to;
	if (!v->string.n || str_has_control(v->string))
		diag_error(r->d, json_place(v), "'%.*s' is %s", STR_ARG(v->key),
			v->string.n ? "not plain text"
				    : "empty: remove it or write something");
	*name = (struct name){v->string, json_place(v)};
}

void
read_word(struct spec_reader *r, const struct json *v, void *to)
{
	read_text(r, v, to);
	for (size_t i = 0; i < v->string.n; i++)
		if (v->string.s[i] == ' ') {
			diag_error(r->d, json_place(v),
				"'%.*s' is one word, without spaces", STR_ARG(v->key));
			return;
		}
}

void
read_identifier(struct spec_reader *r, const struct json *v, void *to)
{
	struct name *name = to;
	if (!is_identifier(v->string))
		diag_error(r->d, json_place(v),
			"'%.*s' is no identifier: letters, digits and '_', no digit "
			"first",
			STR_ARG(v->string));
	*name = (struct name){v->string, json_place(v)};
}

void
read_path(struct spec_reader *r, const struct json *v, void *to)
{
	struct name *name = to;
	*name = (struct name){v->string, json_place(v)};
	spec_path_ok(r, &name->s, name->at);
}

static size_t
read_names(struct spec_reader *r, const struct json *v, struct name **names,
	void (*read)(struct spec_reader *, const struct json *, void *))
{
	if (!spec_count_ok(r, v, SPEC_LIST_MAX, "entries"))
		return 0;
	size_t n = 0;
	*names = arena_news(r->a, v->n, struct name);
	json_each(m, v)
	{
		if (m->kind == JSON_STRING)
			read(r, m, &(*names)[n++]);
		else
			diag_error(r->d, json_place(m),
				"'%.*s' is a list of strings, not of %s", STR_ARG(v->key),
				json_kind_name(m->kind));
	}
	return n;
}

void
read_includes(struct spec_reader *r, const struct json *v, void *to)
{
	struct kernel *k = to;
	k->n_includes = read_names(r, v, &k->includes, read_path);
}

void
read_flags(struct spec_reader *r, const struct json *v, void *to)
{
	struct kernel *k = to;
	k->n_flags = read_names(r, v, &k->flags, read_word);
}

/* One of two words; the first is the default. */
static bool
read_choice(struct spec_reader *r, const struct json *v, const char *first,
	const char *second)
{
	if (!str_is(v->string, first) && !str_is(v->string, second))
		diag_error(r->d, json_place(v), "'%.*s' is '%s' or '%s', not '%.*s'",
			STR_ARG(v->key), first, second, STR_ARG(v->string));
	return str_is(v->string, second);
}

void
read_exit_policy(struct spec_reader *r, const struct json *v, void *to)
{
	struct kernel *k = to;
	k->exit_release = read_choice(r, v, "strict", "release");
}

void
read_site_policy(struct spec_reader *r, const struct json *v, void *to)
{
	struct kernel *k = to;
	k->site_lenient = read_choice(r, v, "strict", "lenient");
}

void
read_admit(struct spec_reader *r, const struct json *v, void *to)
{
	struct kernel *k = to;
	k->admit = read_choice(r, v, "caveat", "clean") ? ADMIT_CLEAN : ADMIT_CAVEAT;
}

static void
read_real(struct spec_reader *r, const struct json *v, double least, double most,
	double *to)
{
	if (!(v->number >= least && v->number <= most))
		diag_error(r->d, json_place(v), "'%.*s' is between %g and %g, not %g",
			STR_ARG(v->key), least, most, v->number);
	*to = v->number;
}

void
read_cache(struct spec_reader *r, const struct json *v, void *to)
{
	struct measure_spec *m = to;
	m->warm = read_choice(r, v, "cold", "warm");
}

void
read_margin(struct spec_reader *r, const struct json *v, void *to)
{
	read_real(r, v, 0.0001, 0.5, to);
}

/* Its names are checked when all parameters are known (spec_scope.c). */
void
read_objective(struct spec_reader *r, const struct json *v, void *to)
{
	struct place at = json_place(v);
	at.col++;
	*(struct name *)to = (struct name){v->string, at};
	if (!v->string.n)
		diag_error(r->d, json_place(v),
			"'objective' is 'time', 'energy' or an expression that is made "
			"small");
}

void
read_role(struct spec_reader *r, const struct json *v, void *to)
{
	struct param *p = to;
	if (read_choice(r, v, "compile", "launch"))
		p->role = ROLE_LAUNCH;
}

void
read_schema(struct spec_reader *r, const struct json *v, void *to)
{
	(void)to;
	if (!str_is(v->string, "lanewise/spec.v1"))
		diag_error(r->d, json_place(v),
			"this program reads the schema 'lanewise/spec.v1', not '%.*s'",
			STR_ARG(v->string));
}

/* --- numbers ------------------------------------------------------------------------ */

void
read_bool(struct spec_reader *r, const struct json *v, void *to)
{
	(void)r;
	*(bool *)to = v->boolean;
}

void
read_tolerance(struct spec_reader *r, const struct json *v, void *to)
{
	read_real(r, v, 0, 1e300, to);
}

void
read_timeout(struct spec_reader *r, const struct json *v, void *to)
{
	read_real(r, v, 0.001, 86400, to);
}

static int64_t
read_count(struct spec_reader *r, const struct json *v)
{
	int64_t i = 0;
	if (!json_is_i64(v, &i) || i < 0 || i > EXACT_MAX) {
		diag_error(r->d, json_place(v), "'%.*s' is a whole number from 0 to 2^53",
			STR_ARG(v->key));
		return 0;
	}
	return i;
}

void
read_ulp(struct spec_reader *r, const struct json *v, void *to)
{
	*(int64_t *)to = read_count(r, v);
}

void
read_seed(struct spec_reader *r, const struct json *v, void *to)
{
	*(uint64_t *)to = (uint64_t)read_count(r, v);
}

bool
spec_value(struct spec_reader *r, const struct json *v, struct value *out)
{
	int64_t i;
	switch (v->kind) {
	case JSON_BOOL:
		*out = (struct value){.kind = VALUE_BOOL, .i = v->boolean};
		return true;
	case JSON_STRING:
		*out = (struct value){.kind = VALUE_STRING, .s = v->string};
		return true;
	case JSON_NUMBER:
		if (v->real) {
			*out = (struct value){.kind = VALUE_REAL, .f = v->number};
			return true;
		}
		if (json_is_i64(v, &i) && i <= EXACT_MAX && i >= -EXACT_MAX) {
			*out = (struct value){.kind = VALUE_INT, .i = i};
			return true;
		}
		diag_error(
			r->d, json_place(v), "integers over 2^53 are not exact in JSON");
		return false;
	case JSON_NULL:
	case JSON_ARRAY:
	case JSON_OBJECT: break;
	}
	diag_error(r->d, json_place(v),
		"a value is a number, a string, true or false, not %s",
		json_kind_name(v->kind));
	return false;
}

/* --- expressions -------------------------------------------------------------------- */

void
read_expr(struct spec_reader *r, const struct json *v, void *to)
{
	const struct expr **e = to;
	struct value i = {0};
	struct place at = json_place(v);
	if (v->kind == JSON_STRING) {
		at.col++; /* behind the quote */
		*e = expr_parse(r->a, v->string, at, r->d);
		return;
	}
	if (v->kind != JSON_NUMBER)
		diag_error(r->d, at, "an expression is a string or an integer, not %s",
			json_kind_name(v->kind));
	else if (spec_value(r, v, &i) && i.kind == VALUE_INT)
		*e = expr_int(r->a, i.i, at);
	else if (i.kind == VALUE_REAL)
		*e = expr_parse(r->a, value_text(r->a, i), at, r->d);
}

void
read_dims(struct spec_reader *r, const struct json *v, void *to)
{
	const struct expr **dims = to;
	size_t n = 0;
	if (v->kind != JSON_ARRAY) {
		read_expr(r, v, dims);
		return;
	}
	if (v->n < 1 || v->n > 3) {
		diag_error(r->d, json_place(v),
			"'%.*s' has 1 to 3 sizes (x, y, z), not %zu", STR_ARG(v->key),
			v->n);
		return;
	}
	json_each(m, v) read_expr(r, m, &dims[n++]);
}

void
read_constraints(struct spec_reader *r, const struct json *v, void *to)
{
	struct kernel *k = to;
	if (!spec_count_ok(r, v, SPEC_LIST_MAX, "constraints"))
		return;
	k->constraints = arena_news(r->a, v->n, const struct expr *);
	json_each(m, v)
	{
		const struct expr *e = NULL;
		read_expr(r, m, &e);
		if (e)
			k->constraints[k->n_constraints++] = e;
	}
}
