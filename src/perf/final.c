#include "perf/final.h"

#include "base/die.h"
#include "base/rng.h"
#include "perf/holm.h"
#include "perf/tost.h"

#include <math.h>

static const char *const verdict_names[] = {
	"unresolved", "best", "slower", "within", "tied", "faster"};

enum { FIRST_ROUNDS = 10 };

const char *
final_verdict_name(enum final_verdict v)
{
	return verdict_names[v];
}

/* --- the plan -------------------------------------------------------------------- */

void
final_schedule(uint64_t seed, size_t round, size_t n_members, size_t *order)
{
	struct rng r = {rng_at(seed, round)};

	for (size_t i = 0; i < n_members; i++) {
		size_t k = (size_t)rng_below(&r, i + 1);
		order[i] = order[k];
		order[k] = i;
	}
	for (size_t i = 0; i < n_members; i++)
		order[2 * n_members - 1 - i] = order[i];
}

static const size_t later_rounds[FINAL_LOOKS] = {0, 20, 40};

double
final_alpha(size_t look)
{
	static const double alpha[FINAL_LOOKS] = {0.02, 0.015, 0.015};

	return alpha[look];
}

size_t
final_rounds(size_t n_members, size_t look)
{
	double pairs = (double)n_members * ((double)n_members - 1) / 2;
	size_t n = FIRST_ROUNDS;

	if (look)
		return later_rounds[look];
	/* n differences of one sign have p = 2 / 2^n, which Holm multiplies by the pairs.
	 */
	while (n + 1 < later_rounds[1] && ldexp(pairs, 1 - (int)n) > final_alpha(0))
		n++;
	return n;
}

static size_t
look_of(size_t n_rounds)
{
	return n_rounds < later_rounds[1] ? 0 : n_rounds < later_rounds[2] ? 1 : 2;
}

/* --- the readings ---------------------------------------------------------------- */

/* Who may be the fastest. */
static bool
eligible(const struct final_entry *m)
{
	return m->role == FINAL_CANDIDATE || m->role == FINAL_BASELINE;
}

static size_t
count_role(const struct final_readings *r, enum final_role role)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n_members; i++)
		n += r->members[i].role == role;
	return n;
}

const char *
final_problem(const struct final_readings *r)
{
	if (!r->n_rounds || r->n_rounds > FINAL_MAX_ROUNDS)
		return "a final has 1 to 64 rounds";
	if (count_role(r, FINAL_BASELINE) > 1 || count_role(r, FINAL_CONTROL) > 1)
		return "a final has at most one baseline and one control";
	if (!count_role(r, FINAL_BASELINE) && !count_role(r, FINAL_CANDIDATE))
		return "a final has a candidate or a baseline";
	for (size_t i = 0; i < r->n_members; i++) {
		const struct final_entry *m = &r->members[i];
		if (m->role == FINAL_CONTROL &&
			(m->of >= r->n_members || !eligible(&r->members[m->of])))
			return "the control is a candidate or the baseline again";
	}
	for (size_t i = 0; i < 2 * r->n_rounds * r->n_members; i++)
		if (!(r->ns[i] > 0 && isfinite(r->ns[i])))
			return "a reading is a positive number of ns";
	if (!(r->margin >= 0 && r->margin < 1))
		return "the margin is at least 0 and less than 1";
	return NULL;
}

/* What is known of one pair, in logarithms. */
struct measured {
	double centre, low, high, p;
	bool equivalent;
};

struct work {
	const struct final_readings *r;
	struct final_decision *d;
	double *level;      /* [member * n_rounds + round] */
	struct measured *m; /* [n_members * n_members] */
};

static void
set_levels(struct arena *a, struct work *w)
{
	const struct final_readings *r = w->r;

	w->level = arena_news(a, r->n_members * r->n_rounds, double);
	for (size_t i = 0; i < r->n_members; i++)
		for (size_t k = 0; k < r->n_rounds; k++)
			w->level[i * r->n_rounds + k] =
				(log(r->ns[final_index(r, k, 0, i)]) +
					log(r->ns[final_index(r, k, 1, i)])) /
				2;
}

static struct measured
measure(const struct work *w, size_t i, size_t j)
{
	size_t n = w->r->n_rounds;
	double d[FINAL_MAX_ROUNDS], alpha = w->d->alpha;
	struct walsh_interval interval;
	struct walsh walsh;

	for (size_t k = 0; k < n; k++)
		d[k] = w->level[i * n + k] - w->level[j * n + k];
	walsh_set(&walsh, d, n);
	interval = walsh_interval(&walsh, alpha);
	return (struct measured){walsh_median(&walsh), interval.low, interval.high,
		signed_rank_p(d, n), tost_equivalent(&walsh, log(w->d->margin), alpha)};
}

static void
measure_pairs(struct arena *a, struct work *w)
{
	size_t n = w->r->n_members;

	w->m = arena_news(a, n * n, struct measured);
	for (size_t i = 0; i < n; i++)
		w->m[i * n + i].p = 1;
	for (size_t i = 0; i < n; i++)
		for (size_t j = i + 1; j < n; j++) {
			struct measured m = measure(w, i, j);
			w->m[i * n + j] = m;
			w->m[j * n + i] = (struct measured){
				-m.centre, -m.high, -m.low, m.p, m.equivalent};
		}
}

static struct final_pair
pair_of(const struct measured *m)
{
	return (struct final_pair){
		exp(m->centre), exp(m->low), exp(m->high), m->p, (double)NAN};
}

