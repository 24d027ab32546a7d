/*
 * A final: a few candidates, timed against each other in mirrored rounds (perf/final.h).
 * Nothing of their screening is used.  Every member is verified anew before and after;
 * one that fails is out, and the others go on.
 */
#include "measure/measure_final.h"

#include "base/arena.h"
#include "base/hash.h"
#include "perf/final_input.h"

#include <math.h>
#include <stdlib.h>

/* Rounds with a void visit do not count, and are at most a fifth, or these. */
enum { VOID_ROUNDS = 3, ROUNDS_MAX = FINAL_MAX_ROUNDS + FINAL_MAX_ROUNDS / 4 };

/* --- members ----------------------------------------------------------------------- */

static bool
alive(const struct finalist *x)
{
	return x->record->status == RESULT_OK;
}

static size_t
n_alive(const struct final *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		n += alive(&s->v[i]);
	return n;
}

/* False when the session is lost with it. */
bool
finalist_out(struct final *s, struct finalist *x, const struct fault *f)
{
	x->record->status = f->status;
	x->record->reason = str_dup(s->a, f->reason);
	x->record->visits = NULL;
	x->record->joules = x->record->joules_error = (double)NAN;
	if (f->fatal) {
		s->m->lost = true;
		s->out->status = f->status;
		s->out->reason = str_fmt(s->a, "the device was lost with '%.*s': %.*s",
			STR_ARG(x->record->point), STR_ARG(f->reason));
		return false;
	}
	if (x->timed.l)
		s->m->ops->unload(s->m->s, x->timed.l);
	x->timed.l = NULL;
	return true;
}

bool
finalist_enter(struct final *s, struct finalist *x, struct fault *f)
{
	s->m->subject = x->record->point;
	if (!x->timed.l)
		x->timed.l = measure_load(s->m, &x->own, &x->q, f);
	return x->timed.l != NULL;
}

void
finalist_leave(struct final *s, struct finalist *x)
{
	if (!s->one_at_a_time || !x->timed.l)
		return;
	s->m->ops->unload(s->m->s, x->timed.l);
	x->timed.l = NULL;
	arena_release(&x->own);
}

/* All at once when they fit, so that a change of members costs nothing. */
static bool
load_all(struct final *s)
{
	for (size_t i = 0; i < s->n; i++) {
		struct fault f = {.fatal = false};
		if (finalist_enter(s, &s->v[i], &f))
			continue;
		if (f.status == RESULT_OOM && !f.fatal && i > 0) {
			s->one_at_a_time = true;
			for (size_t k = 0; k < i; k++)
				finalist_leave(s, &s->v[k]);
			return true;
		}
		if (!finalist_out(s, &s->v[i], &f))
			return false;
	}
	return true;
}

/* f(s, x) for each that is still in; who fails is out. */
static bool
each(struct final *s, bool (*step)(struct final *, struct finalist *, struct fault *))
{
	for (size_t i = 0; i < s->n; i++) {
		struct finalist *x = &s->v[i];
		struct fault f = {.fatal = false};
		if (!alive(x))
			continue;
		if (finalist_enter(s, x, &f) && step(s, x, &f))
			finalist_leave(s, x);
		else if (!finalist_out(s, x, &f))
			return false;
	}
	return true;
}

/* --- before the rounds ------------------------------------------------------------- */

static bool
verify(struct final *s, struct finalist *x, struct fault *f)
{
	struct arena scratch = {0};
	struct result r = result_none();
	struct verify v = {
		.m = s->m, .a = &scratch, .q = &x->q, .l = x->timed.l, .r = &r};
	bool right = verify_open(&v, f) && verify_runs(&v, x->timed.ns, f);

	if (!right)
		f->reason = str_dup(s->a, f->reason);
	verify_close(&v);
	arena_release(&scratch);
	return right;
}

static bool
calibrate_short(struct final *s, struct finalist *x, struct fault *f)
{
	return calibrate(s->m, &x->timed, FINAL_BATCH_NS, GRAPH_IF_SHORT, f) &&
	       warm_up(s->m, &x->timed, f);
}

/* Once more, with the clocks up, and all in one mode. */
static bool
calibrate_all(struct final *s, struct finalist *x, struct fault *f)
{
	enum graph_wish wish =
		s->out->launch == LAUNCH_GRAPH ? GRAPH_WANTED : GRAPH_UNWANTED;

	return calibrate(s->m, &x->timed, FINAL_BATCH_NS, wish, f);
}

