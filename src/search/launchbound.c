/*
 * launchbound's kernel.toml: outline.h.  Its dimensions are enumerated in the order of
 * their names, the last one fastest, so that is the order of the parameters.  Its
 * expressions are ours but for "/", which is a whole division there, and a difference
 * below zero, which is an error there.
 */
#include "base/sha256.h"
#include "search/outline_parts.h"
#include "search/toml.h"

#include "base/arena.h"
#include "base/buf.h"

#include <stdlib.h>

/* A number or an expression, in our language; empty if there is neither. */
static struct str
expression(struct arena *a, const struct json *v)
{
	struct buf b = {.a = a};
	int64_t i;
	if (v && v->kind == JSON_NUMBER && json_is_i64(v, &i))
		return str_fmt(a, "%lld", (long long)i);
	if (!v || v->kind != JSON_STRING)
		return (struct str){0};
	for (size_t k = 0; k < v->string.n; k++)
		buf_adds(&b,
			v->string.s[k] == '/' ? "//" : (char[2]){v->string.s[k], '\0'});
	return buf_str(&b);
}

/* --- dimensions --------------------------------------------------------------------- */

static bool
read_values(struct arena *a, struct outline_param *p, const struct json *values,
	struct diag *d)
{
	p->values = arena_news(a, values->n, struct value);
	json_each(e, values)
	{
		struct value *v = &p->values[p->n++];
		if (e->kind == JSON_STRING) {
			*v = (struct value){.kind = VALUE_STRING, .s = e->string};
		} else if (e->kind != JSON_NUMBER || e->real || !json_is_i64(e, &v->i) ||
			   v->i < 0) {
			diag_error(d, json_place(e),
				"a value is a string or a whole number from 0 on");
			return false;
		}
	}
	return true;
}

static bool
read_dim(struct arena *a, struct outline *o, const struct json *dim, struct diag *d)
{
	const struct json *values = outline_need(dim, "values", JSON_ARRAY, d);
	struct str role = json_get_str(dim, "role");
	if (!values)
		return false;
	if (role.n && !str_is(role, "launch") && !str_is(role, "spec")) {
		diag_error(d, json_place(json_get(dim, "role")),
			"a role is \"launch\" or \"spec\"");
		return false;
	}
	struct outline_param *p = outline_add_param(o, dim, dim->key, d);
	if (!p)
		return false;
	p->launch = role.n ? str_is(role, "launch") : str_starts(dim->key, "block_");
	return read_values(a, p, values, d);
}

static int
compare(const void *x, const void *y)
{
	const struct outline_param *p = x, *q = y;
	return str_cmp(p->name, q->name);
}

static bool
read_space(struct arena *a, struct outline *o, const struct json *top, struct diag *d)
{
	const struct json *dims = outline_need(top, "dims", JSON_OBJECT, d);
	const struct json *exprs = json_get(json_get(top, "constraints"), "exprs");
	if (!dims)
		return false;
	json_each(dim, dims) if (!read_dim(a, o, dim, d)) return false;
	qsort(o->params, o->n_params, sizeof *o->params, compare);
	if (exprs && exprs->kind != JSON_ARRAY) {
		diag_error(d, json_place(exprs), "'exprs' is an array of strings");
		return false;
	}
	if (exprs)
		json_each(e, exprs)
		{
			if (e->kind != JSON_STRING) {
				diag_error(d, json_place(e), "a constraint is a string");
				return false;
			}
			outline_add_constraint(a, o, expression(a, e));
		}
	return true;
}

/* --- launch and arguments ----------------------------------------------------------- */

static void
read_launch(struct arena *a, struct outline *o, const struct json *bench)
{
	static const char *const blocks[] = {"block_x", "block_y", "block_z"};
	static const char *const grids[] = {"grid_x", "grid_y", "grid_z"};
	int64_t elements;
	for (size_t i = 0; i < 3; i++) {
		for (size_t k = 0; k < o->n_params; k++)
			if (str_is(o->params[k].name, blocks[i]))
				o->block[i] = o->params[k].name;
		o->grid[i] = expression(a, json_get(bench, grids[i]));
	}
	if (json_get(bench, "elements") &&
		json_is_i64(json_get(bench, "elements"), &elements)) {
		o->size_key = STR_LIT("elements");
		o->size_value = (struct value){.kind = VALUE_INT, .i = elements};
	}
}

static bool
read_arg(struct arena *a, struct outline *o, const struct json *v, struct diag *d)
{
	struct str kind = json_get_str(v, "kind");
	struct outline_arg arg = {.name = str_fmt(a, "arg%zu", o->n_args),
		.output = str_starts(kind, "out_"),
		.count = expression(a, json_get(v, "len")),
		.value = expression(a, json_get(v, "value"))};
	int64_t of = json_get_i64(v, "of", -1);
	if (str_is(kind, "in_f32") || str_is(kind, "out_f32"))
		arg.type = STR_LIT("f32*");
	else if (str_is(kind, "in_u32") || str_is(kind, "out_u32"))
		arg.type = STR_LIT("u32*");
	else if (str_is(kind, "u32") || str_is(kind, "u64"))
		arg.type = kind;
	else if (str_is(kind, "len_of") && of >= 0 && (size_t)of < o->n_args) {
		arg.type = STR_LIT("u64");
		arg.value = o->args[of].count;
	} else {
		diag_error(d, json_place(v),
			"an argument is of kind in_f32, in_u32, out_f32, out_u32, u32, "
			"u64, or len_of an argument before it");
		return false;
	}
	outline_add_arg(a, o, &arg);
	return true;
}

bool
outline_read_launchbound(
	struct arena *a, struct outline *o, const struct source *src, struct diag *d)
{
	const struct json *top = toml_parse(a, src, d);
	const struct json *kernel =
		top ? outline_need(top, "kernel", JSON_OBJECT, d) : NULL;
	const struct json *name =
		kernel ? outline_need(kernel, "name", JSON_STRING, d) : NULL;
	const struct json *bench = json_get(top, "bench");
	const struct json *args = json_get(bench, "args");
	if (!name || !read_space(a, o, top, d))
		return false;
	o->kernel = name->string;
	o->entry = json_get_str(kernel, "entry");
	o->source = STR_LIT("src/lib.rs");
	o->language = STR_LIT("rust");
	o->launchbound = true;
	read_launch(a, o, bench);
	if (args && args->kind == JSON_ARRAY)
		json_each(v, args) if (!read_arg(a, o, v, d)) return false;
	return true;
}

/* --- ids ---------------------------------------------------------------------------- */

struct str
launchbound_id(struct arena *a, const struct kernel *k, const uint16_t *choice)
{
	enum { BYTES = 8 };
	static const char tag[] = "launchbound.config.v1"; /* with its NUL */
	unsigned char hash[SHA256_BYTES];
	struct buf b = {.a = a}, id = {.a = a};
	buf_add(&b, tag, sizeof tag);
	buf_addstr(&b, k->name);
	buf_addc(&b, '\0');
	for (size_t i = 0; i < k->n_params; i++) {
		buf_addstr(&b, k->params[i].name);
		buf_addc(&b, '=');
		buf_addstr(&b, value_text(a, k->params[i].values[choice[i]]));
		buf_addc(&b, '\n');
	}
	sha256(buf_str(&b), hash);
	buf_adds(&id, "c1-");
	for (int i = 0; i < BYTES; i++)
		buf_addf(&id, "%02x", hash[i]);
	return buf_str(&id);
}
