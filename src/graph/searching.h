/*
 * The search of one problem (kernel at a size) in the graph: a strategy (search/search.h)
 * and what the files of the graph say of the candidates that it asked for.
 *
 * Nothing of it is kept: a search begins anew each time and is told what the verdicts and
 * results below .lanewise say, until it asks for a candidate of which they say nothing.
 * So it goes on after a kill as if there had been none, and after an edit it asks for
 * what it would have asked for in the first place.
 *
 *     searching_open      decides whether there is a search at all; else: all candidates
 *     searching_recall    as far as files know
 *     searching_ask       one batch more; then it waits
 *     searching_learn     the batch has run
 *     searching_list      candidates of the graph: asked, and the baseline
 */
#ifndef GRAPH_SEARCHING_H
#define GRAPH_SEARCHING_H

#include "graph/plan.h"
#include "search/search.h"

enum {
	SEARCHING_ALL_MAX = 20000,  /* larger spaces are searched unless told otherwise */
	SEARCHING_ASKED_MAX = 20000 /* of one problem, refused ones included */
};

struct searching {
	struct arena *a;
	const struct plan *plan;
	const struct plan_kernel *pk;
	size_t size; /* index */
	struct budget budget;
	const struct expr *objective; /* NULL: the time */
	struct field field;
	struct search_ask ask;
	struct search search;
	size_t batches;  /* asked for so far */
	double device_s; /* spent on timed launches of what it was told */
	size_t n_timed, n_failed, n_refused;
	const char *over; /* why it asks no more, or NULL */
};

/* Fills pk->searches, by size, or leaves NULL there: then the graph has all candidates.
 * False after a diag_error. What it allocates has to outlive every graph of the plan. */
bool searching_open(
	struct arena *a, const struct plan *p, struct plan_kernel *pk, struct diag *d);
/* From the beginning, with nothing known. */
void searching_restart(struct searching *q);
void searching_recall(struct searching *q);
/* The batch that waits, or else the next one; false: it is over. */
bool searching_ask(struct searching *q);
bool searching_waits(const struct searching *q);
/* False, with nothing told, when a candidate of the batch has neither verdict nor result,
 * whose point *missing is. */
bool searching_learn(struct searching *q, struct str *missing);

/* In the order of the space, each with the sizes that want it. waiting: with the batches
 * that have not run. */
struct candidate *searching_list(
	struct arena *a, const struct plan_kernel *pk, bool waiting, size_t *n);

/* What was asked of the searches of a kernel, and for each size why it is over, or null.
 */
void searching_put(struct json_out *o, const char *key, const struct plan_kernel *pk);
/* The same and each candidate asked for, in order: schema lanewise/search.v1. */
struct str searching_text(struct arena *a, const struct plan_kernel *pk);

#endif
