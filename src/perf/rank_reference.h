/*
 * A library's function beside the champion: what it took, and how many times as long the
 * champion takes, from the readings of the final alone.  Its interval is the final's
 * (perf/final.h), whatever the objective is: this is about time.
 */
#ifndef PERF_RANK_REFERENCE_H
#define PERF_RANK_REFERENCE_H

#include "perf/ranking.h"

struct record;

/* After rank_final(): s has its champion and its claim.  f is NULL when no final was run;
 * margin as in struct final_readings. */
void rank_reference(struct arena *a, struct rank_size *s, const struct final_record *f,
	double margin);

/* GB/s and GFLOP/s of the champion's declared work, NaN when there is none. */
double rank_reference_gbps(const struct rank_reference *r);
double rank_reference_gflops(const struct rank_reference *r);

/* The member "reference" of an open object: null when there is none. */
void rank_reference_put(struct json_out *o, const struct rank_reference *r);
void rank_reference_get(struct record *size, struct rank_reference *out);

#endif
