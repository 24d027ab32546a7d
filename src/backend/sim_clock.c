#include "backend/sim_session.h"
#include "base/clock.h"

#include <math.h>

double
sim_now_ns(const struct session *s)
{
	return s->script->real_time ? (double)(clock_ns() - s->start_ns) : s->now_ns;
}

static bool
covers(const struct sim_event *e, double now)
{
	return now >= (double)e->at_ns && now < (double)(e->at_ns + e->for_ns);
}

struct sim_event
sim_event_now(const struct session *s)
{
	struct sim_event all = {.clock = 1, .slow = 1, .sharing = s->script->sharing};
	double now = sim_now_ns(s);

	for (size_t i = 0; i < s->script->n_events; i++) {
		const struct sim_event *e = &s->script->events[i];
		if (!covers(e, now))
			continue;
		all.clock *= e->clock;
		all.slow *= e->slow;
		all.reasons |= e->reasons;
		if (e->sharing.n)
			all.sharing = e->sharing;
	}
	return all;
}

double
sim_sm_mhz(const struct session *s)
{
	return (double)s->dev->sm_clock_mhz * s->clock * sim_event_now(s).clock;
}

/* The counter shows what was spent up to its last step, and stands still between two. */
static void
count_energy(struct session *s, double ns, double watts)
{
	double step = s->script->energy_step_ns, from = sim_now_ns(s);
	double last = floor((from + ns) / step) * step;

	if (last > from)
		s->shown_j = s->energy_j + (last - from) * 1e-9 * watts;
	s->energy_j += ns * 1e-9 * watts;
}

void
sim_advance(struct session *s, double ns, bool busy)
{
	const struct sim_script *p = s->script;
	double to = busy ? 1 : p->clock_start;
	double time_constant = busy ? p->clock_rise_ns : p->clock_fall_ns;

	s->clock = to + (s->clock - to) * exp(-ns / time_constant);
	count_energy(s, ns, busy ? s->power_w : p->idle_w);
	if (busy)
		s->calls.device_ns += ns;
	if (p->real_time)
		clock_sleep_ns((int64_t)ns);
	s->now_ns += ns;
}

/* The sum of 12 uniform numbers: no libm, so the same everywhere. */
static double
normal(struct rng *r)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += rng_unit(r);
	return sum;
}

/* The next of a series with variance 1 and correlation rho between neighbours. */
static double
next_noise(struct session *s)
{
	double rho = s->script->noise_rho;

	s->noise = rho * s->noise + sqrt(1 - rho * rho) * normal(&s->rng);
	return s->noise * s->script->noise_sigma;
}

static double
in_steps(double ns, double step)
{
	double steps = step > 0 ? rint(ns / step) : 0;

	return step > 0 ? (steps < 1 ? 1 : steps) * step : ns;
}

double
sim_launches(struct session *s, const struct loaded *l, int64_t n, enum launch_mode mode)
{
	const struct sim_script *p = s->script;
	struct sim_event e = sim_event_now(s);
	double one = l->ns / (s->clock * e.clock) * e.slow;

	one *= 1 + next_noise(s) + p->drift_per_s * sim_now_ns(s) * 1e-9;
	one = fmax(one, p->floor_ns[mode]);
	s->power_w = l->power_w;
	s->calls.launches += n;
	sim_advance(s, one * (double)n, true);
	return in_steps(one * (double)n, p->quantum_ns);
}
