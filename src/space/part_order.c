#include "base/arena.h"
#include "space/space_part.h"

#include <math.h>

/*
 * Greedy: next comes the parameter after which the parameters that some constraint still
 * waits with have the fewest values together (the least frontier; elimination orders of
 * constraint graphs are found so, Dechter, Constraint Processing, 2003, ch. 4).
 */
struct ordering {
	const struct problem *p;
	const uint64_t *rules; /* parameters of each constraint, as bits */
	size_t n_rules;
};

/* Of a set of parameters that have values: the logarithm of what has to be remembered. */
static double
frontier(const struct ordering *o, uint64_t set)
{
	uint64_t open = 0;
	double sum = 0;
	for (size_t i = 0; i < o->n_rules; i++)
		if (o->rules[i] & ~set)
			open |= o->rules[i] & set;
	for (; open; open &= open - 1)
		sum += log((double)o->p->domains[__builtin_ctzll(open)].n);
	return sum;
}

static unsigned
next_of(const struct ordering *o, uint64_t set, uint64_t left)
{
	unsigned best = (unsigned)__builtin_ctzll(left);
	double least = INFINITY;
	for (; left; left &= left - 1) {
		unsigned param = (unsigned)__builtin_ctzll(left);
		double sum = frontier(o, set | UINT64_C(1) << param);
		if (sum < least) {
			least = sum;
			best = param;
		}
	}
	return best;
}

static uint64_t *
rules_of(struct problem *p, size_t *n)
{
	const uint64_t *masks = code_params(p->a, &p->code);
	uint64_t *rules = arena_news(p->a, p->n_checks + p->n_tables, uint64_t);
	*n = 0;
	for (size_t i = 0; i < p->n_checks; i++)
		if (!p->checks[i].hint)
			rules[(*n)++] = masks[p->checks[i].reg];
	for (size_t i = 0; i < p->n_tables; i++)
		rules[(*n)++] =
			UINT64_C(1) << p->tables[i].from | UINT64_C(1) << p->tables[i].to;
	return rules;
}

/* The part's parameters share out the ranks that they have. */
void
part_order(struct problem *p, const struct part *part, bool spec)
{
	struct ordering o = {.p = p};
	uint64_t left = 0, ranks = 0, set = 0;
	o.rules = rules_of(p, &o.n_rules);
	for (size_t i = 0; i < part->n_params; i++) {
		left |= UINT64_C(1) << part->params[i];
		ranks |= UINT64_C(1) << p->ranks[part->params[i]];
	}
	for (; left; ranks &= ranks - 1) {
		unsigned rank = (unsigned)__builtin_ctzll(ranks);
		unsigned param =
			spec ? (unsigned)__builtin_ctzll(left) : next_of(&o, set, left);
		set |= UINT64_C(1) << param;
		left &= ~(UINT64_C(1) << param);
		p->ranks[param] = (uint16_t)rank;
		p->ranked[rank] = (uint16_t)param;
	}
}
