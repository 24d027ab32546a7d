/*
 * Who takes part in a final, and all that is needed to run them: schema
 * lanewise/shortlist.v1.  No time is in it and its order is by name, so that it stays the
 * same, and the final stands, as long as the same candidates are to be compared.
 */
#ifndef MODEL_SHORTLIST_H
#define MODEL_SHORTLIST_H

#include "model/final_record.h"

/* Of candidates; the baseline, the control, the audit and a library's
 * function are on top of these. */
enum { SHORTLIST_LEAST = 3, SHORTLIST_MOST = 8 };

struct shortlist_member {
	struct str point; /* "BLOCK=64,TILE=128@1M" */
	enum final_role role;
	bool caveat;                        /* admitted with one */
	struct str artifact, artifact_hash; /* path from the project's folder; hash.h */
	struct str verdicts;                /* path: the gate's word is asked for again */
	struct str entry;                   /* as in the machine code */
	struct str launch, args;            /* launch.h, arg.h */
	struct str reference; /* path of the expected outputs; empty: unverified */
	/* Of FINAL_REFERENCE alone, whose point is library_name(): see model/library.h.
	 * Its artifact is the shared object, if it has one; it has no entry and no
	 * verdicts, and its launch is not looked at. */
	struct str library;
};

struct shortlist {
	struct str kernel, size;
	enum result_kind kind;      /* measured or simulated */
	struct shortlist_member *v; /* by role, then by point */
	size_t n;
};

struct str shortlist_write(struct arena *a, const struct shortlist *s);
/* v may be NULL; NULL after a diag_error. */
struct shortlist *shortlist_read(struct arena *a, const struct json *v, struct diag *d);

#endif