static bool
can_be_graph(struct final *s, struct finalist *x, struct fault *f)
{
	(void)f;
	s->all_graphs = s->all_graphs && s->m->ops->graphs(s->m->s, x->timed.l);
	return true;
}

static bool
prepare(struct final *s)
{
	bool any_short = false;

	s->all_graphs = true;
	if (!load_all(s) || !each(s, verify) || !each(s, calibrate_short) ||
		!each(s, can_be_graph))
		return false;
	for (size_t i = 0; i < s->n; i++)
		any_short = any_short || (alive(&s->v[i]) && s->v[i].timed.batch.launch ==
								     LAUNCH_GRAPH);
	if (any_short && s->all_graphs)
		s->out->launch = LAUNCH_GRAPH;
	if (!each(s, calibrate_all))
		return false;
	for (size_t i = 0; i < s->n; i++)
		if (alive(&s->v[i]) && s->v[i].timed.ns > SLOW_LAUNCH_NS)
			s->out->batches_per_visit = 1;
	s->out->launches_per_batch = s->v[0].timed.batch.launches;
	return true;
}

/* --- rounds ------------------------------------------------------------------------ */

static int
by_time(const void *x, const void *y)
{
	const struct reading *p = x, *q = y;

	return (p->ns > q->ns) - (p->ns < q->ns);
}

/* The batch in the middle; a visit that met with too many void ones is void as they are.
 */
static struct reading
middle(const struct series *s)
{
	struct reading good[SERIES_MAX];
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		if (s->v[i].cause == READING_GOOD)
			good[n++] = s->v[i];
	if (s->v[s->n - 1].cause != READING_GOOD)
		return s->v[s->n - 1];
	qsort(good, n, sizeof *good, by_time);
	return good[n / 2];
}

static bool
visit(struct final *s, struct finalist *x, struct reading *to, struct fault *f)
{
	struct measure *m = s->m;
	struct series series = {.n = 0};
	int64_t allowed = measure_later_ns(x->timed.ns);

	if (!finalist_enter(s, x, f) || !warm_up(m, &x->timed, f))
		return false;
	measure_step(m, "visit", allowed);
	/* Thrown away: it finds the caches as another member left them. */
	if (!m->ops->run(m->s, x->timed.l, measure_now(m) + allowed, f))
		return false;
	for (int64_t i = 0; i < s->out->batches_per_visit; i++)
		if (!take_good(m, &x->timed, &series, f)) {
			bool unstable =
				series.n && series.v[series.n - 1].cause != READING_GOOD;
			if (!unstable || f->fatal)
				return false;
			break;
		}
	*to = middle(&series);
	finalist_leave(s, x);
	return true;
}

/* Whether the round counts; *ok is false when the session is lost. */
static bool
play_round(struct final *s, bool *ok)
{
	size_t n = 0, round = s->out->n_rounds;
	bool counts = true;

	for (size_t i = 0; i < s->n; i++) {
		s->v[i].seen = 0;
		if (alive(&s->v[i]))
			s->in[n++] = &s->v[i];
	}
	final_schedule(s->out->seed, round, n, s->order);
	for (size_t i = 0; i < 2 * n && *ok; i++) {
		struct finalist *x = s->in[s->order[i]];
		struct fault f = {.fatal = false};
		if (!alive(x))
			continue;
		struct reading *to = &x->record->visits[2 * round + x->seen++];
		if (!visit(s, x, to, &f))
			*ok = finalist_out(s, x, &f);
		else
			counts = counts && to->cause == READING_GOOD;
	}
	return counts && *ok;
}

/* Somebody came while it was played: it does not count. */
static void
void_round(struct final *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (alive(&s->v[i]))
			s->v[i].record->visits[2 * s->out->n_rounds].cause =
				READING_SHARED;
}

static bool
play_until(struct final *s, size_t rounds)
{
	bool ok = true;

	while (s->n_good < rounds && n_alive(s) > 1) {
		bool counts = play_round(s, &ok);
		if (!ok)
			return false;
		if (measure_shared_now(s->m) && counts) {
			void_round(s);
			counts = false;
		}
		s->out->n_rounds++;
		s->n_good += counts;
		size_t bad = s->out->n_rounds - s->n_good;
		if (s->out->n_rounds == ROUNDS_MAX ||
			(bad > VOID_ROUNDS && bad * 5 > s->out->n_rounds)) {
			s->out->status = RESULT_TROUBLE;
			s->out->reason = str_fmt(s->a,
				"unstable: %zu of %zu rounds are void: the device was "
				"not "
				"in a state to be measured",
				bad, s->out->n_rounds);
			return false;
		}
	}
	return true;
}

