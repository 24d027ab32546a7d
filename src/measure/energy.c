/*
 * Joules a launch, from the device's counter.  It moves in steps of some tens of
 * milliseconds, so a window lasts from one step to another, seconds apart: launches run
 * all the time, in small batches near its ends, where the counter is read after each.
 */
#include "measure/measure_final.h"

#include "base/arena.h"
#include "perf/stats.h"

#include <math.h>

enum { WINDOWS = 3, BULK = 20 /* small batches in one */ };
/* Left out at the beginning of a window: power follows the load slowly. */
static const int64_t LEAD_NS = 300 * MEASURE_MS, WINDOW_NS = 1500 * MEASURE_MS,
		     EDGE_NS = 500 * MEASURE_MS;

struct spent {
	double joules, step; /* a launch; the step of the counter, of all launches */
};

static double
counter(struct measure *m)
{
	struct arena scratch = {0};
	struct device_state d;

	m->ops->state(m->s, &scratch, &d);
	arena_release(&scratch);
	return d.energy_j;
}

static bool
run_for(struct measure *m, struct timed *t, int64_t ns, int64_t *launches,
	struct fault *f)
{
	int64_t end = measure_now(m) + ns;
	struct timed bulk = *t;
	struct reading r;

	bulk.batch.launches *= BULK;
	while (measure_now(m) < end) {
		if (!take_one(m, &bulk, &r, f))
			return false;
		*launches += bulk.batch.launches;
	}
	return true;
}

/* Until the counter moves; *moved is by how much, 0 when it does not. */
static bool
run_to_step(struct measure *m, struct timed *t, int64_t *launches, double *joules,
	double *moved, struct fault *f)
{
	int64_t end = measure_now(m) + EDGE_NS;
	double from = counter(m);
	struct reading r;

	*moved = 0;
	while (!(*moved > 0) && measure_now(m) < end) {
		if (!take_one(m, t, &r, f))
			return false;
		*launches += t->batch.launches;
		*joules = counter(m);
		*moved = *joules - from;
	}
	return true;
}

/* NaN when the counter stands still. */
static bool
window(struct measure *m, struct timed *t, struct spent *out, struct fault *f)
{
	double from = 0, to = 0, first, last;
	int64_t unused = 0, n = 0;

	*out = (struct spent){(double)NAN, (double)NAN};
	if (!run_for(m, t, LEAD_NS, &unused, f) ||
		!run_to_step(m, t, &unused, &from, &first, f) ||
		!run_for(m, t, WINDOW_NS - LEAD_NS, &n, f) ||
		!run_to_step(m, t, &n, &to, &last, f))
		return false;
	if (first > 0 && last > 0 && to > from)
		*out = (struct spent){
			(to - from) / (double)n, fmax(first, last) / (double)n};
	return true;
}

static bool
wanted(const struct finalist *x)
{
	return x->record->status == RESULT_OK && x->record->role != FINAL_CONTROL;
}

static void
summarise(struct final *s, struct finalist *x, const struct spent v[WINDOWS])
{
	double joules[WINDOWS], step = 0;

	for (int i = 0; i < WINDOWS; i++) {
		joules[i] = v[i].joules;
		step = fmax(step, v[i].step);
		/* One window without a counter: nothing is known. */
		if (isnan(v[i].joules))
			return;
	}
	x->record->joules = stats_median(s->a, joules, WINDOWS);
	x->record->joules_error = step;
}

bool
energy(struct final *s)
{
	struct spent *v = arena_news(s->a, s->n * WINDOWS + 1, struct spent);

	if (isnan(counter(s->m)))
		return true;
	for (size_t k = 0; k < WINDOWS; k++)
		for (size_t i = 0; i < s->n; i++) {
			struct finalist *x = &s->v[i];
			struct fault f = {.fatal = false};
			if (!wanted(x))
				continue;
			if (finalist_enter(s, x, &f) &&
				window(s->m, &x->timed, &v[i * WINDOWS + k], &f))
				finalist_leave(s, x);
			else if (!finalist_out(s, x, &f))
				return false;
		}
	for (size_t i = 0; i < s->n; i++)
		if (wanted(&s->v[i]))
			summarise(s, &s->v[i], &v[i * WINDOWS]);
	return true;
}
