/*
 * One candidate among many: it is timed until it is known well enough or certainly not
 * the fastest, between two times of the anchor.  Screening claims nothing; it only
 * decides where time is spent.
 */
#include "measure/measure_parts.h"

#include "base/arena.h"
#include "perf/race.h"
#include "perf/stats.h"

#include <math.h>

/* An incumbent that much faster than the anchor takes its place: brackets cost less. */
static const double ANCHOR_WORTH = 0.5;

struct screening {
	struct measure *m;
	struct arena *a;
	const struct job *j;
	struct result *r;
	struct problem *p;
	struct bench_request q;
	struct timed timed;
	struct verify verify;
	struct series series;
	struct bracket bracket;
	bool bracketed;
	double drift;           /* for the race: of this bracket, or of the last one */
	int64_t from_at, to_at; /* of the series */
};

/* --- when to stop ------------------------------------------------------------------ */

static bool
precise(struct arena *a, const double *v, size_t n)
{
	struct summary s = stats_summary(a, v, n);

	return (s.high - s.low) / 2 <= SCREEN_PRECISION * s.median;
}

/* The incumbent as it would be in this window. */
static double
incumbent_ns(const struct screening *sc)
{
	const struct problem *p = sc->p;

	if (!sc->bracketed || !p->incumbent.n ||
		p->incumbent_launch != sc->timed.batch.launch ||
		str_eq(p->incumbent, sc->q.point))
		return (double)NAN;
	return p->incumbent_ratio * sc->bracket.before_ns;
}

static bool
beaten(const struct screening *sc, const double *v, size_t n)
{
	return race_out(v, n, incumbent_ns(sc), sc->drift, 1);
}

static bool
enough(struct screening *sc)
{
	struct arena_mark mark = arena_mark(sc->a);
	struct window *w = &sc->r->window;
	size_t n;
	const double *v = series_good(sc->a, &sc->series, &n);
	double spent = (double)(measure_now(sc->m) - sc->from_at);
	bool stop = false;

	if (beaten(sc, v, n)) {
		w->screened_out = stop = true;
	} else if (n >= SCREEN_MIN && precise(sc->a, v, n - 1) && precise(sc->a, v, n)) {
		/* Twice in a row: once may be luck. */
		stop = true;
	} else if (n >= SCREEN_MAX ||
		   (spent >= SCREEN_BUDGET_NS && n >= BLOCK_READINGS)) {
		w->noisy = !precise(sc->a, v, n);
		stop = true;
	}
	arena_pop(sc->a, mark);
	return stop;
}

/* --- a window: anchor, candidate, anchor ------------------------------------------- */

static bool
discard_first(struct screening *sc, struct fault *f)
{
	struct timed *t = &sc->timed;
	struct reading unused;

	return t->ns * (double)t->batch.launches > SLOW_LAUNCH_NS ||
	       take_one(sc->m, t, &unused, f);
}

static bool
take_series(struct screening *sc, struct fault *f)
{
	struct window *w = &sc->r->window;

	sc->series.n = sc->series.n_void = 0;
	w->screened_out = w->noisy = false;
	sc->drift = sc->p->drift;
	if (!verify_poison(&sc->verify, f) || !discard_first(sc, f))
		return false;
	sc->from_at = measure_now(sc->m);
	do {
		if (!take_good(sc->m, &sc->timed, &sc->series, f))
			return false;
	} while (!enough(sc));
	sc->to_at = measure_now(sc->m);
	return true;
}

static bool
take_window(struct screening *sc, struct fault *f)
{
	if (sc->bracketed &&
		!anchor_before(sc->m, sc->p, sc->timed.batch.launch, &sc->bracket, f))
		return false;
	if (!warm_up(sc->m, &sc->timed, f) || !take_series(sc, f) ||
		!verify_fetch(&sc->verify, f))
		return false;
	return !sc->bracketed || anchor_after(sc->m, sc->p, &sc->bracket, f);
}