/* --- looks ------------------------------------------------------------------------- */

static void
too_few(struct final *s, const char *why)
{
	s->out->status = RESULT_TROUBLE;
	s->out->reason = str_of(why);
	for (size_t i = 0; i < s->n; i++) {
		const struct final_member *x = s->v[i].record;
		if (x->status == RESULT_OK)
			continue;
		s->out->status = x->status;
		s->out->reason = str_fmt(s->a, "%s; '%.*s': %.*s", why, STR_ARG(x->point),
			STR_ARG(x->reason));
		return;
	}
}

static size_t
n_compared(const struct final *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		n += alive(&s->v[i]) && s->v[i].record->role != FINAL_CONTROL;
	return n;
}

/* Rounds until all is decided or the last look is done. */
static bool
look(struct final *s)
{
	size_t rounds = final_rounds(n_compared(s), 0);

	while (rounds > 0) {
		struct final_readings readings;
		if (!play_until(s, rounds))
			return false;
		if (n_alive(s) < 2) {
			too_few(s, "fewer than two members are left");
			return false;
		}
		const char *why = final_input(s->a, s->out, s->j->margin, &readings);
		if (why) {
			too_few(s, why);
			return false;
		}
		/* Members that went out may have made fewer rounds enough. */
		rounds = final_decide(s->a, &readings)->next_rounds;
	}
	return true;
}

/* --- the whole --------------------------------------------------------------------- */

/* The same final has the same schedule. */
static uint64_t
seed_of(struct arena *a, const struct job *j)
{
	struct buf b = {.a = a};

	buf_addstr(&b, j->kernel);
	buf_addstr(&b, j->size);
	for (size_t i = 0; i < j->n; i++) {
		buf_addc(&b, '\n');
		buf_addstr(&b, j->member[i].point);
	}
	return hash_bytes(buf_str(&b)).lo;
}

static void
begin(struct final *s)
{
	struct final_record *r = s->out;
	const struct job *j = s->j;

	*r = (struct final_record){.kernel = j->kernel,
		.size = j->size,
		.kind = s->m->backend->kind,
		.status = RESULT_OK,
		.launch = LAUNCH_STREAM,
		.cache = j->cache,
		.seed = seed_of(s->a, j),
		.batches_per_visit = BLOCK_READINGS,
		.n_members = j->n,
		.device = s->m->dev->name,
		.device_uuid = s->m->dev->uuid,
		.driver = s->m->dev->driver};
	r->members = arena_news(s->a, j->n + 1, struct final_member);
	s->v = arena_news(s->a, j->n + 1, struct finalist);
	s->n = j->n;
	s->in = arena_news(s->a, j->n + 1, struct finalist *);
	s->order = arena_news(s->a, 2 * j->n + 1, size_t);
	for (size_t i = 0; i < j->n; i++) {
		r->members[i] = (struct final_member){.point = j->member[i].point,
			.role = j->member[i].role,
			.visits =
				arena_news(s->a, 2 * (size_t)ROUNDS_MAX, struct reading),
			.joules = (double)NAN,
			.joules_error = (double)NAN};
		s->v[i].record = &r->members[i];
		s->v[i].q = j->member[i].request;
		s->v[i].q.point = j->member[i].point;
		s->v[i].timed.batch.cache = j->cache;
	}
}

static void
end(struct final *s)
{
	for (size_t i = 0; i < s->n; i++) {
		if (s->v[i].timed.l && !s->m->lost)
			s->m->ops->unload(s->m->s, s->v[i].timed.l);
		arena_release(&s->v[i].own);
	}
	s->out->sharing = str_dup(s->a, s->m->sharing);
}

bool
measure_final(struct measure *m, struct arena *a, const struct job *j,
	struct final_record *record)
{
	struct final s = {.m = m, .a = a, .j = j, .out = record};

	begin(&s);
	anchor_unload(m);
	/* Wrong after the timing is wrong: who is out then has no readings either. */
	if (prepare(&s) && look(&s) && (!j->energy || energy(&s)) && each(&s, verify) &&
		n_alive(&s) < 2)
		too_few(&s, "fewer than two members are left");
	end(&s);
	m->subject = (struct str){0};
	return !m->lost;
}
