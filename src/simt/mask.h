/*
 * Membermasks that are not numbers, as symbols of the lanes that they name.
 *
 *     SYM_BALLOT  one mask for all lanes that hold it: a list of lanes, each with the
 *		   conditions under which it is named
 *     SYM_CLASS   the class of a lane in a partition of a list of lanes (match.any,
 *		   activemask): who is together is not known, but every lane is in its own
 *		   class, and lanes of one class hold the same mask
 *
 * A list is cells: for each lane a header {lane, number of conditions} and its conditions
 * {v: polarity, s: symbol}.  A mask is right where the lanes that it names are exactly
 * those that come with it: each lane is here under just the conditions under which it is
 * named.  And, or, xor and choices of masks are followed bit by bit.
 */
#ifndef SIMT_MASK_H
#define SIMT_MASK_H

#include "simt/simt.h"

/* How a partition was made (LW022). */
enum mask_kind { MASK_MATCHED, MASK_ACTIVE };

/* The list of these lanes of a warp under their conditions in g, as a SYM_BALLOT; v: for
 * each lane of the warp one more condition, or NULL.  mark: of a list that equals no
 * other, or 0. */
uint32_t mask_list(struct sim *s, const struct world *w, const struct group *g,
	unsigned warp, uint32_t lanes, const struct cell *v, uint64_t mark);
/* The class of lane t in a partition of a list; serial: of the partition. */
struct cell mask_class(
	struct sim *s, uint32_t list, unsigned t, uint64_t serial, enum mask_kind kind);
/* How the mask's partition was made, if it is one. */
bool mask_class_kind(const struct sim *s, struct cell c, enum mask_kind *kind);

/* Which lanes come: those of a group in one warp, or only those whose predicate is
 * `when`.  exact: lanes that are gone may not be named either; *stale is set where some
 * may have left since the mask was made and it is not known on which condition. */
struct mask_place {
	struct sim *s;
	struct world *w;
	const struct group *g;
	unsigned warp;
	const struct cell *pred; /* by lane of the warp; or NULL */
	bool when;
	bool exact;
	bool *stale;
};

/* With the masks c (by lane of the warp) of these lanes every lane is in its own, and all
 * that it names come with the same one. */
bool mask_names(const struct mask_place *q, uint32_t lanes, const struct cell *c);

/* Whether a mask of a warp names the lane: 0, 1 or a boolean symbol.  False: not known
 * how. */
bool mask_bit(
	struct domain *d, unsigned warp, struct cell c, unsigned lane, struct cell *r);
/* One symbol for all the lanes that hold it (not a class or a choice by lane). */
bool mask_is_plain(const struct sim *s, struct cell c);

/* ---- mask_loop.c: masks that follow the lanes of a loop ---- */
/* g came back to the head of a loop in w; pred: of the branch there.  Marks the registers
 * that hold the mask of the lanes that are here, or of those that the branch will take to
 * one side. */
void mask_loop_back(struct sim *s, struct world *w, const struct group *g,
	const struct val *pred, const struct entry *e);
/* The head of the next round, after widening; NULL: none is needed so far.  Registers
 * that hold such a mask in all states that came back do so at the head.  pred_slot: of
 * the branch's predicate. */
struct world *mask_loop_head(struct sim *s, const struct world *head, struct world *next,
	const struct results *backs, const struct entry *e, uint32_t pred_slot);

/* ---- mask_scan.c ---- */
enum { WHICH_ELECTED = 0xfffa }; /* what elect.sync gives, as SYM_LOAD */
/* x is the number of the first lane of the mask, or, if `last`, of its first or last:
 * modulo 32, and where the mask is not 0. */
bool mask_scan(const struct domain *d, struct cell x, struct cell mask, bool last);

#endif