/* What the window was good for; READING_GOOD: it stands. */
static enum reading_void
judge_window(struct screening *sc)
{
	struct window *w = &sc->r->window;
	size_t n;

	if (measure_shared_now(sc->m))
		return READING_SHARED;
	if (!sc->bracketed)
		return READING_GOOD;
	sc->drift = sc->p->drift = bracket_drift(&sc->bracket);
	w->drifted = bracket_class(sc->drift) == BRACKET_IS_UNSTABLE;
	if (w->drifted)
		return READING_DRIFTED;
	/* The race was decided with the drift of before; with this one it may be open. */
	const double *v = series_good(sc->a, &sc->series, &n);
	return w->screened_out && !beaten(sc, v, n) ? READING_DRIFTED : READING_GOOD;
}

static void
keep_readings(struct screening *sc)
{
	struct result *r = sc->r;

	for (size_t i = 0; i < sc->series.n; i++)
		r->readings[r->n_readings++] = sc->series.v[i];
}

/* A window that does not stand is void as a whole and measured again: twice at most. */
static bool
windows(struct screening *sc, struct fault *f)
{
	for (int again = 0;; again++) {
		bool taken = take_window(sc, f);
		enum reading_void cause = taken ? judge_window(sc) : READING_GOOD;
		bool last = again == REMEASURE;
		if (taken && cause != READING_GOOD && (!last || cause == READING_SHARED))
			for (size_t i = 0; i < sc->series.n; i++)
				if (sc->series.v[i].cause == READING_GOOD)
					sc->series.v[i].cause = cause;
		keep_readings(sc);
		if (!taken)
			return false;
		if (last && cause == READING_SHARED)
			return measure_fail(f, RESULT_TROUBLE,
				STR_LIT("unstable: others came and went on the device"));
		if (cause == READING_GOOD || last)
			return true;
	}
}

/* --- what it says ------------------------------------------------------------------ */

static void
summarise(struct screening *sc)
{
	struct result *r = sc->r;
	struct window *w = &r->window;
	size_t n;
	const double *v = series_good(sc->a, &sc->series, &n);
	struct summary s = stats_summary(sc->a, v, n);

	r->median_ns = s.median;
	r->low_ns = s.low;
	r->high_ns = s.high;
	if (sc->bracketed) {
		w->anchor = str_dup(sc->a, sc->p->anchor.point);
		w->before_ns = sc->bracket.before_ns;
		w->after_ns = sc->bracket.after_ns;
	}
	if (w->screened_out) {
		w->race_margin = race_room(n, sc->drift, 1);
		w->incumbent = str_dup(sc->a, sc->p->incumbent);
		w->incumbent_ns = incumbent_ns(sc);
	}
}

static void
note_circumstances(struct screening *sc)
{
	struct result *r = sc->r;

	r->launches_per_batch = sc->timed.batch.launches;
	r->window.launch = sc->timed.batch.launch;
	r->window.cache = sc->timed.batch.cache;
	r->window.floor_ns = measure_floor(sc->m, &sc->q, &sc->timed);
}

/* --- what is remembered of it ------------------------------------------------------ */

static bool
become_anchor(struct screening *sc, struct fault *f)
{
	double ns = series_median(sc->a, &sc->series, BLOCK_READINGS);

	return anchor_set(sc->m, sc->p, &sc->q, &sc->timed, ns, sc->to_at, f);
}

static bool
remember(struct screening *sc, struct fault *f)
{
	struct problem *p = sc->p;
	const struct window *w = &sc->r->window;
	double at = ((double)sc->from_at + (double)sc->to_at) / 2;

	if (!p->anchor.point.n)
		return become_anchor(sc, f);
	if (!sc->bracketed || w->screened_out || w->drifted)
		return true;
	double ratio = sc->r->median_ns / bracket_anchor(&sc->bracket, at);
	if (ratio < ANCHOR_WORTH)
		return become_anchor(sc, f);
	if (p->incumbent.n && p->incumbent_launch == sc->timed.batch.launch &&
		ratio >= p->incumbent_ratio)
		return true;
	p->incumbent = str_dup(sc->m->a, sc->q.point);
	p->incumbent_ratio = ratio;
	p->incumbent_launch = sc->timed.batch.launch;
	return true;
}

