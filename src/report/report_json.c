#include "base/arena.h"
#include "base/buf.h"
#include "report/report.h"

static void
put_cases(struct json_out *o, const struct hazard *h)
{
	json_open_array(o, "candidates", false);
	for (size_t i = 0; i < h->n_cases; i++) {
		json_open_object(o, NULL);
		json_put_str(o, "label", h->cases[i].label);
		json_open_array(o, "sizes", true);
		for (uint32_t z = 0; z < h->cases[i].n_sizes; z++)
			json_put_str(o, NULL, h->cases[i].sizes[z]);
		json_close_array(o);
		json_close_object(o);
	}
	json_close_array(o);
}

static void
put_hazard(struct json_out *o, const struct hazard *h)
{
	json_open_object(o, NULL);
	json_put_str(o, "rule", h->example->rule);
	json_put_str(o, "class", h->example->klass);
	json_put_str(o, "file", h->at.file);
	json_put_i64(o, "line", h->at.line);
	json_put_str(o, "called_from", h->at.called_from);
	json_open_array(o, "excerpt", false);
	for (int i = 0; i < 3 && h->at.line; i++)
		json_put_str(o, NULL, h->excerpt[i]);
	json_close_array(o);
	json_put_i64(o, "points", (int64_t)h->n_points);
	json_open_object(o, "example");
	json_put_str(o, "label", h->example_label);
	json_put_str(o, "size", h->example_size);
	json_put_str(o, "launch", h->example_launch);
	json_open_array(o, "findings", false);
	finding_write(o, h->example);
	json_close_array(o);
	json_close_object(o);
	put_cases(o, h);
	json_close_object(o);
}

static void
put_hazards(struct json_out *o, const char *key, const struct hazards *h)
{
	json_open_array(o, key, false);
	for (size_t i = 0; i < h->n; i++)
		put_hazard(o, &h->v[i]);
	json_close_array(o);
}

struct str
report_json(struct arena *a, const struct report *r)
{
	struct json_out o = {.b = {.a = a}};

	json_open_object(&o, NULL);
	json_put_str(&o, "schema", STR_LIT("lanewise/report.v1"));
	json_put_i64(&o, "exit_status", r->exit_status);
	json_open_array(&o, "kernels", false);
	for (size_t i = 0; i < r->n_kernels; i++) {
		json_open_object(&o, NULL);
		put_hazards(&o, "hazards", &r->kernels[i].refused);
		put_hazards(&o, "caveats", &r->kernels[i].caveats);
		ranking_put(&o, r->kernels[i].r);
		json_close_object(&o);
	}
	json_close_array(&o);
	json_close_object(&o);
	return json_done(&o);
}
