/*
 * The space of one kernel: all assignments of its parameters that satisfy its
 * constraints, counted, indexed and sampled without being listed.
 *
 * Order: lexicographic in the order of the parameters and of their values as written, the
 * last parameter fastest; candidate i is the i-th in this order.  A constraint that
 * mentions size names is checked per size: a candidate belongs to the space when at least
 * one size admits it.  A constraint without a value (a division by zero, ...) is an error
 * where no other constraint removes the assignment.
 *
 * How: parameters that no constraint ties together are separate parts, and the space is
 * their product.  Each part is a graph of what is left to decide (space_part.h), in which
 * partial assignments with the same future are one node.  Where constraints force such a
 * graph into another order than that of the spec (space_part.h), and it has more than
 * SPACE_CANDIDATES_MAX assignments, finding a place takes time that grows with the graph.
 */
#ifndef SPACE_SPACE_H
#define SPACE_SPACE_H

#include "model/candidate.h"
#include "model/device.h"
#include "model/spec.h"

struct part;

struct space {
	const struct kernel *kernel;
	uint64_t count; /* candidates; SPACE_MANY: that many or more */
	uint64_t raw;   /* product of the value counts; SPACE_MANY likewise */
	uint64_t steps; /* that counting took */
	uint32_t sizes; /* bit i: the constraints without parameters admit size i */
	struct part *parts;
	size_t n_parts;
	struct space_param {
		uint16_t first; /* index of its only value, when no part has it */
		uint16_t part;  /* index, or SPACE_NO_PART */
		uint16_t place; /* in the order of the part's graph */
	} params[SPEC_PARAMS_MAX];
};

#define SPACE_MANY UINT64_MAX
enum { SPACE_NO_PART = UINT16_MAX };

/* What to look at: all of the kernel, or less. */
struct space_ask {
	const struct device *dev; /* may be NULL when no constraint mentions device.* */
	const long *only;         /* per parameter the index of the one value it may take,
				     or -1; NULL: all values */
	const bool *off;          /* per constraint: is left out; NULL: none */
	bool lenient;             /* what has no value does not remove */
	uint64_t steps;           /* gives up after so many; 0: SPACE_STEPS_MAX */
};

/*
 * Operations on constraints, and partial assignments that differ in what they allow:
 * about ten seconds and 500 MB.  More is an error that says which parameters to write
 * next to each other.
 */
#define SPACE_STEPS_MAX UINT64_C(1000000000)
enum { SPACE_STATES_MAX = 1 << 22 };

/* What space_candidates() lists at most. */
enum { SPACE_CANDIDATES_MAX = 2000000 };

/* NULL after a diag_error (a constraint that fails to evaluate names the assignment; an
 * empty space says which constraint removed how many). */
struct space *space_build(struct arena *a, const struct kernel *k,
	const struct device *dev, struct diag *d);
/* The same for an ask; an empty space is one with count 0. NULL after a diag_error; with
 * d NULL, which only a lenient ask may give, NULL means that it takes too long. */
struct space *space_ask(struct arena *a, const struct kernel *k,
	const struct space_ask *ask, struct diag *d);

/* Candidate i < count; choice has room for a value of every parameter. Returns the sizes
 * that admit it. */
uint32_t space_nth(const struct space *s, uint64_t i, uint16_t *choice);
/* The sizes that admit an assignment; 0: it is no candidate. *index (may be NULL) is its
 * place in the order, SPACE_MANY where that does not fit. */
uint32_t space_find(const struct space *s, const uint16_t *choice, uint64_t *index);

/* n <= count places, each as likely as any other and none twice, in a random order. The
 * count must not be SPACE_MANY. */
uint64_t *space_sample(struct arena *a, const struct space *s, uint64_t seed, uint64_t n);

/* Candidates that differ from an assignment in one parameter, which may be no candidate
 * itself; by parameter, then by value. */
enum space_near {
	SPACE_ANY_VALUE, /* every other value */
	SPACE_NEXT_VALUE /* the next value below and above that gives a candidate */
};
struct candidate *space_neighbours(struct arena *a, const struct space *s,
	const uint16_t *choice, enum space_near near, size_t *n);

/* Walks all candidates in order: `while (space_next(&w))`. */
struct space_walk {
	const struct space *space;
	uint16_t choice[SPEC_PARAMS_MAX];
	uint32_t sizes;
	unsigned changed; /* the first parameter that differs from the candidate before */
	unsigned n;       /* parameters in parts, in order, and where each is: */
	struct space_step {
		const struct part *part;
		uint32_t node, at, end; /* edges of the node: at is the current one */
		uint16_t param;
		int16_t before; /* step of the part's parameter before it, or -1 */
	} steps[SPEC_PARAMS_MAX];
	int16_t sized; /* the step that decides the sizes, or -1 */
	bool started;
	bool unordered; /* a part is: then at is the place of the next candidate */
	uint64_t at;
};
void space_walk_start(struct space_walk *w, const struct space *s);
bool space_next(struct space_walk *w);

/* All of them, at most SPACE_CANDIDATES_MAX: the caller looks at the count first. */
struct candidate *space_candidates(struct arena *a, const struct space *s);

/* Candidates at size i, and distinct assignments of the parameters that the compiler
 * sees. SPACE_MANY: that many or more, or too many to tell apart. */
uint64_t space_points(const struct space *s, size_t size);
uint64_t space_specializations(const struct space *s);

/* Why candidates are missing, by constraint. SPACE_MANY where a number is not known, also
 * because counting it would take too long. */
struct space_why {
	uint64_t raw, count;
	uint64_t *removed; /* of the assignments that the constraints before it leave */
	uint64_t *broken;  /* assignments that break it, whatever else they break */
	uint64_t *without; /* candidates there would be without it */
};
/* NULL after a diag_error. */
struct space_why *space_explain(struct arena *a, const struct kernel *k,
	const struct space_ask *ask, struct diag *d);

#endif
