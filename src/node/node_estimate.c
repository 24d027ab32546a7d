/* estimate: a modelled time in the place of a measurement, and labelled as one. */
#include "base/arena.h"
#include "model/verdict.h"
#include "node/node.h"
#include "perf/estimate.h"

#include <math.h>

enum { FACTS, VERDICT, KERNEL, POINT, LAUNCH, BYTES, FLOPS, DEVICE, ADMIT };

static const struct node_word words[] = {
	[FACTS] = {"facts", NODE_INPUT, true, false},
	[VERDICT] = {"verdict", NODE_GUARD, true, false},
	[KERNEL] = {"kernel", NODE_PARAM, true, false},
	[POINT] = {"point", NODE_PARAM, true, false},
	[LAUNCH] = {"launch", NODE_PARAM, true, false},
	[BYTES] = {"bytes", NODE_PARAM, false, false},
	[FLOPS] = {"flops", NODE_PARAM, false, false},
	[DEVICE] = {"device", NODE_INPUT, true, false},
	[ADMIT] = {"admit", NODE_PARAM, false, false},
	{0},
};

/* Declared work; absent and not finite are "not declared". */
static double
work_of(const struct node_call *c, size_t i)
{
	double v;

	return str_to_f64(node_word(c, i), &v) && v >= 0 ? v : (double)NAN;
}

/* The gate has the last word here too, although nothing is run: Ninja asks for a refused
 * point only when a person named its file. */
static bool
admitted(struct node_call *c, struct diag *d)
{
	const char *path = node_file(c, VERDICT)->path;
	struct verdict_file *f = verdict_file_read(c->a, path, d);
	const struct verdict *v = f ? verdict_file_find(f, node_word(c, POINT)) : NULL;

	if (!f)
		return false;
	if (v && verdict_admitted(v, admit_of(node_word(c, ADMIT))))
		return true;
	diag_error(d, (struct place){0}, "'%.*s/%.*s': %s by the gate: not estimated",
		STR_ARG(node_word(c, KERNEL)), STR_ARG(node_word(c, POINT)),
		v ? verdict_name(v->kind) : "not judged");
	return false;
}

static bool
fill(struct node_call *c, struct result *r, struct diag *d)
{
	const struct device *dev = device_read(c->a, node_file(c, DEVICE)->path, d);
	const struct facts *f = facts_read(c->a, node_file(c, FACTS)->path, d);
	struct estimate_query q = {.dev = dev, .facts = f};

	if (!dev || !f)
		return false;
	if (!launch_parse(node_word(c, LAUNCH), &q.launch))
		die("estimate: malformed launch shape '%.*s'",
			STR_ARG(node_word(c, LAUNCH)));
	r->device = dev->name;
	r->device_uuid = dev->uuid;
	r->driver = dev->driver;
	r->kind = RESULT_ESTIMATED;
	if (!admitted(c, d))
		return false;
	if (str_is(f->status, "failed")) {
		r->status = RESULT_COMPILE_FAILED;
		r->reason = f->reason;
		return true;
	}
	q.bytes = work_of(c, BYTES);
	q.flops = work_of(c, FLOPS);
	estimate_result(c->a, &q, r);
	return true;
}

static bool
compute(struct node_call *c, struct diag *d)
{
	struct result r = result_none();
	struct str point = node_word(c, POINT);
	size_t at = str_find(point, '@');

	r.kernel = node_word(c, KERNEL);
	r.candidate = str_sub(point, 0, at);
	r.size = str_sub(point, at + 1, point.n);
	if (!fill(c, &r, d))
		return false;
	buf_addstr(&c->out, result_write(c->a, &r));
	c->status = str_of(result_status_name(r.status));
	c->detail = r.status == RESULT_OK ? r.estimate_note : r.reason;
	c->told_ns = r.status == RESULT_OK ? r.median_ns : 0;
	return true;
}

static bool
recalled(struct node_call *c)
{
	struct diag d = {.quiet = true};
	struct source src = {c->main_out, str_dup(c->a, buf_str(&c->out))};
	struct result r;

	return result_get(c->a, json_parse(c->a, &src, &d), &r, &d);
}

const struct node node_estimate = {
	.name = "estimate",
	.about = "estimate one point instead of measuring it",
	.revision = 2,
	.words = words,
	.brief = true,
	.compute = compute,
	.recalled = recalled,
};
