/*
 * SARIF 2.1.0 (OASIS Standard, 27 March 2020), for code scanning and editors: of verdicts
 * of one kernel, or of what publish.h gathers from a report.
 *
 * One result a finding: level "error" for what is refused or could not be judged,
 * "warning" for a caveat; the place is the source line, or the PTX line where the PTX has
 * no line information, or the kernel where there is no instruction.  What a rule means
 * (its page) travels with it.  A fingerprint stays the same when lines move: it hashes
 * rule, kernel, file and the text of the line.
 */
#ifndef REPORT_SARIF_H
#define REPORT_SARIF_H

#include "model/verdict.h"
#include "report/excerpt.h"

#define SARIF_SCHEMA "https://json.schemastore.org/sarif-2.1.0.json"

struct sarif_result {
	struct str rule;   /* one that is not the gate's has no page */
	const char *level; /* "error", "warning", "note" */
	struct str message;
	struct str file; /* absolute, or relative to the root */
	uint32_t line;   /* 0: the file as a whole */
	struct str snippet, function;
	struct str ptx; /* where ptx_line is */
	uint32_t ptx_line;
	/* Properties; empty ones are left out. */
	struct str verdict, klass, launch, block;
	const struct witness *witness; /* or NULL */
	struct str *candidates;
	size_t n_candidates;
};

/* root: absolute; files below it are named relative to it. */
struct str sarif_document(
	struct arena *a, const char *root, const struct sarif_result *v, size_t n);

/* The verdicts of one kernel. */
struct sarif_run {
	const char *ptx;     /* the PTX file, as the user named it */
	const char *root;    /* absolute; files below it are named relative to it */
	struct str entry;    /* the kernel, as in the PTX */
	uint32_t entry_line; /* of the PTX */
	const struct verdict *v;
	size_t n;
};

struct str sarif_text(struct arena *a, const struct sarif_run *r, struct excerpts *e);

#endif
