#include "graph/points.h"

#include "base/arena.h"
#include "base/map.h"
#include "format/json.h"
#include "graph/searching.h"
#include "model/kernel_text.h"
#include "model/param_json.h"

/* Several specializations may share a source, and sources headers: each is told once. */
static void
put_source(struct json_out *o, struct map *seen, const struct leaf *f)
{
	bool added;
	if (leaf_is_choice(f->text))
		return;
	map_put(seen, str_of(f->path), &added);
	if (added)
		json_put_c(o, f->path, f->hash);
}

static void
put_sources(struct arena *a, struct json_out *o, const struct plan *p,
	const struct plan_kernel *k)
{
	struct map seen = {.a = a};
	json_open_object(o, "sources");
	for (size_t i = 0; i < k->n_specializations; i++) {
		const struct leaf *f = k->specializations[i].source;
		put_source(o, &seen, f);
		for (size_t j = 0; j < f->n_deps; j++)
			put_source(o, &seen, p->leaves.v[f->deps[j]]);
	}
	json_close_object(o);
}

static void
put_tools(struct arena *a, struct json_out *o, const struct plan *p,
	const struct plan_kernel *k)
{
	const struct device *dev = p->device;
	json_open_object(o, "device");
	json_put_str(o, "name", dev->name);
	json_put_str(o, "uuid", dev->uuid);
	json_put_c(o, "cc", str_fmt(a, "%d.%d", dev->cc_major, dev->cc_minor).s);
	json_put_str(o, "driver", dev->driver);
	json_close_object(o);
	json_put_str(o, "toolchain", k->toolchain_version);
	json_put_str(o, "assembler", p->assembler);
	json_put_c(o, "backend", p->backend);
}

/* What 'lower' is called with; a specialization adds its parameters, as -DNAME=VALUE and
 * in the place of {NAME}. */
static void
put_lower(struct json_out *o, const struct plan_kernel *k)
{
	json_open_object(o, "lower");
	json_put_c(o, "toolchain", k->toolchain->name);
	json_put_str(o, "entry", k->k->entry.s);
	json_put_str(o, "command", k->k->command.s);
	json_open_array(o, "include", true);
	for (size_t i = 0; i < k->k->n_includes; i++)
		json_put_str(o, NULL, k->k->includes[i].s);
	json_close_array(o);
	json_open_array(o, "flags", true);
	for (size_t i = 0; i < k->k->n_flags; i++)
		json_put_str(o, NULL, k->k->flags[i].s);
	json_close_array(o);
	json_close_object(o);
}

struct str
pins_json(struct arena *a, const struct plan *p, const struct plan_kernel *k)
{
	struct json_out o = {.b = {.a = a}};
	json_open_object(&o, NULL);
	json_put_c(&o, "schema", "lanewise/pins.v1");
	json_put_c(&o, "spec", plan_kernel_hash(a, k));
	json_put_c(&o, "spec_file", p->spec->src->name);
	json_put_str(&o, "spec_text", kernel_text_hash(a, k->k));
	put_sources(a, &o, p, k);
	put_tools(a, &o, p, k);
	put_lower(&o, k);
	json_close_object(&o);
	return json_done(&o);
}

static void
put_sizes(struct arena *a, struct json_out *o, const struct kernel *k)
{
	json_open_array(o, "sizes", false);
	for (size_t i = 0; i < k->n_sizes; i++) {
		json_open_object(o, NULL);
		json_put_str(o, "name", k->sizes[i].name);
		json_open_object(o, "values");
		for (size_t v = 0; v < k->sizes[i].n; v++)
			value_put(
				o, str_c(a, k->sizes[i].keys[v]), &k->sizes[i].values[v]);
		json_close_object(o);
		json_close_object(o);
	}
	json_close_array(o);
}

static void
put_point(struct arena *a, struct json_out *o, const struct plan_kernel *k,
	const struct plan_point *pt)
{
	json_open_object(o, NULL);
	json_put_str(o, "point", pt->name);
	json_put_str(o, "candidate", candidate_name(a, k->k, pt->candidate));
	json_put_str(o, "label", candidate_label(a, k->k, pt->candidate));
	json_put_str(o, "id", candidate_id(a, k->k, pt->candidate));
	json_put_str(o, "size", pt->size->name);
	json_put_str(o, "specialization", k->specializations[pt->specialization].name);
	json_open_object(o, "assignment");
	for (size_t i = 0; i < k->k->n_params; i++) {
		struct value v = candidate_value(k->k, pt->candidate, i);
		value_put(o, str_c(a, k->k->params[i].name), &v);
	}
	json_close_object(o);
	json_put_str(o, "launch", pt->launch);
	json_put_str(o, "args", pt->args);
	if (pt->reference >= 0)
		json_put_c(o, "reference", k->references[pt->reference].file);
	json_put_f64(o, "bytes", pt->bytes);
	json_put_f64(o, "flops", pt->flops);
	json_close_object(o);
}

static struct str
baseline_name(struct arena *a, const struct plan_kernel *k)
{
	for (size_t i = 0; i < k->n_points; i++)
		if (plan_is_baseline(k->k, k->points[i].candidate))
			return candidate_name(a, k->k, k->points[i].candidate);
	return (struct str){0};
}

static void
put_apply(struct json_out *o, const char *key, struct str name)
{
	if (name.n)
		json_put_str(o, key, name);
}

struct str
points_text(struct arena *a, const struct plan *p, const struct plan_kernel *k)
{
	struct json_out o = {.b = {.a = a}};
	struct str baseline = baseline_name(a, k);
	json_open_object(&o, NULL);
	json_put_c(&o, "schema", "lanewise/points.v1");
	json_put_str(&o, "kernel", k->k->name);
	json_put_str(&o, "entry_hint", k->k->entry.s);
	json_open_object(&o, "pins");
	put_tools(a, &o, p, k);
	json_close_object(&o);
	json_open_array(&o, "sources", true);
	for (size_t i = 0; i < p->leaves.n; i++)
		json_put_c(&o, NULL, p->leaves.v[i]->path);
	json_close_array(&o);
	params_put(&o, k->k);
	put_sizes(a, &o, k->k);
	if (baseline.n)
		json_put_str(&o, "baseline", baseline);
	else
		json_put_null(&o, "baseline");
	json_open_object(&o, "apply");
	put_apply(&o, "header", p->spec->apply_header.s);
	put_apply(&o, "json", p->spec->apply_json.s);
	json_close_object(&o);
	if (k->searches)
		searching_put(&o, "search", k);
	if (p->unsafe)
		json_put_c(&o, "unsafe_reason", p->unsafe);
	json_open_array(&o, "points", false);
	for (size_t i = 0; i < k->n_points; i++)
		put_point(a, &o, k, &k->points[i]);
	json_close_array(&o);
	json_close_object(&o);
	return json_done(&o);
}
