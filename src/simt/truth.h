/* Values where conditions are taken to hold or not to. */
#ifndef SIMT_TRUTH_H
#define SIMT_TRUTH_H

#include "simt/simt.h"

enum { TRUTH_MAX = 4 * UNC_KEY_MAX };

/* Boolean symbols and what they are taken to be, besides what the path of the world
 * says. */
struct truth {
	struct sim *s;
	const struct world *w;
	struct cell at[TRUTH_MAX]; /* symbol s is v */
	unsigned n;
	unsigned left; /* nodes that may still be looked at */
};

/* Only what is known is copied: there is room for much more. */
static inline void
truth_copy(struct truth *k, const struct truth *from)
{
	k->s = from->s;
	k->w = from->w;
	k->n = from->n;
	memcpy(k->at, from->at, from->n * sizeof from->at[0]);
}

/* cond: {v: whether it holds, s: not a SYM_NOT}. */
void truth_add(struct truth *k, struct cell cond);
/* c with what is known put in; symbols of great depth are left as they are. */
struct cell truth_value(struct truth *k, struct cell c);

#endif
