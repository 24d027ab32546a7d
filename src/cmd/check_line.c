#include "cmd/check_line.h"

#include "base/arena.h"
#include "cmd/check_capture.h"

#include <inttypes.h>

enum field {
	ID,
	FILE_NAME,
	ENTRY,
	BLOCK,
	GRID,
	CLUSTER,
	SHARED,
	COOPERATIVE,
	CC,
	ARGS,
	POLICY,
	SITES
};

static const char *const names[] = {
	[ID] = "id",
	[FILE_NAME] = "file",
	[ENTRY] = "entry",
	[BLOCK] = "block",
	[GRID] = "grid",
	[CLUSTER] = "cluster",
	[SHARED] = "shared",
	[COOPERATIVE] = "cooperative",
	[CC] = "cc",
	[ARGS] = "args",
	[POLICY] = "exit_policy",
	[SITES] = "site_policy",
};

enum { N_FIELDS = sizeof names / sizeof names[0], DIMS = 3 };

static bool
must_be(struct arena *a, const struct json *v, const char *what, struct str *why)
{
	*why = str_fmt(a, "'%.*s' must be %s, not %s", STR_ARG(v->key), what,
		json_kind_name(v->kind));
	return false;
}

static bool
get_string(struct arena *a, const struct json *v, const char **out, struct str *why)
{
	if (v->kind != JSON_STRING)
		return must_be(a, v, "a string", why);
	*out = v->string.s;
	return true;
}

/* As the flag would be written: whole numbers without an exponent. */
static bool
number_text(struct arena *a, const struct json *v, struct str *out)
{
	int64_t i;

	if (v->kind != JSON_NUMBER)
		return false;
	if (json_is_i64(v, &i) && i <= INT64_C(1) << 53 && i >= -(INT64_C(1) << 53))
		*out = str_fmt(a, "%" PRId64, i);
	else if (v->real)
		*out = str_fmt(a, "%.17g", v->number);
	else
		return false; /* digits are lost */
	return true;
}

/* "64,1,1", 64 or [64, 1, 1]. */
static bool
get_dim(struct arena *a, const struct json *v, const char **out, struct str *why)
{
	struct buf b = {.a = a};
	struct str one;

	if (v->kind == JSON_STRING)
		return get_string(a, v, out, why);
	if (v->kind == JSON_NUMBER && number_text(a, v, &one)) {
		*out = str_c(a, one);
		return true;
	}
	if (v->kind != JSON_ARRAY || !v->n || v->n > DIMS)
		return must_be(a, v, "a number, \"X,Y,Z\" or up to three numbers", why);
	json_each(e, v)
	{
		if (!number_text(a, e, &one))
			return must_be(a, v, "an array of whole numbers", why);
		buf_addf(&b, "%s%.*s", b.n ? "," : "", STR_ARG(one));
	}
	*out = buf_c(&b);
	return true;
}

static bool
get_cc(struct arena *a, const struct json *v, const char **out, struct str *why)
{
	if (v->kind == JSON_STRING)
		return get_string(a, v, out, why);
	if (v->kind != JSON_NUMBER)
		return must_be(a, v, "\"N.N\" or a number", why);
	*out = str_c(a, str_fmt(a, "%.15g", v->number));
	return true;
}

static bool
get_shared(struct arena *a, const struct json *v, long *out, struct str *why)
{
	int64_t i;

	if (v->kind != JSON_NUMBER || !json_is_i64(v, &i))
		return must_be(a, v, "a whole number of bytes", why);
	*out = (long)i;
	return true;
}

/* {"1": 64, "0": "ptr"}, or ["1=64", "0=ptr"] as the flags. */
static bool
get_args(struct arena *a, const struct json *v, struct opt_list *out, struct str *why)
{
	struct str value;

	if (v->kind != JSON_ARRAY && v->kind != JSON_OBJECT)
		return must_be(a, v, "an object or an array", why);
	out->v = arena_news(a, v->n + 1, const char *);
	json_each(e, v)
	{
		if (e->kind == JSON_STRING) {
			value = e->string;
		} else if (v->kind == JSON_ARRAY || e->kind != JSON_NUMBER) {
			*why = str_fmt(a,
				"'args' holds %s; \"N=VALUE\", or N: VALUE in "
				"an object, is needed",
				json_kind_name(e->kind));
			return false;
		} else if (!number_text(a, e, &value)) {
			*why = str_fmt(a,
				"arg %.*s: JSON numbers are exact to 2^53; "
				"write it as a string",
				STR_ARG(e->key));
			return false;
		}
		out->v[out->n++] =
			v->kind == JSON_ARRAY
				? value.s
				: str_c(a, str_fmt(a, "%.*s=%.*s", STR_ARG(e->key),
						   STR_ARG(value)));
	}
	return true;
}

static bool
unknown_field(struct arena *a, struct str key, struct str *why)
{
	struct str all[N_FIELDS];

	for (size_t i = 0; i < N_FIELDS; i++)
		all[i] = str_of(names[i]);
	struct str near = str_nearest(key, all, N_FIELDS);
	*why = near.n ? str_fmt(a, "unknown field '%.*s' (did you mean '%.*s'?)",
				STR_ARG(key), STR_ARG(near))
		      : str_fmt(a, "unknown field '%.*s'", STR_ARG(key));
	return false;
}

static bool
get_field(struct arena *a, const struct json *v, struct check_line *l, struct str *why)
{
	for (size_t i = 0; i < N_FIELDS; i++) {
		if (!str_is(v->key, names[i]))
			continue;
		switch ((enum field)i) {
		case ID: return true;
		case FILE_NAME: return get_string(a, v, &l->file, why);
		case ENTRY: return get_string(a, v, &l->c.entry, why);
		case BLOCK: return get_dim(a, v, &l->block, why);
		case GRID: return get_dim(a, v, &l->grid, why);
		case CLUSTER: return get_dim(a, v, &l->c.cluster, why);
		case SHARED: return get_shared(a, v, &l->c.shared_bytes, why);
		case CC: return get_cc(a, v, &l->c.cc, why);
		case ARGS: return get_args(a, v, &l->c.args, why);
		case POLICY: return get_string(a, v, &l->c.policy, why);
		case SITES: return get_string(a, v, &l->c.sites, why);
		case COOPERATIVE:
			l->c.cooperative = v->boolean;
			return v->kind == JSON_BOOL ||
			       must_be(a, v, "true or false", why);
		}
	}
	return unknown_field(a, v->key, why);
}

bool
check_line_parse(
	struct arena *a, struct str text, struct check_line *out, struct str *why)
{
	struct source src = {"line", text};
	struct capture c;

	capture_begin(&c);
	const struct json *v = json_parse(a, &src, &c.d);

	*out = (struct check_line){0};
	struct str said = capture_end(a, &c);
	if (!v) {
		/* The position is in the line that is known. */
		const struct str mark = STR_LIT("error: ");
		size_t at = str_find_text(said, mark) + mark.n;
		*why = str_fmt(a, "no JSON: %.*s", STR_ARG(str_sub(said, at, said.n)));
		return false;
	}
	if (v->kind != JSON_OBJECT) {
		*why = str_fmt(a, "a line is an object, not %s", json_kind_name(v->kind));
		return false;
	}
	out->id = json_get(v, "id");
	json_each(e, v)
	{
		if (!get_field(a, e, out, why))
			return false;
	}
	if (!out->file)
		*why = STR_LIT("file is needed");
	return out->file != NULL;
}
