#include "measure/measure_parts.h"

#include "base/arena.h"
#include "perf/stats.h"

#include <math.h>

/* Below it the clock is not what it was. */
static const double CLOCK_SHARE = 0.9;
/* Clocks before which "usual" means nothing. */
enum { CLOCKS_MIN = 5 };

static double
usual_clock(struct measure *m)
{
	struct arena_mark mark = arena_mark(m->a);
	size_t n = m->n_clocks < CLOCKS ? m->n_clocks : CLOCKS;
	double usual = n < CLOCKS_MIN ? (double)NAN : stats_median(m->a, m->clocks, n);

	arena_pop(m->a, mark);
	return usual;
}

/* Void ones are remembered, too: a clock that stays low becomes the usual one. */
static enum reading_void
judge(struct measure *m, const struct reading *r)
{
	double usual = usual_clock(m);

	if (r->sm_mhz > 0)
		m->clocks[m->n_clocks++ % CLOCKS] = r->sm_mhz;
	if (r->reasons & READING_REASONS_VOID)
		return READING_THROTTLED;
	return r->sm_mhz < CLOCK_SHARE * usual ? READING_SLOW_CLOCK : READING_GOOD;
}

bool
take_one(struct measure *m, struct timed *t, struct reading *out, struct fault *f)
{
	double predicted = t->ns * (double)t->batch.launches;
	int64_t allowed = measure_later_ns(predicted);
	int64_t deadline = measure_now(m) + allowed;

	measure_step(m, "time", allowed);
	measure_begin(m);
	if (!m->ops->time(m->s, t->l, &t->batch, deadline, out, f))
		return false;
	measure_end(m);
	if (!(out->ns > 0))
		return measure_fail(
			f, RESULT_TROUBLE, STR_LIT("the device's clock did not move"));
	out->cause = judge(m, out);
	t->ns = out->ns;
	return true;
}

static struct str
unstable(struct measure *m, const struct series *s)
{
	return str_fmt(m->a,
		"unstable: %zu of %zu batches are void (%s): the device was not in a "
		"state "
		"to be measured",
		s->n_void, s->n, reading_void_name(s->v[s->n - 1].cause));
}

/* Three may be bad luck of the moment; after that, a fifth. */
static bool
too_many(const struct series *s)
{
	return s->n_void >= BLOCK_READINGS && s->n_void * 5 > s->n;
}

/* The device rests, and then works a little so that the next reading is no first one. */
static bool
pause_after(struct measure *m, struct timed *t, int tries, struct fault *f)
{
	struct reading unused;

	m->ops->sleep(m->s, (tries < 3 ? 50 << (tries - 1) : 200) * MEASURE_MS);
	return take_one(m, t, &unused, f);
}

bool
take_good(struct measure *m, struct timed *t, struct series *s, struct fault *f)
{
	for (int tries = 1; s->n < SERIES_MAX; tries++) {
		struct reading *r = &s->v[s->n];
		if (!take_one(m, t, r, f))
			return false;
		s->n++;
		if (r->cause == READING_GOOD)
			return true;
		s->n_void++;
		if (too_many(s))
			break;
		if (!pause_after(m, t, tries, f))
			return false;
	}
	return measure_fail(f, RESULT_TROUBLE, unstable(m, s));
}

double *
series_good(struct arena *a, const struct series *s, size_t *n)
{
	return readings_good(a, s->v, s->n, n);
}

double
series_median(struct arena *a, const struct series *s, size_t most)
{
	size_t n;
	const double *v = series_good(a, s, &n);
	size_t skip = n > most ? n - most : 0;

	return stats_median(a, v + skip, n - skip);
}
