#include "base/arena.h"
#include "model/spec_reader.h"

static size_t
type_names(struct str names[N_DTYPES])
{
	for (size_t i = 0; i < N_DTYPES; i++)
		names[i] = str_of(dtype_name((enum dtype)i));
	return N_DTYPES;
}

void
read_arg_name(struct spec_reader *r, const struct json *v, void *to)
{
	struct arg_spec *g = to;
	struct name name;
	read_identifier(r, v, &name);
	g->name = name.s;
}

void
read_arg_type(struct spec_reader *r, const struct json *v, void *to)
{
	struct arg_spec *g = to;
	struct str type = v->string, names[N_DTYPES];
	g->pointer = str_ends(type, "*");
	type.n -= g->pointer;
	if (!dtype_find(type, &g->type))
		spec_unknown(r, json_place(v), "type", type, names, type_names(names));
}

void
read_fill(struct spec_reader *r, const struct json *v, void *to)
{
	struct arg_spec *g = to;
	struct str names[N_FILLS];
	for (size_t i = 0; i < N_FILLS; i++)
		names[i] = str_of(fill_name((enum fill)i));
	if (!fill_find(v->string, &g->fill))
		spec_unknown(r, json_place(v), "fill", v->string, names, N_FILLS);
}

void
read_file(struct spec_reader *r, const struct json *v, void *to)
{
	struct arg_spec *g = to;
	read_path(r, v, &g->file);
}

void
read_exponents(struct spec_reader *r, const struct json *v, void *to)
{
	struct arg_spec *g = to;
	const struct json *from = v->child, *upto = from ? from->next : NULL;
	if (v->n != 2 || !json_is_i64(from, &g->from) || !json_is_i64(upto, &g->to) ||
		g->from > g->to)
		diag_error(r->d, json_place(v),
			"'exponents' are [from, to], whole numbers, the smaller first");
}

void
read_arg_tolerance(struct spec_reader *r, const struct json *v, void *to)
{
	struct arg_spec *g = to;
	g->tolerated = true;
	spec_read_object(r, WHERE_TOLERANCE, v, &g->tolerance);
}

static void
refuse(struct spec_reader *r, const struct json *arg, const char *key, const char *say)
{
	const struct json *m = json_get(arg, key);
	if (m)
		diag_error(r->d, json_key_place(m), "%s", say);
}

static void
finish_scalar(struct spec_reader *r, const struct json *v)
{
	refuse(r, v, "count", "a scalar has no 'count': write the type with a '*'");
	refuse(r, v, "fill", "a scalar has no 'fill': write its 'value'");
	refuse(r, v, "exponents", "a scalar has no 'fill': write its 'value'");
	refuse(r, v, "file", "a scalar has no 'file': write its 'value'");
	refuse(r, v, "output", "a scalar is no output: write the type with a '*'");
	refuse(r, v, "inout", "a scalar is no output: write the type with a '*'");
	refuse(r, v, "tolerance", "a scalar is no output and has no 'tolerance'");
}

/* A file is a fill by itself. */
static void
finish_file(struct spec_reader *r, const struct json *v, struct arg_spec *g)
{
	const struct json *fill = json_get(v, "fill");
	bool named = json_get(v, "file") != NULL;
	if (fill && named && g->fill != FILL_FILE)
		diag_error(r->d, json_key_place(fill),
			"the contents are in 'file' already: keep one of the two");
	if (fill && !named && g->fill == FILL_FILE)
		diag_error(r->d, json_place(fill),
			"which file? write \"file\": \"PATH\" in the place of 'fill'");
	if (named)
		g->fill = FILL_FILE;
}

/* The fill can be made in this type. */
static void
finish_fill(struct spec_reader *r, const struct json *v, struct arg_spec *g)
{
	const struct json *fill = json_get(v, "fill");
	finish_file(r, v, g);
	if (g->fill != FILL_FULL)
		refuse(r, v, "exponents", "'exponents' go with \"fill\": \"full\" only");
	if (fill && !fill_fits(g->fill, g->type))
		diag_error(r->d, json_place(fill),
			"the fill '%s' is for floating types: '%.*s' is %s; write "
			"'uniform'",
			fill_name(g->fill), STR_ARG(g->name), dtype_name(g->type));
	else if (g->fill == FILL_FULL && json_get(v, "exponents") &&
		 !fill_exponents_fit(g->type, g->from, g->to))
		diag_error(r->d, json_place(json_get(v, "exponents")),
			"the exponents of %s go from %d to %d", dtype_name(g->type),
			dtype_least_exponent(g->type), dtype_most_exponent(g->type));
}

