#include "measure/measure_parts.h"

#include <math.h>

/* Clocks are up when windows of work agree in time and clock. */
static const double WINDOW_NS = 20e6, WINDOW_AGREE = 0.005;
static const int64_t WARM_MIN_NS = 200 * MEASURE_MS, WARM_MAX_NS = 1500 * MEASURE_MS;
/* The first batch of more than one launch. */
static const double TRY_NS = 0.5e6;
static const int64_t TRY_MAX = 512;

int64_t
calibrate_launches(double ns, double target_ns)
{
	double n = rint(target_ns / ns), least = QUANTUM_NS / (QUANTUM_SHARE * ns);

	if (n < least)
		n = ceil(least);
	if (n > LAUNCHES_MAX)
		n = LAUNCHES_MAX;
	/* Whole graphs. */
	if (n > GRAPH_LAUNCHES)
		n = ceil(n / GRAPH_LAUNCHES) * GRAPH_LAUNCHES;
	return n < 1 ? 1 : (int64_t)n;
}

static bool
try_batch(struct measure *m, struct timed *t, int64_t launches, struct fault *f)
{
	struct reading r;

	t->batch.launches = launches;
	return take_one(m, t, &r, f);
}

bool
calibrate(struct measure *m, struct timed *t, double target_ns, enum graph_wish wish,
	struct fault *f)
{
	t->batch.launch = LAUNCH_STREAM;
	if (!try_batch(m, t, 1, f))
		return false;
	if (t->ns >= target_ns)
		return true;
	double n = fmin(floor(TRY_NS / t->ns), (double)TRY_MAX);
	/* One launch alone takes some microseconds more than it does among many. */
	bool perhaps = wish == GRAPH_WANTED ||
		       (wish == GRAPH_IF_SHORT && t->ns < 2 * GRAPH_BELOW_NS);
	if (perhaps && m->ops->graphs(m->s, t->l)) {
		t->batch.launch = LAUNCH_GRAPH;
		n = fmin(n, (double)GRAPH_LAUNCHES);
	}
	if (n >= 2 && !try_batch(m, t, (int64_t)n, f))
		return false;
	if (wish == GRAPH_IF_SHORT && t->ns >= GRAPH_BELOW_NS)
		t->batch.launch = LAUNCH_STREAM;
	t->batch.launches = calibrate_launches(t->ns, target_ns);
	return true;
}

/* --- warming up -------------------------------------------------------------------- */

struct warm_window {
	double ns, mhz;
};

/* How far three numbers are apart, relative to the least; NaN when one is not known. */
static double
spread(double x, double y, double z)
{
	return (fmax(x, fmax(y, z)) - fmin(x, fmin(y, z))) / fmin(x, fmin(y, z));
}

static bool
agree(const struct warm_window w[3])
{
	/* No clock is told: NaN compares false, and times alone decide. */
	return spread(w[0].ns, w[1].ns, w[2].ns) <= WINDOW_AGREE &&
	       !(spread(w[0].mhz, w[1].mhz, w[2].mhz) > WINDOW_AGREE);
}

static bool
run_window(struct measure *m, struct timed *t, struct warm_window *out, struct fault *f)
{
	int64_t end = measure_now(m) + (int64_t)WINDOW_NS;
	struct reading r;

	*out = (struct warm_window){(double)INFINITY, (double)NAN};
	do {
		if (!take_one(m, t, &r, f))
			return false;
		out->ns = fmin(out->ns, r.ns);
		out->mhz = r.sm_mhz;
	} while (measure_now(m) < end);
	return true;
}

static bool
first_warm_up(struct measure *m, struct timed *t, struct fault *f)
{
	struct warm_window w[3] = {{0, 0}, {0, 0}, {0, 0}};
	int64_t start = measure_now(m), spent = 0;

	for (int i = 0; spent < WARM_MAX_NS; i++) {
		w[2] = w[1], w[1] = w[0];
		if (!run_window(m, t, &w[0], f))
			return false;
		spent = measure_now(m) - start;
		if (spent >= WARM_MIN_NS && i >= 2 && agree(w))
			break;
	}
	m->warm = true;
	m->owed_ns = 0;
	return true;
}

bool
warm_up(struct measure *m, struct timed *t, struct fault *f)
{
	int64_t end = measure_now(m) + m->owed_ns;
	struct reading r;

	if (!m->warm)
		return first_warm_up(m, t, f);
	while (m->owed_ns > 0 && measure_now(m) < end)
		if (!take_one(m, t, &r, f))
			return false;
	m->owed_ns = 0;
	return true;
}
