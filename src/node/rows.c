#include "node/rows.h"

#include "base/arena.h"
#include "model/record.h"

#define SCHEMA "lanewise/rows.v1"

bool
rows_admit(const struct rows *r, const struct verdict *v)
{
	return r->unsafe ? v->kind == VERDICT_REFUSED : verdict_admitted(v, r->admit);
}

struct str
rows_write(struct arena *a, const struct rows *r)
{
	struct json_out o = {.b = {.a = a}};

	json_open_object(&o, NULL);
	json_put_str(&o, "schema", STR_LIT(SCHEMA));
	json_put_str(&o, "kernel", r->kernel);
	json_put_str(&o, "specialization", r->specialization);
	json_put_c(&o, "admit", admit_name(r->admit));
	json_put_bool(&o, "unsafe", r->unsafe);
	json_put_str(&o, "artifact", r->artifact);
	json_put_i64(&o, "static_shared_bytes", r->static_shared_bytes);
	json_open_array(&o, "verdicts", false);
	for (size_t i = 0; i < r->n_verdicts; i++)
		verdict_write(&o, NULL, &r->verdicts[i]);
	json_close_array(&o);
	if (r->has_facts)
		facts_put(&o, "facts", &r->facts);
	else
		json_put_null(&o, "facts");
	json_open_array(&o, "results", false);
	for (size_t i = 0; i < r->n_results; i++) {
		json_open_object(&o, NULL);
		json_put_str(&o, "point", r->points[i]);
		result_put(&o, "result", &r->results[i]);
		json_close_object(&o);
	}
	json_close_array(&o);
	json_close_object(&o);
	return json_done(&o);
}

static bool
get_verdicts(struct arena *a, struct record *r, struct rows *out)
{
	const struct json *v = record_array(r, "verdicts", JSON_OBJECT);

	if (!v)
		return false;
	out->verdicts = arena_news(a, v->n, struct verdict);
	json_each(e, v)
	{
		if (!verdict_read(a, e, &out->verdicts[out->n_verdicts++], r->d))
			return false;
	}
	return true;
}

static bool
get_results(struct arena *a, struct record *r, struct rows *out)
{
	const struct json *v = record_array(r, "results", JSON_OBJECT);

	if (!v)
		return false;
	out->results = arena_news(a, v->n, struct result);
	out->points = arena_news(a, v->n, struct str);
	json_each(e, v)
	{
		struct record one = record_open(e, NULL, r->d);
		struct record inner;
		size_t i = out->n_results++;
		out->points[i] = record_str(&one, "point");
		inner = record_object(&one, "result");
		if (!one.ok || !inner.ok ||
			!result_get(a, inner.v, &out->results[i], r->d))
			return false;
	}
	return true;
}

struct rows *
rows_read(struct arena *a, const char *path, struct str bytes, struct diag *d)
{
	struct source *src = arena_new(a, struct source);
	struct rows *out = arena_new(a, struct rows);
	struct record r;

	*src = (struct source){path, bytes};
	r = record_open(json_parse(a, src, d), SCHEMA, d);
	out->kernel = record_str(&r, "kernel");
	out->specialization = record_str(&r, "specialization");
	out->admit = admit_of(record_str(&r, "admit"));
	out->unsafe = record_bool(&r, "unsafe");
	out->artifact = record_str(&r, "artifact");
	out->static_shared_bytes =
		record_i64(&r, "static_shared_bytes", -1, RECORD_MAX_I64);
	if (!get_verdicts(a, &r, out))
		return NULL;
	out->has_facts = record_has(&r, "facts");
	if (out->has_facts && !facts_get(json_get(r.v, "facts"), &out->facts, d))
		return NULL;
	return get_results(a, &r, out) && r.ok ? out : NULL;
}
