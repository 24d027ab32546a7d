/*
 * One candidate's whole story: parameters, launch, verdict, facts, every reading, the
 * window it was taken in, verification, the final, and its place.  From results.json
 * (every reading) and rank.json (what was made of them) of a finished run.
 */
#ifndef REPORT_STORY_H
#define REPORT_STORY_H

#include "base/buf.h"
#include "base/diag.h"
#include "perf/ranking.h"
#include "report/places.h"

/* The entry of `name` (candidate, label, id, "champion" or "baseline") at a size, or
 * NULL. */
const struct rank_entry *story_find(const struct rank_size *s, struct str name);

/* Adds the story at one size; results: a lanewise/results.v1; places: of the run's
 * folder. False after a diag_error. */
bool story_text(struct buf *b, const struct ranking *r, const struct rank_size *s,
	const struct rank_entry *e, const struct json *results, struct places *places,
	struct diag *d);

#endif