static void
set_pairs(struct arena *a, struct work *w)
{
	const struct final_entry *v = w->r->members;
	size_t n = w->r->n_members, n_pairs = 0, at = 0;
	double *p = arena_news(a, n * n, double),
	       *adjusted = arena_news(a, n * n, double);

	w->d->pairs = arena_news(a, n * n, struct final_pair);
	for (size_t i = 0; i < n * n; i++)
		w->d->pairs[i] = pair_of(&w->m[i]);
	for (size_t i = 0; i < n; i++)
		for (size_t j = i + 1; j < n; j++)
			if (v[i].role != FINAL_CONTROL && v[j].role != FINAL_CONTROL)
				p[n_pairs++] = w->m[i * n + j].p;
	holm_adjust(p, n_pairs, adjusted);
	for (size_t i = 0; i < n; i++)
		for (size_t j = i + 1; j < n; j++)
			if (v[i].role != FINAL_CONTROL && v[j].role != FINAL_CONTROL)
				w->d->pairs[i * n + j].adjusted =
					w->d->pairs[j * n + i].adjusted = adjusted[at++];
}

/* --- the decision ---------------------------------------------------------------- */

/* The member whose nearest rival is the farthest behind it: estimates of pairs need not
 * be transitive, and whoever beats all others in them is this one. */
static size_t
find_best(const struct work *w)
{
	size_t n = w->r->n_members, best = n;
	double most = -(double)INFINITY;

	for (size_t b = 0; b < n; b++) {
		double lead = (double)INFINITY;
		if (!eligible(&w->r->members[b]))
			continue;
		for (size_t i = 0; i < n; i++)
			if (i != b && eligible(&w->r->members[i]))
				lead = fmin(lead, w->m[i * n + b].centre);
		if (best == n || lead > most) {
			best = b;
			most = lead;
		}
	}
	return best;
}

/*
 * Where times hardly scatter, equals are told apart by what their places in memory do to
 * them, 0.01 % on an H200.  How much that does to others is not known from one, but an
 * effect that small is not what separates them by more than a tie.
 */
static void
set_control(struct work *w)
{
	struct final_decision *d = w->d;
	size_t n = d->n_members;

	d->floor = 1;
	for (size_t i = 0; i < n; i++) {
		const struct final_entry *c = &w->r->members[i];
		const struct measured *m;
		if (c->role != FINAL_CONTROL)
			continue;
		m = &w->m[i * n + c->of];
		d->control_exists = true;
		d->control = pair_of(m);
		d->control_ok = fabs(m->centre) <= log(d->margin);
		d->control_apart = m->p <= d->alpha;
		d->floor = exp(fabs(m->centre) + (m->high - m->low) / 2);
		if (d->control_apart)
			d->floor = fmax(d->floor, d->margin);
	}
}

bool
final_slower(const struct final_decision *d, size_t i, size_t j)
{
	const struct final_pair *p = final_pair(d, i, j);

	return p->adjusted <= d->alpha && p->low > 1 && p->ratio > d->floor;
}

static enum final_verdict
judge(const struct work *w, size_t i)
{
	const struct final_decision *d = w->d;

	if (i == d->best)
		return FINAL_BEST;
	if (final_slower(d, i, d->best))
		return final_pair(d, i, d->best)->high <= d->margin ? FINAL_WITHIN
								    : FINAL_SLOWER;
	if (final_slower(d, d->best, i))
		return FINAL_FASTER;
	return w->m[i * d->n_members + d->best].equivalent ? FINAL_TIED
							   : FINAL_UNRESOLVED;
}

static void
set_standings(struct arena *a, struct work *w)
{
	struct final_decision *d = w->d;
	bool open = d->control_exists && !d->control_ok && !d->control_apart;
	size_t compared = d->n_members - d->control_exists;

	d->is_short = d->n_rounds < final_rounds(compared, 0);
	d->v = arena_news(a, d->n_members, struct final_standing);
	for (size_t i = 0; i < d->n_members; i++) {
		const struct final_entry *m = &w->r->members[i];
		struct final_standing *s = &d->v[i];
		s->to_best = *final_pair(d, i, d->best);
		s->verdict = judge(w, i);
		s->in_set = eligible(m) && s->verdict != FINAL_SLOWER;
		d->n_in_set += s->in_set;
		d->audit_failed |= m->role == FINAL_AUDIT && s->verdict != FINAL_SLOWER;
		open |= m->role != FINAL_CONTROL && s->verdict == FINAL_UNRESOLVED;
	}
	for (size_t look = 0; open && look < FINAL_LOOKS && !d->next_rounds; look++)
		if (final_rounds(compared, look) > d->n_rounds)
			d->next_rounds = final_rounds(compared, look);
}

struct final_decision *
final_decide(struct arena *a, const struct final_readings *r)
{
	struct final_decision *d = arena_new(a, struct final_decision);
	struct work w = {.r = r, .d = d};
	const char *problem = final_problem(r);

	if (problem)
		BUG("%s", problem);
	d->n_members = r->n_members;
	d->n_rounds = r->n_rounds;
	d->look = look_of(r->n_rounds);
	d->alpha = final_alpha(d->look);
	d->margin = 1 + (r->margin > 0 ? r->margin : FINAL_MARGIN);
	set_levels(a, &w);
	measure_pairs(a, &w);
	set_pairs(a, &w);
	d->best = find_best(&w);
	set_control(&w);
	set_standings(a, &w);
	d->claim = !d->control_exists               ? FINAL_OBSERVED
		   : !d->control_ok                 ? FINAL_NO_CLAIM
		   : d->audit_failed || d->is_short ? FINAL_OBSERVED
						    : FINAL_PROVEN;
	return d;
}
