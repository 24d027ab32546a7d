/*
 * Finals on simulated cards: how often a difference is claimed among equals, how often a
 * planted one is found; and the same two for measuring one candidate after the other and
 * calling intervals that do not overlap a difference.
 *
 *     prop_final [N [SEED]]      N finals a card and question; prints a table
 *
 * Of N finals of 4 to 10 equals: any pair rejected at any look (before the floor that the
 * control sets); claimed at the end; the control failed; rounds on average.  Of N finals
 * with a second that is 0.5 % slower: found; the interval missed the truth.  Of N series
 * one after the other: claimed, found.
 */
#include "base/arena.h"
#include "base/rng.h"
#include "perf/final.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- cards ----------------------------------------------------------------------- */

/*
 * What a card does to the logarithm of times.  Each millisecond: noise of its own, and a
 * wander (AR(1)) that lasts some dozens of milliseconds; one millisecond in a hundred is
 * disturbed.
 */
struct regime {
	const char *name;
	double noise, wander, keeps; /* standard deviations; correlation a millisecond */
	double drift;                /* a second */
	double step;                 /* of a random walk, a millisecond */
	double ramp, ramp_ms;        /* clocks that come up: at the start, and how fast */
	bool hopeless;               /* 0.5 % cannot be found in 40 rounds */
};

static const struct regime regimes[] = {
	{"quiet", 0.0015, 0.002, 0.97, 0, 0, 0, 1, false},
	{"drifting", 0.0015, 0.002, 0.97, 0.01, 0.0003, 0, 1, false},
	{"clock ramp", 0.0015, 0.002, 0.97, 0, 0, 0.08, 300, false},
	{"noisy", 0.02, 0.01, 0.97, 0.01, 0.003, 0, 1, true},
};
enum { N_REGIMES = sizeof regimes / sizeof *regimes };

struct card {
	const struct regime *is;
	struct rng rng;
	double ms, wander, walk;
};

/* Of variance 1: twelve uniforms less 6. */
static double
normal(struct rng *r)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += rng_unit(r);
	return sum;
}

static struct card
card_new(const struct regime *is, uint64_t seed)
{
	struct card c = {.is = is, .rng = {seed}};

	c.wander = is->wander * normal(&c.rng);
	return c;
}

/* A batch of one millisecond of a kernel that takes `ns` on a card that does nothing. */
static double
batch(struct card *c, double ns)
{
	const struct regime *is = c->is;
	double x;

	c->ms += 1;
	c->walk += is->step * normal(&c->rng);
	c->wander = is->keeps * c->wander +
		    is->wander * sqrt(1 - is->keeps * is->keeps) * normal(&c->rng);
	x = c->wander + c->walk + is->drift * c->ms / 1000 +
	    is->ramp * exp(-c->ms / is->ramp_ms) + is->noise * normal(&c->rng);
	if (rng_unit(&c->rng) < 0.01)
		x += 0.05 * rng_unit(&c->rng);
	return ns * exp(x);
}

/* One batch thrown away, then the median of three. */
static double
visit(struct card *c, double ns)
{
	double x, y, z;

	batch(c, ns);
	x = batch(c, ns);
	y = batch(c, ns);
	z = batch(c, ns);
	return fmax(fmin(x, y), fmin(fmax(x, y), z));
}

/* --- a final
 * ----------------------------------------------------------------------------- */

enum { MAX_MEMBERS = 12 };

struct field {
	struct final_entry v[MAX_MEMBERS];
	double time[MAX_MEMBERS];
	size_t n;
};

static void
enter(struct field *f, enum final_role role, double time)
{
	f->v[f->n] = (struct final_entry){.role = role};
	f->time[f->n++] = time;
}

static void
run_rounds(const struct field *f, struct card *c, uint64_t seed, size_t from, size_t to,
	struct final_readings *r, double *ns)
{
	for (size_t round = from; round < to; round++) {
		size_t order[2 * MAX_MEMBERS];
		final_schedule(seed, round, f->n, order);
		for (size_t at = 0; at < 2 * f->n; at++)
			ns[final_index(r, round, at / f->n, order[at])] =
				visit(c, f->time[order[at]]);
	}
	r->n_rounds = to;
}

static bool
rejects_any(const struct final_decision *d)
{
	for (size_t i = 0; i < d->n_members * d->n_members; i++)
		if (d->pairs[i].adjusted <= d->alpha)
			return true;
	return false;
}

/* To its last look. */
static struct final_decision *
run_final(struct arena *a, const struct field *f, const struct regime *is, uint64_t seed,
	bool *rejected)
{
	static double ns[2 * FINAL_MAX_ROUNDS * MAX_MEMBERS];
	struct final_readings r = {.members = f->v, .n_members = f->n, .ns = ns};
	struct card c = card_new(is, seed);
	struct final_decision *d;
	size_t rounds = final_rounds(f->n - 1, 0);

	*rejected = false;
	do {
		run_rounds(f, &c, seed, r.n_rounds, rounds, &r, ns);
		d = final_decide(a, &r);
		*rejected |= rejects_any(d);
		rounds = d->next_rounds;
	} while (rounds);
	return d;
}

/* --- one after the other
 * ------------------------------------------------------------------ */

static int
ascending(const void *x, const void *y)
{
	const double *p = x, *q = y;

	return (*p > *q) - (*p < *q);
}

/* The interval of the median of 20 from the 6th to the 15th: 95.9 % if they were
 * independent (sign test). */
static void
series(struct card *c, double ns, double *low, double *high)
{
	double v[20];

	for (int i = 0; i < 20; i++)
		v[i] = batch(c, ns);
	qsort(v, 20, sizeof *v, ascending);
	*low = v[5];
	*high = v[14];
}

