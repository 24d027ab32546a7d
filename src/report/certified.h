/* What `lanewise certify` recorded of the champions, beside the report. */
#ifndef REPORT_CERTIFIED_H
#define REPORT_CERTIFIED_H

#include "base/buf.h"
#include "base/diag.h"
#include "perf/ranking.h"

/*
 * Adds a section about the certificates in `dir` (the folder of the run: ".lanewise", or
 * ".lanewise/K"); nothing when there are none.  One of another champion, or of other
 * machine code, is told to be stale.  False after a diag_error.
 */
bool certified_text(struct arena *a, struct buf *b, struct ranking *const *v, size_t n,
	const char *dir, struct diag *d);

/* EXIT_YES when every champion has a certificate that is its own and all tools found
 * nothing; EXIT_NO when one found something; EXIT_UNSURE when one said nothing. */
int certified_status(
	struct arena *a, struct ranking *const *v, size_t n, const char *dir);

#endif
