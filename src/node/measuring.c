#include "node/measuring.h"

#include "base/arena.h"
#include "base/fs.h"
#include "model/verdict.h"
#include "node/event.h"
#include "node/judged.h"
#include "worker/worker.h"

const struct node_word measuring_words[] = {
	[RUN_KERNEL] = {"kernel", NODE_PARAM, true, false},
	[RUN_POINT] = {"point", NODE_PARAM, true, false},
	[RUN_ARTIFACT] = {"artifact", NODE_INPUT, false, false},
	[RUN_FACTS] = {"facts", NODE_INPUT, false, false},
	[RUN_VERDICT] = {"verdict", NODE_GUARD, false, false},
	[RUN_ENTRY] = {"entry", NODE_PARAM, false, false},
	[RUN_ADMIT] = {"admit", NODE_NOTE, false, false},
	[RUN_LAUNCH] = {"launch", NODE_PARAM, true, false},
	[RUN_ARGS] = {"args", NODE_PARAM, true, false},
	[RUN_CONSTANTS] = {"constants", NODE_PARAM, false, false},
	[RUN_SEED] = {"seed", NODE_PARAM, true, false},
	[RUN_REFERENCE] = {"reference", NODE_INPUT, false, false},
	[RUN_REFERENCE_BY] = {"reference-by", NODE_PARAM, false, false},
	[RUN_ABS] = {"abs", NODE_PARAM, false, false},
	[RUN_REL] = {"rel", NODE_PARAM, false, false},
	[RUN_ULP] = {"ulp", NODE_PARAM, false, false},
	[RUN_NONDETERMINISTIC] = {"nondeterministic", NODE_FLAG, false, false},
	[RUN_TIMEOUT] = {"timeout", NODE_NOTE, true, false},
	[RUN_DEVICE] = {"device", NODE_INPUT, true, false},
	[RUN_WORKER] = {"worker", NODE_GUARD, false, false},
	[RUN_UNSAFE] = {"unsafe", NODE_PARAM, false, false},
	[RUN_CACHE] = {"cache", NODE_PARAM, false, false},
	[RUN_EPOCH] = {"epoch", NODE_PARAM, false, false}, /* only to be in the key */
	[RUN_JOB] = {"job", NODE_OUTPUT, false, false},    /* for `lanewise executor` */
	{0},
};

static const int64_t SECOND_NS = INT64_C(1000000000);

/* --- the guard ---------------------------------------------------------------------- */

/* With a reason, all that could be judged runs: a process of its own is at stake. */
static bool
may_run(const struct node_call *c, const struct verdict *v)
{
	if (node_word(c, RUN_UNSAFE).n)
		return v->kind != VERDICT_ERROR;
	return verdict_admitted(v, admit_of(node_word(c, RUN_ADMIT)));
}

/* The verdict is about one launch shape: another one is another question. */
static bool
same_launch(struct node_call *c, const struct verdict *v)
{
	struct launch l;
	return launch_parse(node_word(c, RUN_LAUNCH), &l) &&
	       str_eq(launch_text(c->a, &l), launch_text(c->a, &v->launch));
}

/* All points of a specialization; NULL when there are none. */
static const struct verdict_file *
verdicts(struct node_call *c)
{
	const struct node_file *f = node_file(c, RUN_VERDICT);
	struct diag d = {0};
	return f && f->present ? judged_read(f, &d) : NULL;
}

static const struct verdict *
verdict_here(struct node_call *c)
{
	const struct verdict_file *file = verdicts(c);
	return file ? verdict_file_find(file, node_word(c, RUN_POINT)) : NULL;
}

struct str
measuring_refusal(struct node_call *c)
{
	const struct node_file *f = node_file(c, RUN_VERDICT);
	if (!f || !f->present)
		return STR_LIT("the gate has not judged it: not run");
	const struct verdict *v = verdict_here(c);
	if (!v)
		return STR_LIT("the gate has no verdict for it: not run");
	if (!same_launch(c, v))
		return STR_LIT("the gate judged another launch shape: not run");
	if (!may_run(c, v))
		return STR_LIT("refused by the gate: not run");
	return (struct str){0};
}

/* --- the request -------------------------------------------------------------------- */

static bool
malformed(struct node_call *c, struct diag *d, enum measuring_word w)
{
	diag_error(d, (struct place){0}, "%s: malformed '--%s %.*s'", c->node->name,
		measuring_words[w].name, STR_ARG(node_word(c, w)));
	return false;
}

