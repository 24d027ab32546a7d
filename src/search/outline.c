#include "search/csv.h"
#include "search/outline_parts.h"

#include "base/arena.h"
#include "model/param_json.h"
#include "space/space.h"

/* --- reading ------------------------------------------------------------------------ */

const struct json *
outline_need(const struct json *of, const char *key, enum json_kind kind, struct diag *d)
{
	const struct json *v = json_get(of, key);
	if (v && v->kind == kind)
		return v;
	if (v)
		diag_error(d, json_place(v), "'%s' is %s, not %s", key,
			json_kind_name(v->kind), json_kind_name(kind));
	else
		diag_error(d, json_place(of), "there is no '%s' here", key);
	return NULL;
}

struct outline_param *
outline_add_param(
	struct outline *o, const struct json *at, struct str name, struct diag *d)
{
	if (o->n_params == SPEC_PARAMS_MAX) {
		diag_error(d, json_place(at), "more than %d parameters", SPEC_PARAMS_MAX);
		return NULL;
	}
	for (size_t i = 0; i < o->n_params; i++)
		if (str_eq(o->params[i].name, name)) {
			diag_error(d, json_place(at), "parameter '%.*s' is there twice",
				STR_ARG(name));
			return NULL;
		}
	struct outline_param *p = &o->params[o->n_params++];
	p->name = name;
	return p;
}

void
outline_add_constraint(struct arena *a, struct outline *o, struct str text)
{
	arena_grow(a, o->constraints, o->n_constraints, o->cap_constraints);
	o->constraints[o->n_constraints++] = text;
}

void
outline_add_arg(struct arena *a, struct outline *o, const struct outline_arg *arg)
{
	arena_grow(a, o->args, o->n_args, o->cap_args);
	o->args[o->n_args++] = *arg;
}

enum outline_format
outline_format_of(const struct source *src)
{
	if (str_ends(str_of(src->name), ".toml"))
		return OUTLINE_LAUNCHBOUND;
	return str_has(src->text, STR_LIT("\"ConfigurationSpace\"")) ? OUTLINE_T1
								     : OUTLINE_NONE;
}

struct outline *
outline_read(
	struct arena *a, const struct source *src, enum outline_format f, struct diag *d)
{
	struct outline *o = arena_new(a, struct outline);
	bool read = f == OUTLINE_T1 ? outline_read_t1(a, o, src, d)
				    : outline_read_launchbound(a, o, src, d);
	return read ? o : NULL;
}

/* --- as a spec ---------------------------------------------------------------------- */

static void
put_params(struct arena *a, struct json_out *j, const struct outline *o)
{
	json_open_object(j, "params");
	for (size_t i = 0; i < o->n_params; i++) {
		const struct outline_param *p = &o->params[i];
		json_open_object(j, str_c(a, p->name));
		json_open_array(j, "values", true);
		for (size_t k = 0; k < p->n; k++)
			value_put(j, NULL, &p->values[k]);
		json_close_array(j);
		if (p->launch)
			json_put_c(j, "role", "launch");
		json_close_object(j);
	}
	json_close_object(j);
}

static void
put_strings(struct json_out *j, const char *key, const struct str *v, size_t n)
{
	if (!n)
		return;
	json_open_array(j, key, true);
	for (size_t i = 0; i < n; i++)
		json_put_str(j, NULL, v[i]);
	json_close_array(j);
}

static void
put_shape(struct json_out *j, const char *key, const struct str v[3])
{
	size_t n = v[2].n ? 3 : v[1].n ? 2 : 1;
	json_open_array(j, key, true);
	for (size_t i = 0; i < n; i++)
		json_put_str(j, NULL, v[i].n ? v[i] : STR_LIT("1"));
	json_close_array(j);
}

static void
put_args(struct json_out *j, const struct outline *o)
{
	if (!o->n_args)
		return;
	json_open_array(j, "args", false);
	for (size_t i = 0; i < o->n_args; i++) {
		const struct outline_arg *v = &o->args[i];
		json_open_object(j, NULL);
		json_put_str(j, "name", v->name);
		json_put_str(j, "type", v->type);
		if (v->count.n)
			json_put_str(j, "count", v->count);
		if (v->value.n)
			json_put_str(j, "value", v->value);
		if (v->output)
			json_put_bool(j, "output", true);
		json_close_object(j);
	}
	json_close_array(j);
}

struct str
outline_write(struct arena *a, const struct outline *o)
{
	struct json_out j = {.b = {.a = a}};
	json_open_object(&j, NULL);
	json_put_c(&j, "schema", "lanewise/spec.v1");
	json_open_object(&j, "kernels");
	json_open_object(&j, str_c(a, o->kernel));
	json_put_str(&j, "source", o->source);
	json_put_str(&j, "language", o->language);
	if (o->entry.n)
		json_put_str(&j, "entry", o->entry);
	put_strings(&j, "flags", o->flags, o->n_flags);
	put_params(a, &j, o);
	put_strings(&j, "constraints", o->constraints, o->n_constraints);
	json_open_object(&j, "launch");
	put_shape(&j, "block", o->block);
	put_shape(&j, "grid", o->grid);
	json_close_object(&j);
	if (o->size_key.n) {
		json_open_object(&j, "sizes");
		json_open_object(&j, "default");
		value_put(&j, str_c(a, o->size_key), &o->size_value);
		json_close_object(&j);
		json_close_object(&j);
	}
	put_args(&j, o);
	json_close_object(&j);
	json_close_object(&j);
	json_close_object(&j);
	return json_done(&j);
}

/* --- as a list ---------------------------------------------------------------------- */

static void
add_line(struct arena *a, struct buf *b, const struct outline *o, const struct kernel *k,
	const struct space_walk *w)
{
	struct candidate c = {w->choice, w->sizes};
	if (o->launchbound) {
		buf_addstr(b, launchbound_id(a, k, w->choice));
		buf_addc(b, ',');
	}
	buf_addstr(b, candidate_id(a, k, &c));
	for (size_t i = 0; i < k->n_params; i++) {
		buf_addc(b, ',');
		csv_cell(b, value_text(a, k->params[i].values[w->choice[i]]));
	}
	buf_addc(b, '\n');
}

struct str
outline_csv(struct arena *a, const struct outline *o, struct diag *d)
{
	struct buf b = {.a = a};
	struct source *src = arena_new(a, struct source);
	struct space_walk w;
	*src = (struct source){"the spec made of it", outline_write(a, o)};
	const struct spec *spec = spec_parse(a, src, d);
	const struct space *s = spec ? space_build(a, &spec->kernels[0], NULL, d) : NULL;
	if (!s)
		return (struct str){0};
	const struct kernel *k = s->kernel;
	if (s->count > SPACE_CANDIDATES_MAX) {
		diag_error(d, k->at, "more than %d candidates: too many to list",
			SPACE_CANDIDATES_MAX);
		return (struct str){0};
	}
	buf_adds(&b, o->launchbound ? "launchbound_id,id" : "id");
	for (size_t i = 0; i < k->n_params; i++) {
		buf_addc(&b, ',');
		csv_cell(&b, k->params[i].name);
	}
	buf_addc(&b, '\n');
	space_walk_start(&w, s);
	while (space_next(&w))
		add_line(a, &b, o, k, &w);
	return buf_str(&b);
}
