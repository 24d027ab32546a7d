/*
 * results: everything that was taken of one kernel, in one file: every reading of every
 * candidate at every size, the finals, and what they were taken with.  Schema
 * lanewise/results.v1 (docs/reference/result.md); nothing in it is a summary that its
 * readings do not give.
 */
#include "base/arena.h"
#include "model/record.h"
#include "node/joined.h"

enum { FINAL = JOINED_ROW + 1, PINS, UNSAFE_ROW };

static const struct node_word words[] = {
	JOINED_WORDS,
	[FINAL] = {"final", NODE_INPUT, false, true},
	[PINS] = {"pins", NODE_INPUT, true, false},
	[UNSAFE_ROW] = {"unsafe-row", NODE_INPUT, false, true},
	{0},
};

static const struct json *
parsed(struct node_call *c, const struct node_file *f, struct diag *d)
{
	struct source *src = arena_new(c->a, struct source);

	*src = (struct source){f->path, f->bytes};
	return json_parse(c->a, src, d);
}

static void
put_specialization(struct json_out *o, const struct rows *r)
{
	json_open_object(o, NULL);
	json_put_str(o, "specialization", r->specialization);
	json_put_bool(o, "unsafe", r->unsafe);
	json_put_str(o, "artifact", r->artifact);
	if (r->has_facts)
		facts_put(o, "facts", &r->facts);
	else
		json_put_null(o, "facts");
	json_close_object(o);
}

/* Each file of rows once, in the order of the points. */
static void
put_specializations(struct joined *j, struct json_out *o)
{
	struct map seen = {.a = j->a};

	json_open_array(o, "specializations", false);
	for (size_t i = 0; i < j->list->n; i++) {
		const struct rows *both[] = {j->safe[i].rows, j->unsafe[i].rows};
		for (size_t k = 0; k < 2; k++) {
			bool added = false;
			if (both[k])
				map_put(&seen,
					str_fmt(j->a, "%zu %.*s", k,
						STR_ARG(both[k]->specialization)),
					&added);
			if (added)
				put_specialization(o, both[k]);
		}
	}
	json_close_array(o);
}

static void
put_point(struct joined *j, struct json_out *o, size_t i)
{
	const struct point *p = &j->list->v[i];
	const struct joined_at *safe = &j->safe[i], *unsafe = &j->unsafe[i];
	const struct result *r = safe->result ? safe->result : unsafe->result;

	json_open_object(o, NULL);
	json_put_str(o, "point", p->name);
	json_put_str(o, "candidate", p->candidate);
	json_put_str(o, "label", p->label);
	json_put_str(o, "id", p->id);
	json_put_str(o, "size", p->size);
	json_put_str(o, "specialization", p->specialization);
	record_copy(o, "assignment", p->assignment);
	json_put_str(o, "launch", p->launch_text);
	json_put_str(o, "args", p->args);
	if (safe->verdict)
		verdict_write(o, "verdict", safe->verdict);
	else
		json_put_null(o, "verdict");
	if (r)
		result_put(o, "result", r);
	else
		json_put_null(o, "result");
	json_close_object(o);
}

static bool
put_finals(struct node_call *c, struct json_out *o, struct diag *d)
{
	json_open_array(o, "finals", false);
	for (size_t i = 0; i < c->n[FINAL]; i++) {
		const struct json *v = parsed(c, &c->file[FINAL][i], d);
		if (!v)
			return false;
		record_copy(o, NULL, v);
	}
	json_close_array(o);
	return true;
}

static bool
compute(struct node_call *c, struct diag *d)
{
	struct json_out o = {.b = {.a = c->a}};
	struct joined j;
	const struct json *pins;

	if (!joined_read(&j, c, UNSAFE_ROW, d))
		return false;
	pins = parsed(c, node_file(c, PINS), d);
	if (!pins)
		return false;
	json_open_object(&o, NULL);
	json_put_c(&o, "schema", "lanewise/results.v1");
	json_put_str(&o, "kernel", j.list->kernel);
	record_copy(&o, "pins", pins);
	put_specializations(&j, &o);
	json_open_array(&o, "points", false);
	for (size_t i = 0; i < j.list->n; i++)
		put_point(&j, &o, i);
	json_close_array(&o);
	if (!put_finals(c, &o, d))
		return false;
	json_close_object(&o);
	c->out = buf_of(c->a, json_done(&o));
	c->detail = str_fmt(c->a, "%zu points", j.list->n);
	return true;
}

const struct node node_results = {
	.name = "results",
	.about = "gather every reading of one kernel",
	.revision = 1,
	.words = words,
	.local = true,
	.compute = compute,
};