/* A number that is not negative; 0 when the word is absent. */
static bool
real_word(struct node_call *c, enum measuring_word w, double *out, struct diag *d)
{
	*out = 0;
	if (!c->n[w])
		return true;
	return (str_to_f64(node_word(c, w), out) && *out >= 0) || malformed(c, d, w);
}

static bool
numbers(struct node_call *c, struct bench_request *q, struct diag *d)
{
	double timeout_s;
	if (!str_to_u64(node_word(c, RUN_SEED), &q->seed))
		return malformed(c, d, RUN_SEED);
	if (!real_word(c, RUN_TIMEOUT, &timeout_s, d) ||
		!real_word(c, RUN_ABS, &q->abs, d) || !real_word(c, RUN_REL, &q->rel, d))
		return false;
	if (timeout_s <= 0 || timeout_s > 1e6)
		return malformed(c, d, RUN_TIMEOUT);
	q->timeout_ns = (int64_t)(timeout_s * (double)SECOND_NS);
	q->ulp = 0;
	return !c->n[RUN_ULP] || str_to_i64(node_word(c, RUN_ULP), &q->ulp) ||
	       malformed(c, d, RUN_ULP);
}

static bool
arguments(struct node_call *c, struct bench_request *q, struct diag *d)
{
	struct str why;
	struct arg *args;
	struct constant *constants;
	if (!args_parse(c->a, node_word(c, RUN_ARGS), &args, &q->n_args, &why) ||
		!constants_parse(c->a, node_word(c, RUN_CONSTANTS), &constants,
			&q->n_constants, &why)) {
		diag_error(d, (struct place){0}, "%s: %.*s", c->node->name, STR_ARG(why));
		return false;
	}
	/* The worker has a folder of its own. */
	for (size_t i = 0; i < q->n_args; i++) {
		if (args[i].file.n)
			args[i].file = str_of(
				fs_join(c->a, fs_cwd(c->a), str_c(c->a, args[i].file)));
	}
	q->args = args;
	q->constants = constants;
	return launch_parse(node_word(c, RUN_LAUNCH), &q->launch) ||
	       malformed(c, d, RUN_LAUNCH);
}

/* As the machine code spells it: the facts and the verdict know the mangled name. */
static struct str
entry_of(struct node_call *c, const struct facts *f)
{
	const struct verdict_file *v = verdicts(c);
	if (f && f->entry.n)
		return f->entry;
	return v && v->entry.n ? v->entry : node_word(c, RUN_ENTRY);
}

static bool
request(struct node_call *c, struct bench_request *q, struct diag *d)
{
	const struct node_file *artifact = node_file(c, RUN_ARTIFACT);
	const struct node_file *facts = node_file(c, RUN_FACTS);
	const struct node_file *reference = node_file(c, RUN_REFERENCE);
	const struct facts *f = NULL;
	const char *here = fs_cwd(c->a);
	if (facts && facts->present) {
		f = facts_read(c->a, facts->path, d);
		if (!f)
			return false;
	}
	if (artifact && artifact->present) {
		q->artifact = artifact->bytes;
		q->artifact_path = fs_join(c->a, here, artifact->path);
	}
	if (reference && reference->present)
		q->reference_path = fs_join(c->a, here, reference->path);
	q->reference_by = node_word(c, RUN_REFERENCE_BY);
	q->nondeterministic = node_flag(c, RUN_NONDETERMINISTIC);
	q->entry = entry_of(c, f);
	q->point = node_word(c, RUN_POINT);
	return numbers(c, q, d) && arguments(c, q, d);
}

/* What the gate could not clear may leave a device in any state. */
static bool
wants_own_process(struct node_call *c)
{
	const struct verdict *v = verdict_here(c);
	return node_word(c, RUN_UNSAFE).n || !v || v->kind != VERDICT_CLEAN;
}

bool
measuring_job(struct node_call *c, struct job *j, struct diag *d)
{
	struct result names = result_none();
	measuring_name(c, &names);
	*j = (struct job){.kind = JOB_SCREEN,
		.project = str_of(fs_cwd(c->a)),
		.kernel = names.kernel,
		.size = names.size,
		.member = arena_new(c->a, struct job_member),
		.n = 1,
		.cache = str_is(node_word(c, RUN_CACHE), cache_mode_name(CACHE_WARM))
				 ? CACHE_WARM
				 : CACHE_COLD,
		.alone = wants_own_process(c)};
	j->member->point = node_word(c, RUN_POINT);
	return request(c, &j->member->request, d);
}

