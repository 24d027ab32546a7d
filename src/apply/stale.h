/* Is wisdom still about the project as it is, and would the project choose the same? */
#ifndef APPLY_STALE_H
#define APPLY_STALE_H

#include "apply/wisdom.h"

struct stale_query {
	struct str kernel;
	const char *applied;       /* path of the wisdom */
	const char *header;        /* path of the header; NULL: not compared */
	const struct json *pins;   /* the current ones, from pins.json */
	const struct ranking *now; /* of the last run; NULL: there is none */
	const char *root; /* folder that source names are relative to; NULL: the cwd */
};

/*
 * Adds to `to` what differs of the current device's entries, one a line, and returns
 * EXIT_YES (current), EXIT_NO (stale), or EXIT_TROUBLE after a diag_error (no file, a
 * damaged one, nothing of the kernel in it).  Entries of other devices whose kernel was
 * another one are notes.
 *
 * What was measured is not stale because the GPU is not here: identity is compared only
 * as far as both sides know it, and another board of the same model is a note.
 */
int stale_check(
	struct arena *a, const struct stale_query *q, struct buf *to, struct diag *d);

/*
 * True when an entry is of another kernel than the project has: its spec or a source is
 * not what it was; `why` gets the first difference.  pins NULL: there is no such kernel.
 */
bool stale_entry(struct arena *a, const struct wisdom_entry *e, const struct json *pins,
	const char *root, struct str *why);

#endif
