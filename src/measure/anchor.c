/*
 * The anchor of a problem: one candidate that is timed again and again between the
 * others, so that what the device itself did is known (perf/bracket.h).  It is loaded
 * once more than as a candidate, in memory of its own, because candidates come and go.
 */
#include "measure/measure_parts.h"

#include "base/arena.h"

/* --- the request, kept ------------------------------------------------------------- */

static const char *
kept_c(struct arena *a, const char *s)
{
	return s ? str_c(a, str_of(s)) : NULL;
}

static const struct arg *
kept_args(struct arena *a, const struct bench_request *q)
{
	struct arg *v = arena_news(a, q->n_args + 1, struct arg);

	for (size_t i = 0; i < q->n_args; i++)
		v[i] = arg_keep(a, &q->args[i]);
	return v;
}

/* Through their text, which holds all there is of them. */
static const struct constant *
kept_constants(struct arena *a, const struct bench_request *q)
{
	struct str text = constants_text(a, q->constants, q->n_constants), why;
	struct constant *v;
	size_t n;

	if (!constants_parse(a, text, &v, &n, &why))
		BUG("constants that were loaded cannot be read: %.*s", STR_ARG(why));
	return v;
}

static struct bench_request
kept_request(struct arena *a, const struct bench_request *q)
{
	struct bench_request kept = *q;

	kept.args = kept_args(a, q);
	kept.constants = kept_constants(a, q);
	kept.point = str_dup(a, q->point);
	kept.artifact = str_dup(a, q->artifact);
	kept.entry = str_dup(a, q->entry);
	kept.reference_by = str_dup(a, q->reference_by);
	kept.library = str_dup(a, q->library);
	kept.artifact_path = kept_c(a, q->artifact_path);
	kept.reference_path = kept_c(a, q->reference_path);
	kept.outputs_path = kept_c(a, q->outputs_path);
	return kept;
}

/* --- problems ---------------------------------------------------------------------- */

void
anchor_unload(struct measure *m)
{
	struct problem *p = m->now;

	if (p && p->anchor.timed.l) {
		m->ops->unload(m->s, p->anchor.timed.l);
		p->anchor.timed.l = NULL;
		p->anchor.block_ns = 0;
	}
}

struct problem *
problem_of(struct measure *m, const struct job *j)
{
	struct problem *p = m->problems;

	while (p && !(str_eq(p->kernel, j->kernel) && str_eq(p->size, j->size) &&
			    str_eq(p->project, j->project) && p->cache == j->cache))
		p = p->next;
	if (!p) {
		p = arena_new(m->a, struct problem);
		p->project = str_dup(m->a, j->project);
		p->kernel = str_dup(m->a, j->kernel);
		p->size = str_dup(m->a, j->size);
		p->cache = j->cache;
		p->next = m->problems;
		m->problems = p;
	}
	if (m->now != p)
		anchor_unload(m);
	m->now = p;
	return p;
}

/* --- the anchor -------------------------------------------------------------------- */

bool
anchor_set(struct measure *m, struct problem *p, const struct bench_request *q,
	const struct timed *as, double block_ns, int64_t at, struct fault *f)
{
	struct anchor *x = &p->anchor;

	if (x->timed.l)
		m->ops->unload(m->s, x->timed.l);
	arena_release(&x->own);
	*x = (struct anchor){.timed = *as, .block_ns = block_ns, .block_at = at};
	x->timed.l = NULL;
	x->q = kept_request(&x->own, q);
	x->point = x->q.point;
	p->incumbent = str_dup(m->a, q->point);
	p->incumbent_ratio = 1;
	p->incumbent_launch = as->batch.launch;
	x->timed.l = measure_load(m, &x->own, &x->q, f);
	if (!x->timed.l)
		x->point = (struct str){0};
	return x->timed.l != NULL;
}

bool
anchor_load(struct measure *m, struct problem *p, struct fault *f)
{
	struct anchor *x = &p->anchor;

	if (!x->point.n)
		return false;
	if (!x->timed.l)
		x->timed.l = measure_load(m, &x->own, &x->q, f);
	return x->timed.l != NULL;
}

/* As candidates of this window are submitted, so is the anchor. */
static bool
in_mode(struct measure *m, struct anchor *x, enum launch_mode launch, struct fault *f)
{
	struct batch *b = &x->timed.batch;
	struct reading r;

	if (b->launch == launch)
		return true;
	if (launch == LAUNCH_GRAPH)
		return calibrate(m, &x->timed, SCREEN_BATCH_NS, GRAPH_WANTED, f);
	b->launch = LAUNCH_STREAM;
	if (!take_one(m, &x->timed, &r, f))
		return false;
	b->launches = calibrate_launches(r.ns, SCREEN_BATCH_NS);
	return true;
}

static bool
block(struct measure *m, struct problem *p, enum launch_mode launch, struct fault *f)
{
	struct anchor *x = &p->anchor;
	struct series s = {.n = 0};
	int n = BLOCK_READINGS;

	x->block_ns = 0;
	if (!anchor_load(m, p, f) || !in_mode(m, x, launch, f) ||
		!warm_up(m, &x->timed, f))
		return false;
	if (x->timed.ns * (double)x->timed.batch.launches > SLOW_LAUNCH_NS)
		n = 1;
	for (int i = 0; i < n; i++)
		if (!take_good(m, &x->timed, &s, f))
			return false;
	struct arena_mark mark = arena_mark(m->a);
	x->block_ns = series_median(m->a, &s, BLOCK_READINGS);
	arena_pop(m->a, mark);
	x->block_at = measure_now(m);
	return true;
}

/* Whatever happens to the anchor is not the candidate's doing. */
static bool
timed_block(
	struct measure *m, struct problem *p, enum launch_mode launch, struct fault *f)
{
	if (block(m, p, launch, f))
		return true;
	f->status = RESULT_TROUBLE;
	f->reason = str_fmt(m->a,
		"the candidate '%.*s' that others are measured against "
		"failed: %.*s",
		STR_ARG(p->anchor.point), STR_ARG(f->reason));
	return false;
}

bool
anchor_before(struct measure *m, struct problem *p, enum launch_mode launch,
	struct bracket *b, struct fault *f)
{
	const struct anchor *x = &p->anchor;
	bool young = x->block_ns > 0 && measure_now(m) - x->block_at <= CHAIN_NS;

	if (!(young && x->timed.l && x->timed.batch.launch == launch) &&
		!timed_block(m, p, launch, f))
		return false;
	b->before_ns = x->block_ns;
	b->before_at = (double)x->block_at;
	return true;
}

bool
anchor_after(struct measure *m, struct problem *p, struct bracket *b, struct fault *f)
{
	if (!timed_block(m, p, p->anchor.timed.batch.launch, f))
		return false;
	b->after_ns = p->anchor.block_ns;
	b->after_at = (double)p->anchor.block_at;
	return true;
}