/* 1: the second is called slower, -1: faster, 0: the intervals overlap. */
static int
run_sequential(const struct regime *is, uint64_t seed, double first, double second)
{
	struct card c = card_new(is, seed);
	double low[2], high[2];

	series(&c, first, &low[0], &high[0]);
	for (int i = 0; i < 50; i++)
		batch(&c, first);
	series(&c, second, &low[1], &high[1]);
	return low[1] > high[0] ? 1 : high[1] < low[0] ? -1 : 0;
}

/* --- the questions
 * ------------------------------------------------------------------------ */

struct tally {
	int n, rounds; /* of all finals of equals */
	int rejected, claimed, control_failed, found, missed;
	int sequential_claimed, sequential_found;
};

static bool
claims(const struct final_decision *d, size_t i)
{
	enum final_verdict v = d->v[i].verdict;

	return v == FINAL_SLOWER || v == FINAL_WITHIN || v == FINAL_FASTER;
}

/* Equals: the baseline, its control, an audit and as many candidates as make it `n`. */
static void
ask_equals(struct arena *a, struct tally *t, const struct regime *is, size_t n,
	uint64_t seed)
{
	struct field f = {.n = 0};
	struct final_decision *d;
	bool rejected, any = false;

	enter(&f, FINAL_BASELINE, 100);
	enter(&f, FINAL_CONTROL, 100);
	enter(&f, FINAL_AUDIT, 100);
	while (f.n < n)
		enter(&f, FINAL_CANDIDATE, 100);
	d = run_final(a, &f, is, seed, &rejected);
	for (size_t i = 0; i < f.n; i++)
		any |= claims(d, i);
	t->rejected += rejected;
	t->claimed += any;
	t->control_failed += !d->control_ok;
	t->rounds += (int)d->n_rounds;
	t->sequential_claimed += run_sequential(is, seed, 100, 100) != 0;
}

/* The second candidate is 0.5 % slower than the first, the rest is far behind. */
static void
ask_planted(struct arena *a, struct tally *t, const struct regime *is, uint64_t seed)
{
	struct field f = {.n = 0};
	const struct final_pair *p;
	struct final_decision *d;
	bool rejected;

	enter(&f, FINAL_BASELINE, 110);
	enter(&f, FINAL_CONTROL, 110);
	enter(&f, FINAL_CANDIDATE, 100);
	enter(&f, FINAL_CANDIDATE, 100.5);
	enter(&f, FINAL_CANDIDATE, 103);
	enter(&f, FINAL_AUDIT, 107);
	d = run_final(a, &f, is, seed, &rejected);
	p = final_pair(d, 3, 2);
	t->found += d->best == 2 && claims(d, 3);
	t->missed += p->low > 1.005 || p->high < 1.005;
	t->sequential_found += run_sequential(is, seed, 100, 100.5) == 1;
}

/* The least k that a binomial of n and p exceeds with a probability of at most 1e-4. */
static int
binomial_bound(int n, double p)
{
	double term = pow(1 - p, n), all = term;
	int k = 0;

	while (k < n && 1 - all > 1e-4) {
		term *= (double)(n - k) / (k + 1) * p / (1 - p);
		all += term;
		k++;
	}
	return k;
}

static int
expect(bool ok, const char *card, const char *what)
{
	if (!ok)
		printf("FAILED: %s: %s\n", card, what);
	return !ok;
}

static int
judge(const struct tally *t, const struct regime *is)
{
	int bound = binomial_bound(t->n, 0.05), bad = 0;

	printf("%-10s %8d %7d %7d %6.1f %6d %6d %8d %6d\n", is->name, t->rejected,
		t->claimed, t->control_failed, (double)t->rounds / t->n, t->found,
		t->missed, t->sequential_claimed, t->sequential_found);
	bad += expect(t->rejected <= bound, is->name, "equals are told apart");
	bad += expect(t->claimed <= bound, is->name, "a difference of equals is claimed");
	bad += expect(t->missed <= bound, is->name, "intervals miss the truth");
	if (!is->hopeless)
		bad += expect(t->found * 20 >= t->n * 19, is->name, "0.5 % is not found");
	/* Else finals would be a waste of time. */
	bad += expect(
		t->sequential_claimed > bound, is->name, "one after the other would do");
	return bad;
}

int
main(int argc, char **argv)
{
	uint64_t n = 120, seed = 1;
	struct arena a = {0};
	int bad = 0;

	if ((argc > 1 && !str_to_u64(str_of(argv[1]), &n)) || n < 1 || n > 10000 ||
		(argc > 2 && !str_to_u64(str_of(argv[2]), &seed))) {
		fprintf(stderr, "usage: prop_final [N [SEED]]\n");
		return 2;
	}
	printf("%d finals, seed %llu; at most %d wrong (alpha 0.05)\n", (int)n,
		(unsigned long long)seed, binomial_bound((int)n, 0.05));
	printf("           ----- equals ----------------- - planted --- - sequential -\n"
	       "card       rejected claimed control rounds  found missed  claimed  "
	       "found\n");
	for (size_t k = 0; k < N_REGIMES; k++) {
		struct tally t = {.n = (int)n};
		for (uint64_t i = 0; i < n; i++) {
			struct arena_mark m = arena_mark(&a);
			uint64_t s = rng_at(seed, k * n + i);
			ask_equals(&a, &t, &regimes[k], 4 + i % 7, s);
			ask_planted(&a, &t, &regimes[k], s);
			arena_pop(&a, m);
		}
		bad += judge(&t, &regimes[k]);
	}
	arena_release(&a);
	return bad > 0;
}
