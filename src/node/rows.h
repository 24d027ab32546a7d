/*
 * Rows: all that is known of one specialization, written by `collect` and read by `rank`.
 * Schema lanewise/rows.v1:
 *
 *     {"schema", "kernel", "specialization", "admit": "caveat" | "clean", "unsafe": bool,
 *      "artifact": "HASH" | "", "static_shared_bytes": N, "verdicts": [verdict],
 *      "facts": {facts} | null,
 *      "results": [{"point": "C@SIZE", "result": {result}}]}
 */
#ifndef NODE_ROWS_H
#define NODE_ROWS_H

#include "model/facts.h"
#include "model/result.h"
#include "model/verdict.h"

struct rows {
	struct str kernel, specialization;
	enum admit admit;
	bool unsafe;                 /* the results are those of refused points */
	struct str artifact;         /* hash of the machine code; empty: there is none */
	int64_t static_shared_bytes; /* from the PTX; -1: not known */
	struct verdict *verdicts;
	size_t n_verdicts;
	bool has_facts;
	struct facts facts;
	struct str *points; /* of the results */
	struct result *results;
	size_t n_results;
};

/* May a point with this verdict run? */
bool rows_admit(const struct rows *r, const struct verdict *v);

struct str rows_write(struct arena *a, const struct rows *r);
/* From the bytes of a file; NULL after a diag_error. */
struct rows *rows_read(
	struct arena *a, const char *path, struct str bytes, struct diag *d);

#endif
