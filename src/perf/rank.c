#include "perf/rank.h"

#include "base/die.h"

#include <math.h>
#include <stdlib.h>

static double
low_of(const struct rank_entry *e)
{
	double low = e->cost > 0 ? e->cost_low : e->low_ns;

	return isfinite(low) ? low : rank_cost(e) * (1 - RANK_BLIND);
}

static double
high_of(const struct rank_entry *e)
{
	double high = e->cost > 0 ? e->cost_high : e->high_ns;

	return isfinite(high) ? high : rank_cost(e) * (1 + RANK_BLIND);
}

/* The interval of an estimate would claim knowledge that there is not. */
static bool
both_measured(const struct rank_entry *x, const struct rank_entry *y)
{
	return x->kind != RESULT_ESTIMATED && y->kind != RESULT_ESTIMATED;
}

/* The objective may be known of finalists alone: they go before the others, whose time is
 * no value of it. */
static bool
comparable(const struct rank_entry *x, const struct rank_entry *y)
{
	return (x->cost > 0) == (y->cost > 0);
}

bool
rank_tie(const struct rank_entry *x, const struct rank_entry *y)
{
	const struct rank_entry *fast = rank_cost(x) <= rank_cost(y) ? x : y;
	const struct rank_entry *slow = fast == x ? y : x;

	if (!comparable(x, y))
		return false;
	if (rank_cost(slow) <= rank_cost(fast) * (1 + RANK_MARGIN))
		return true;
	return both_measured(x, y) && low_of(slow) <= high_of(fast);
}

bool
rank_faster(const struct rank_entry *x, const struct rank_entry *y)
{
	return comparable(x, y) && rank_cost(x) < rank_cost(y) && !rank_tie(x, y);
}

/* --- preference among ties ------------------------------------------------------- */

static int64_t
footprint(const struct rank_entry *e)
{
	int64_t registers = e->registers >= 0 ? e->registers : 255;

	return registers * e->threads * 4 + e->shared_bytes;
}

static int
compare(int64_t x, int64_t y)
{
	return (x > y) - (x < y);
}

/* The steps of the preference, with the words for a champion that won by one. */
static int
prefer(const struct rank_entry *x, const struct rank_entry *y, const char **why)
{
	const struct {
		int order;
		const char *why;
	} steps[] = {
		{compare(x->verdict, y->verdict), "clean, without a caveat"},
		{compare(y->verified, x->verified), "its outputs are verified"},
		{compare(x->spill_bytes > 0, y->spill_bytes > 0), "it does not spill"},
		{compare(footprint(x), footprint(y)),
			isnan(x->occupancy) ? "smaller footprint of a block"
					    : "smaller footprint on an SM"},
		{compare(x->off_baseline, y->off_baseline), "nearer the baseline"},
		{str_cmp(x->id, y->id), "the smaller id, for want of a better reason"},
	};
	size_t i = 0;

	while (i + 1 < sizeof steps / sizeof *steps && !steps[i].order)
		i++;
	*why = steps[i].why;
	return steps[i].order;
}

int
rank_prefer(const struct rank_entry *x, const struct rank_entry *y)
{
	const char *why;

	return prefer(x, y, &why);
}

const char *
rank_why(const struct rank_entry *champion, const struct rank_entry *other)
{
	const char *why;

	prefer(champion, other, &why);
	return why;
}

static int
by_time(const void *p, const void *q)
{
	const struct rank_entry *x = p, *y = q;

	if (x->screened_out != y->screened_out)
		return x->screened_out ? 1 : -1;
	if (!comparable(x, y))
		return x->cost > 0 ? -1 : 1;
	if (rank_cost(x) != rank_cost(y))
		return rank_cost(x) < rank_cost(y) ? -1 : 1;
	return rank_prefer(x, y);
}

void
rank_order(struct rank_entry *v, size_t n)
{
	size_t champion = 0;

	if (!n)
		return;
	qsort(v, n, sizeof *v, by_time);
	for (size_t i = 0; i < n; i++) {
		v[i].champion = false;
		v[i].tie = !v[i].screened_out && rank_tie(&v[0], &v[i]);
		if (v[i].tie && rank_prefer(&v[i], &v[champion]) < 0)
			champion = i;
	}
	v[champion].champion = true;
}

void
rank_speedup(struct rank_size *s)
{
	const struct rank_entry *c = rank_champion(s), *b = rank_baseline(s);

	s->speedup = s->speedup_low = s->speedup_high = (double)NAN;
	if (!c || !b || b->status != RESULT_OK || !comparable(c, b))
		return;
	s->speedup = rank_cost(b) / rank_cost(c);
	if (!both_measured(b, c))
		return;
	s->speedup_low = low_of(b) / high_of(c);
	s->speedup_high = high_of(b) / low_of(c);
}

int
rank_exit_status(struct ranking *const *v, size_t n)
{
	bool none = false, faster = false;

	for (size_t k = 0; k < n; k++)
		for (size_t z = 0; z < v[k]->n_sizes; z++) {
			const struct rank_size *s = &v[k]->sizes[z];
			none |= s->n_ranked == 0;
			for (size_t i = s->n_ranked + s->n_failed; i < rank_size_n(s);
				i++)
				faster |= s->v[i].faster && s->v[i].unsafe &&
					  result_is_measured(s->kind);
		}
	return none ? EXIT_UNSURE : faster ? EXIT_NO : EXIT_YES;
}