/* --- the whole --------------------------------------------------------------------- */

/* All of a problem are compared as they are submitted.  The first that is short enough
 * for graphs makes them the way; it is the fastest so far, so nothing is lost. */
static void
agree_on_mode(struct screening *sc)
{
	struct problem *p = sc->p;

	if (sc->timed.batch.launch == LAUNCH_STREAM || p->launch == LAUNCH_GRAPH)
		return;
	p->launch = LAUNCH_GRAPH;
	p->incumbent = (struct str){0};
}

/* The anchor gives way to a candidate that does not fit beside it. */
static bool
load(struct screening *sc, struct fault *f)
{
	struct measure *m = sc->m;

	sc->timed.l = measure_load(m, sc->a, &sc->q, f);
	if (!sc->timed.l && f->status == RESULT_OOM && !f->fatal &&
		sc->p->anchor.timed.l) {
		anchor_unload(m);
		sc->timed.l = measure_load(m, sc->a, &sc->q, f);
	}
	return sc->timed.l != NULL;
}

static bool
verified(struct screening *sc, struct fault *f)
{
	sc->verify = (struct verify){
		.m = sc->m, .a = sc->a, .q = &sc->q, .l = sc->timed.l, .r = sc->r};
	return verify_open(&sc->verify, f) &&
	       verify_runs(&sc->verify, sc->p->anchor.timed.ns, f);
}

static bool
prepare(struct screening *sc, struct fault *f)
{
	struct timed *t = &sc->timed;
	bool first = !sc->m->warm;

	t->batch.cache = sc->j->cache;
	t->ns = sc->p->anchor.timed.ns;
	enum graph_wish wish =
		sc->p->launch == LAUNCH_GRAPH ? GRAPH_WANTED : GRAPH_IF_SHORT;
	if (!calibrate(sc->m, t, SCREEN_BATCH_NS, wish, f) || !warm_up(sc->m, t, f))
		return false;
	if (first)
		t->batch.launches = calibrate_launches(t->ns, SCREEN_BATCH_NS);
	agree_on_mode(sc);
	note_circumstances(sc);
	/* One that does not fit beside the candidate leaves it without a bracket. */
	sc->bracketed = anchor_load(sc->m, sc->p, f);
	return sc->bracketed || !f->fatal;
}

static bool
timed_and_right(struct screening *sc, struct fault *f)
{
	if (!verified(sc, f) || !prepare(sc, f) || !windows(sc, f) ||
		!verify_again(&sc->verify, f))
		return false;
	if (!sc->r->window.screened_out &&
		!take_singles(sc->m, sc->a, &sc->timed, sc->r, f))
		return false;
	summarise(sc);
	if (sc->verify.ref) {
		sc->r->verified = true;
		sc->r->verified_by = sc->q.reference_by;
	}
	return true;
}

bool
screen(struct measure *m, struct arena *a, const struct job *j, struct result *r,
	struct fault *f)
{
	struct screening *sc = arena_new(a, struct screening);
	struct fault later = {.fatal = false};

	*sc = (struct screening){.m = m, .a = a, .j = j, .r = r};
	sc->p = problem_of(m, j);
	sc->q = j->member[0].request;
	sc->q.point = j->member[0].point;
	r->readings = arena_news(a, (size_t)SERIES_MAX * (REMEASURE + 1), struct reading);
	if (!load(sc, f))
		return false;
	bool ok = timed_and_right(sc, f);
	verify_close(&sc->verify);
	/* What goes wrong with the anchor from now on is not this candidate's. */
	if (ok && !remember(sc, &later))
		m->lost = later.fatal;
	if (ok || !f->fatal)
		m->ops->unload(m->s, sc->timed.l);
	return ok;
}
