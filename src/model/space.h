/*
 * The space of one kernel: all assignments of its parameters that satisfy its
 * constraints.
 *
 * Order: lexicographic in the order of the parameters and of their values as written, the
 * last parameter fastest.  A constraint that mentions size names is checked per size: a
 * candidate belongs to the space when at least one size admits it.
 */
#ifndef MODEL_SPACE_H
#define MODEL_SPACE_H

#include "model/candidate.h"
#include "model/device.h"
#include "model/spec.h"

struct space {
	const struct kernel *kernel;
	struct candidate *v;
	size_t n;
	uint64_t raw;      /* product of the value counts; saturates */
	uint64_t *removed; /* per constraint: assignments it removed that the constraints
			      checked before it left; saturates */
};

/* More candidates, or more checks of constraints (one for each 16 bytes of its text), are
 * an error that says so, within about ten seconds. */
enum { SPACE_CANDIDATES_MAX = 2000000, SPACE_CHECKS_MAX = 400000000 };

/* NULL after a diag_error (a constraint that fails to evaluate names the assignment; an
 * empty space says which constraint removed how many). dev may be NULL when no constraint
 * mentions device.*. */
struct space *space_build(struct arena *a, const struct kernel *k,
	const struct device *dev, struct diag *d);
/* The candidate with a label or id, or NULL. */
const struct candidate *space_find(
	struct arena *a, const struct space *s, struct str name);

#endif