void
measuring_name(const struct node_call *c, struct result *r)
{
	struct str point = node_word(c, RUN_POINT);
	size_t at = point.n;
	while (at > 0 && point.s[at - 1] != '@')
		at--;
	r->kernel = node_word(c, RUN_KERNEL);
	r->candidate = at ? str_sub(point, 0, at - 1) : point;
	r->size = at ? str_sub(point, at, point.n) : (struct str){0};
	r->unsafe = node_word(c, RUN_UNSAFE).n > 0;
}

/* --- asking ------------------------------------------------------------------------- */

/* The same place, and the same day: nothing measured for another is taken for it. */
static struct str
tag_of(struct node_call *c)
{
	return str_fmt(c->a, "%s %.*s", fs_join(c->a, fs_cwd(c->a), c->main_out),
		STR_ARG(node_word(c, RUN_EPOCH)));
}

struct str
measuring_absence(const struct node_file *worker)
{
	struct str nothing = {0};
	if (!worker || !str_is(str_trim(worker->bytes), "replay"))
		return nothing;
	return STR_LIT(
		"not measured as it is now, and a replay measures nothing: measure "
		"again, on the device");
}

/* Ninja shows what we print when we have ended, so the front end is told, too. */
static void
tell_waits(void *arg, const char *why)
{
	const struct node_call *c = arg;
	if (c->events)
		event_append(c->events, &(struct event){.node = STR_LIT("worker"),
						.kernel = node_word(c, RUN_KERNEL),
						.name = str_of(c->main_out),
						.status = STR_LIT("waits"),
						.detail = str_of(why)});
}

bool
measuring_ask(struct node_call *c, const struct job *j, const struct node_file *device,
	struct str worker, struct str pending, struct str *answer, bool *lost,
	struct diag *d)
{
	const char *path = str_fmt(c->a, "%s.pending", c->main_out).s;
	struct worker_opts o = {.device = device_read(c->a, device->path, d),
		.waits = tell_waits,
		.waits_arg = c,
		.tag = tag_of(c),
		.foreground = str_is(str_trim(worker), "none")};
	if (!o.device)
		return false;
	*lost = fs_exists(path);
	fs_write(path, pending, NULL);
	struct worker_answer w = worker_ask(c->a, j, &o);
	fs_remove(path);
	*answer = w.text;
	if (w.text.n)
		return true;
	diag_error(d, (struct place){0}, "%s: %.*s", c->node->name, STR_ARG(w.trouble));
	return false;
}

static struct str
pending_text(struct node_call *c)
{
	struct result r = result_none();
	measuring_name(c, &r);
	r.status = RESULT_PENDING;
	r.reason = STR_LIT("started, and not finished");
	return result_write(c->a, &r);
}

static bool
is_transient(enum result_status s)
{
	return s == RESULT_HUNG || s == RESULT_TROUBLE || s == RESULT_OOM ||
	       s == RESULT_PENDING;
}

/* Without a time there is no result that is ok; outputs are the answer then. */
static bool
read_answer(struct node_call *c, const struct job *j, const struct json *v,
	struct result *r, struct diag *d)
{
	*r = result_none();
	if (j->kind != JOB_OUTPUTS || !str_is(json_get_str(v, "status"), "ok"))
		return result_get(c->a, v, r, d);
	r->status = RESULT_OK;
	return true;
}

static bool
not_measured(struct node_call *c, struct result *r, struct str why)
{
	*r = result_none();
	measuring_name(c, r);
	r->status = RESULT_TROUBLE;
	r->reason = why;
	c->no_cache = true;
	c->status = STR_LIT("trouble");
	c->detail = why;
	return true;
}

bool
measuring_run(struct node_call *c, const struct job *j, struct result *r, struct diag *d)
{
	const struct node_file *worker = node_file(c, RUN_WORKER);
	struct source *src = arena_new(c->a, struct source);
	struct str absent = measuring_absence(worker);
	bool lost;
	buf_addstr(&c->extra[RUN_JOB], job_write(c->a, j));
	if (absent.n)
		return not_measured(c, r, absent);
	*src = (struct source){.name = "the worker's answer"};
	if (!measuring_ask(c, j, node_file(c, RUN_DEVICE),
		    worker ? worker->bytes : (struct str){0}, pending_text(c), &src->text,
		    &lost, d) ||
		!read_answer(c, j, json_parse(c->a, src, d), r, d))
		return false;
	measuring_name(c, r);
	c->no_cache = is_transient(r->status);
	c->status = str_of(result_status_name(r->status));
	c->detail = str_fmt(c->a, "%s%.*s", lost ? "an earlier run was lost; " : "",
		STR_ARG(r->reason));
	return true;
}
