/* T1 input files: outline.h.  Every parameter is one of the compiler, as Kernel Tuner
 * defines all of them, also those of the block. */
#include "search/outline_parts.h"

#include "base/arena.h"
#include "base/buf.h"

/* --- the space ---------------------------------------------------------------------- */

static bool
read_param(struct arena *a, struct outline *o, const struct json *v, struct diag *d)
{
	const struct json *name = outline_need(v, "Name", JSON_STRING, d);
	const struct json *values =
		name ? outline_need(v, "Values", JSON_STRING, d) : NULL;
	if (!values)
		return false;
	struct outline_param *p = outline_add_param(o, name, name->string, d);
	struct place at = json_place(values);
	at.col++; /* the quote */
	return p && pylist_read(a, values->string, at, &p->values, &p->n, d);
}

static bool
read_space(struct arena *a, struct outline *o, const struct json *top, struct diag *d)
{
	const struct json *space =
		outline_need(top, "ConfigurationSpace", JSON_OBJECT, d);
	const struct json *params =
		space ? outline_need(space, "TuningParameters", JSON_ARRAY, d) : NULL;
	const struct json *conditions = json_get(space, "Conditions");
	if (!params)
		return false;
	json_each(p, params) if (!read_param(a, o, p, d)) return false;
	if (!conditions || conditions->kind != JSON_ARRAY)
		return true;
	json_each(c, conditions)
	{
		const struct json *e = outline_need(c, "Expression", JSON_STRING, d);
		if (!e)
			return false;
		outline_add_constraint(a, o, e->string);
	}
	return true;
}

/* --- the launch --------------------------------------------------------------------- */

/* A number or an expression as text; empty if there is neither. */
static struct str
expression(struct arena *a, const struct json *v)
{
	int64_t i;
	if (v && v->kind == JSON_STRING)
		return v->string;
	if (v && v->kind == JSON_NUMBER)
		return json_is_i64(v, &i) ? str_fmt(a, "%lld", (long long)i)
					  : str_fmt(a, "%.17g", v->number);
	return (struct str){0};
}

/* Kernel Tuner's way: the problem size over the product of the divisors, rounded up. */
static struct str
grid_of_problem(struct arena *a, const struct json *size, const struct json *divisors)
{
	struct buf b = {.a = a};
	struct str n = expression(a, size);
	if (!n.n || !divisors || divisors->kind != JSON_ARRAY || !divisors->n)
		return n;
	buf_addf(&b, "ceil_div(%.*s, ", STR_ARG(n));
	json_each(e, divisors) buf_addf(&b, "%s(%.*s)", e == divisors->child ? "" : " * ",
		STR_ARG(expression(a, e)));
	buf_addc(&b, ')');
	return buf_str(&b);
}

/* GlobalSize counts threads, as OpenCL does, or blocks, as CUDA does. */
static struct str
grid_of_global(struct arena *a, const struct json *k, struct str global, struct str local)
{
	struct str type = json_get_str(k, "GlobalSizeType");
	bool threads = str_is(type.n ? type : json_get_str(k, "Language"), "OpenCL");
	if (!threads || !global.n || !local.n)
		return global;
	return str_fmt(a, "ceil_div(%.*s, %.*s)", STR_ARG(global), STR_ARG(local));
}

static void
read_launch(struct arena *a, struct outline *o, const struct json *k)
{
	static const char *const axes[] = {"X", "Y", "Z"};
	static const char *const divs[] = {"GridDivX", "GridDivY", "GridDivZ"};
	const struct json *local = json_get(k, "LocalSize");
	const struct json *global = json_get(k, "GlobalSize");
	const struct json *problem = json_get(k, "ProblemSize");
	const struct json *size =
		problem && problem->kind == JSON_ARRAY ? problem->child : problem;
	for (size_t i = 0; i < 3; i++) {
		const struct json *divisors = json_get(k, divs[i]);
		o->block[i] = expression(a, json_get(local, axes[i]));
		o->grid[i] = size && divisors
				     ? grid_of_problem(a, size, divisors)
				     : grid_of_global(a, k,
					       expression(a, json_get(global, axes[i])),
					       o->block[i]);
		size = size ? size->next : NULL;
	}
}

/* --- the arguments ------------------------------------------------------------------ */

static const struct type {
	const char *t1, *ours;
} types[] = {
	{"bool", "u8"},
	{"int8", "i8"},
	{"uint8", "u8"},
	{"int16", "i16"},
	{"uint16", "u16"},
	{"int32", "i32"},
	{"uint32", "u32"},
	{"int64", "i64"},
	{"uint64", "u64"},
	{"half", "f16"},
	{"float", "f32"},
	{"double", "f64"},
};

static bool
read_arg(struct arena *a, struct outline *o, const struct json *v, struct diag *d)
{
	struct str type = json_get_str(v, "Type"), memory = json_get_str(v, "MemoryType");
	struct str ours = {0}, none = {0};
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (str_is(type, types[i].t1))
			ours = str_of(types[i].ours);
	if (!str_is(memory, "Vector") && !str_is(memory, "Scalar"))
		return true; /* local memory and symbols are no arguments here */
	if (!ours.n) {
		diag_error(d, json_place(v), "arguments of type '%.*s' are not read",
			STR_ARG(type));
		return false;
	}
	bool vector = str_is(memory, "Vector");
	const struct json *fill = json_get(v, "FillValue");
	struct outline_arg arg = {.name = json_get_str(v, "Name"),
		.type = vector ? str_fmt(a, "%.*s*", STR_ARG(ours)) : ours,
		.count = vector ? expression(a, json_get(v, "Size")) : none,
		.value = vector ? none : expression(a, fill),
		.output = vector &&
			  (json_get(v, "Output") ||
				  str_is(json_get_str(v, "AccessType"), "WriteOnly"))};
	outline_add_arg(a, o, &arg);
	return true;
}

/* --- all of it ---------------------------------------------------------------------- */

bool
outline_read_t1(
	struct arena *a, struct outline *o, const struct source *src, struct diag *d)
{
	const struct json *top = json_parse(a, src, d);
	const struct json *k =
		top ? outline_need(top, "KernelSpecification", JSON_OBJECT, d) : NULL;
	const struct json *name =
		k ? outline_need(k, "KernelName", JSON_STRING, d) : NULL;
	const struct json *args = json_get(k, "Arguments");
	const struct json *flags = json_get(k, "CompilerOptions");
	if (!name || !read_space(a, o, top, d))
		return false;
	o->kernel = name->string;
	o->source = json_get_str(k, "KernelFile");
	o->language = str_is(json_get_str(k, "Language"), "OpenCL") ? STR_LIT("opencl")
								    : STR_LIT("cuda");
	read_launch(a, o, k);
	if (flags && flags->kind == JSON_ARRAY) {
		o->flags = arena_news(a, flags->n, struct str);
		json_each(f, flags) if (f->kind == JSON_STRING) o->flags[o->n_flags++] =
			f->string;
	}
	if (args && args->kind == JSON_ARRAY)
		json_each(v, args) if (!read_arg(a, o, v, d)) return false;
	return true;
}
