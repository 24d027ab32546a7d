#include "node/event.h"

#include "base/arena.h"
#include "base/fs.h"
#include "format/json.h"

void
event_append(const char *path, const struct event *e)
{
	struct arena a = {0};
	struct json_out o = {.b = {.a = &a}, .compact = true};
	json_open_object(&o, NULL);
	json_put_str(&o, "node", e->node);
	json_put_str(&o, "kernel", e->kernel);
	json_put_str(&o, "name", e->name);
	json_put_str(&o, "status", e->status);
	json_put_f64(&o, "ms", e->ms);
	if (e->ns > 0)
		json_put_f64(&o, "ns", e->ns);
	if (e->detail.n)
		json_put_str(&o, "detail", str_sub(e->detail, 0, 400));
	json_close_object(&o);
	/* Losing a progress line is no reason to fail the work it tells of. */
	(void)fs_try_append(path, json_done(&o));
	arena_release(&a);
}

bool
event_parse(struct arena *a, struct str line, struct event *out)
{
	struct source *src = arena_new(a, struct source);
	FILE *sink = fopen("/dev/null", "w");
	struct diag quiet = {.to = sink};
	*src = (struct source){"events", line};
	const struct json *v = sink ? json_parse(a, src, &quiet) : NULL;
	if (sink)
		fclose(sink);
	if (!v || v->kind != JSON_OBJECT)
		return false;
	*out = (struct event){
		.node = json_get_str(v, "node"),
		.kernel = json_get_str(v, "kernel"),
		.name = json_get_str(v, "name"),
		.status = json_get_str(v, "status"),
		.detail = json_get_str(v, "detail"),
		.ms = json_get_f64(v, "ms", 0),
		.ns = json_get_f64(v, "ns", 0),
	};
	return out->node.n > 0;
}
