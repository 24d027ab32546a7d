/*
 * Search: which candidates to evaluate next.
 *
 * A strategy is a pure function of the field, the seed, the budget, the batch and the
 * results so far: the same results give the same next candidates, whether they were found
 * in one run or in many.  So nothing but the results has to be kept: search_replay()
 * brings a strategy to where it was by telling it all of them again, and a search that
 * goes on (search_next, search_tell) does not notice the difference.
 *
 * Candidates are asked for in batches, because compilers work beside each other; a
 * strategy sees the results of a batch when the whole batch has them.  A batch may be
 * smaller than asked for, when a strategy has to know more before it goes on.
 *
 * No candidate is asked for twice.  A failed one has no time and costs an evaluation; a
 * refused one has no time and costs none, because it was never run.
 *
 * When a strategy runs out of ideas it is given candidates at random that nobody looked
 * at yet, so that every strategy ends with the last candidate or the last of the budget.
 */
#ifndef SEARCH_SEARCH_H
#define SEARCH_SEARCH_H

#include "search/field.h"
#include "search/place_map.h"

enum search_outcome { SEARCH_PENDING, SEARCH_TIMED, SEARCH_FAILED, SEARCH_REFUSED };

struct search_result {
	uint64_t place;
	enum search_outcome outcome;
	double time; /* SEARCH_TIMED: any unit, positive, lower is better */
};

struct search;

struct strategy {
	const char *name, *about;
	bool by_estimate;                /* random without field.estimate */
	void (*start)(struct search *s); /* may be NULL */
	/* A candidate that was not asked for before (search_known tells), or false: none
	 * now, or none at all. */
	bool (*ask)(struct search *s, uint64_t *place);
	/* One result, in the order asked; may be NULL. */
	void (*tell)(struct search *s, const struct search_result *r);
};

/* All of them: `for (i = 0; strategies[i]; i++)`. */
extern const struct strategy *const strategies[];
/* NULL if there is none of that name. */
const struct strategy *strategy_find(struct str name);

struct search_ask {
	const struct field *field;
	const struct strategy *strategy;
	uint64_t seed;
	uint64_t budget; /* evaluations; 0: all candidates */
	size_t batch;    /* candidates at once; 0: 1 */
};

struct search {
	struct arena *a;
	struct search_ask
		ask; /* budget and batch as they work; the strategy that works */
	struct rng rng;
	struct search_result *v; /* in the order asked */
	size_t n, cap;
	size_t told;    /* v[0..told) have an outcome */
	size_t heard;   /* v[0..heard) were told to the strategy: whole batches */
	uint64_t spent; /* told and not refused */
	size_t best;    /* index of the fastest (of equal ones the first); SEARCH_NONE */
	struct place_map index; /* of v, by place */
	struct place_map
		moved;  /* the shuffle that search_draw() goes through, as far as */
	uint64_t drawn; /* it went */
	void *state;    /* the strategy's */
};

#define SEARCH_NONE SIZE_MAX

/* The field must outlive the search. */
struct search search_start(struct arena *a, const struct search_ask *ask);
/* Appends a batch to v and returns how many there are in it; 0: the search is over. Every
 * candidate before must have been told. */
size_t search_next(struct search *s);
/* The outcome of v[told]. A time that is not positive and finite is a failure. */
void search_tell(struct search *s, enum search_outcome o, double time);
/*
 * The state after n results of an earlier search of the same ask: v[told..n) is what is
 * to be evaluated next, the rest of a batch or the next one; none: the search is over.
 * False, with *at the index of the first one that does not belong there, when the results
 * are those of another search.
 */
bool search_replay(struct search *s, const struct search_result *v, size_t n, size_t *at);

/* --- for strategies ---------------------------------------------------------------- */

/* What is known of a place, or NULL when it was not asked for yet. */
const struct search_result *search_known(const struct search *s, uint64_t place);
/* A candidate not asked for yet, each as likely as any other; false: there is none. */
bool search_draw(struct search *s, uint64_t *place);
static inline bool
search_waits(const struct search *s)
{
	return s->told < s->n;
}

#endif