static void
finish_pointer(struct spec_reader *r, const struct json *v, struct arg_spec *g)
{
	bool inout = json_get(v, "inout") && g->input;
	refuse(r, v, "value", "a buffer has no 'value': write its 'count' and 'fill'");
	if (!json_get(v, "count"))
		diag_error(r->d, json_place(v),
			"'count' is missing: how many elements '%.*s' has",
			STR_ARG(g->name));
	if (g->output && !inout) {
		refuse(r, v, "fill",
			"an output is not filled: write 'inout' instead of 'output'");
		refuse(r, v, "file",
			"an output is not filled: expected values go into 'npy' of "
			"'verify'");
	}
	finish_fill(r, v, g);
	g->input = inout || !g->output;
	g->output = g->output || inout;
	if (!g->output)
		refuse(r, v, "tolerance",
			"an input is not compared: 'tolerance' is for outputs");
}

static void
read_arg(struct spec_reader *r, const struct json *v, struct arg_spec *g)
{
	g->at = json_place(v);
	g->from = -6;
	g->to = 6;
	spec_read_object(r, WHERE_ARG, v, g);
	if (v->kind != JSON_OBJECT)
		return;
	if (g->pointer)
		finish_pointer(r, v, g);
	else
		finish_scalar(r, v);
}

void
read_args(struct spec_reader *r, const struct json *v, void *to)
{
	struct kernel *k = to;
	k->args_at = json_place(v);
	if (!spec_count_ok(r, v, SPEC_LIST_MAX, "arguments"))
		return;
	k->args = arena_news(r->a, v->n, struct arg_spec);
	json_each(m, v)
	{
		struct arg_spec *g = &k->args[k->n_args];
		read_arg(r, m, g);
		for (size_t i = 0; i < k->n_args; i++)
			if (g->name.n && str_eq(k->args[i].name, g->name))
				diag_error(r->d, g->at, "two arguments are named '%.*s'",
					STR_ARG(g->name));
		k->n_args++;
	}
}

void
read_against(struct spec_reader *r, const struct json *v, void *to)
{
	struct verify_spec *s = to;
	if (!str_is(v->string, "baseline"))
		diag_error(r->d, json_place(v), "'against' is 'baseline', not '%.*s'",
			STR_ARG(v->string));
	s->against_baseline = true;
}

void
read_npy(struct spec_reader *r, const struct json *v, void *to)
{
	struct verify_spec *s = to;
	if (!spec_count_ok(r, v, SPEC_LIST_MAX, "files"))
		return;
	s->npy = arena_news(r->a, v->n, struct npy_spec);
	json_each(m, v)
	{
		struct npy_spec *file = &s->npy[s->n_npy++];
		*file = (struct npy_spec){.output = m->key, .at = json_key_place(m)};
		if (m->kind == JSON_STRING)
			read_path(r, m, &file->file);
		else
			diag_error(r->d, json_place(m), "'npy' names files, not %s",
				json_kind_name(m->kind));
	}
}

void
read_tolerances(struct spec_reader *r, const struct json *v, void *to)
{
	struct verify_spec *s = to;
	spec_read_object(r, WHERE_TOLERANCE, v, &s->tolerance);
}

void
read_verify(struct spec_reader *r, const struct json *v, void *to)
{
	struct kernel *k = to;
	struct verify_spec *s = &k->verify;
	s->present = true;
	s->function = (struct name){STR_LIT("lanewise_oracle"), json_place(v)};
	spec_read_object(r, WHERE_VERIFY, v, s);
	const struct json *npy = json_get(v, "npy"), *against = json_get(v, "against");
	if ((s->oracle.s.n > 0) + s->against_baseline + (npy != NULL) > 1)
		diag_error(r->d, json_key_place(npy ? npy : against),
			"expected outputs come from one place: keep one of 'oracle', "
			"'against' and 'npy'");
	if (!s->oracle.s.n && !s->against_baseline && !npy)
		diag_error(r->d, json_key_place(v),
			"'verify' names an 'oracle' or 'npy' files, or says \"against\": "
			"\"baseline\"");
}
