#include "node/pointlist.h"

#include "base/arena.h"
#include "model/record.h"

#include <math.h>

#define SCHEMA "lanewise/points.v1"

static struct str
optional(struct record *r, const char *key)
{
	return record_has(r, key) ? record_str(r, key) : (struct str){0};
}

static bool
get_point(const struct json *v, struct point *p, struct diag *d)
{
	struct record r = record_open(v, NULL, d);

	p->name = record_str(&r, "point");
	p->candidate = record_str(&r, "candidate");
	p->label = record_str(&r, "label");
	p->id = record_str(&r, "id");
	p->size = record_str(&r, "size");
	p->specialization = record_str(&r, "specialization");
	p->assignment = record_object(&r, "assignment").v;
	r.ok = r.ok && p->assignment;
	p->launch_text = record_str(&r, "launch");
	if (r.ok && !launch_parse(p->launch_text, &p->launch))
		record_fail(&r, "launch", "malformed launch shape");
	p->args = record_str(&r, "args");
	p->reference = optional(&r, "reference");
	p->bytes = record_has(&r, "bytes") ? record_f64(&r, "bytes") : (double)NAN;
	p->flops = record_has(&r, "flops") ? record_f64(&r, "flops") : (double)NAN;
	return r.ok;
}

static void
get_apply(struct record *top, struct pointlist *out)
{
	struct record r;

	if (!record_has(top, "apply"))
		return;
	r = record_object(top, "apply");
	out->header = optional(&r, "header");
	out->json = optional(&r, "json");
	top->ok = top->ok && r.ok;
}

static bool
check_sizes(struct record *top, const struct json *sizes)
{
	json_each(s, sizes)
	{
		struct record r = record_open(s, NULL, top->d);
		record_str(&r, "name");
		record_object(&r, "values");
		if (!r.ok)
			return top->ok = false;
	}
	return true;
}

static struct pointlist *
get_list(struct arena *a, const struct json *v, struct diag *d)
{
	static const struct json nothing = {.kind = JSON_OBJECT};
	struct pointlist *out = arena_new(a, struct pointlist);
	struct record r = record_open(v, SCHEMA, d);
	const struct json *points;

	out->kernel = record_str(&r, "kernel");
	out->sources = record_array(&r, "sources", JSON_STRING);
	out->params = record_array(&r, "params", JSON_OBJECT);
	out->sizes = record_array(&r, "sizes", JSON_OBJECT);
	out->baseline = optional(&r, "baseline");
	out->unsafe_reason = optional(&r, "unsafe_reason");
	out->pins = record_has(&r, "pins") ? record_object(&r, "pins").v : &nothing;
	out->search = record_has(&r, "search") ? record_object(&r, "search").v : NULL;
	get_apply(&r, out);
	points = record_array(&r, "points", JSON_OBJECT);
	if (!points || !out->pins || !check_sizes(&r, out->sizes))
		return NULL;
	out->v = arena_news(a, points->n, struct point);
	json_each(p, points)
	{
		if (!get_point(p, &out->v[out->n++], d))
			return NULL;
	}
	return r.ok ? out : NULL;
}

struct pointlist *
pointlist_read(struct arena *a, const char *path, struct str bytes, struct diag *d)
{
	struct source *src = arena_new(a, struct source);

	*src = (struct source){path, bytes};
	return get_list(a, json_parse(a, src, d), d);
}

struct pointlist *
pointlist_load(struct arena *a, const char *path, struct diag *d)
{
	return get_list(a, json_parse_file(a, path, d), d);
}
