/*
 * Wisdom: the champions of kernels at several sizes and on several devices, in one file
 * (lanewise/wisdom.v1), each with what it was chosen with.  `apply` writes it and makes
 * the header from it; machines that tune apart merge theirs.  docs/reference/wisdom.md
 * describes the file.
 *
 * Two entries are of one key when kernel, what the kernel was (its spec and sources),
 * device, compute capability, size and the size's values are equal.  A file has one entry
 * a key, and one order, so that equal wisdom is equal bytes.
 */
#ifndef APPLY_WISDOM_H
#define APPLY_WISDOM_H

#include "base/buf.h"
#include "model/launch.h"
#include "perf/ranking.h"

/* What keeps a file sane; more is an error. */
enum { WISDOM_BYTES_MAX = 64 << 20, WISDOM_ENTRIES_MAX = 10000 };

struct wisdom_entry {
	struct str kernel, size;
	const struct json *values; /* object: the names of the size */
	struct str device;         /* name */
	int cc;                    /* compute capability 9.0 as 90; 0: it is no GPU */
	struct str uuid, driver;   /* empty: the device was described */

	struct str spec;            /* hash of what the spec says of the kernel */
	const struct json *sources; /* object: path -> hash */
	struct str toolchain, assembler, backend;

	struct str candidate, label, id;
	const struct json *assignment; /* object: parameter -> value */
	struct launch launch;
	enum verdict_kind verdict; /* clean or caveat */

	enum result_kind kind; /* MEASURED (also when recalled), SIMULATED, ESTIMATED */
	enum rank_claim claim;
	struct str claim_why;
	double median_ns, low_ns, high_ns; /* NaN when absent */
	bool verified;
	struct str verified_by;
	double speedup, speedup_low, speedup_high; /* over the baseline; NaN: none */
	bool faster;                               /* than it, as far as `claim` goes */
	struct str date; /* UTC, of when it was put here: "2026-01-31T23:59:59Z" */

	/* Of wisdom_add(): */
	struct str key;
	const struct json *const *sorted_values; /* by name; NULL ends them */
};

struct wisdom {
	struct arena *a;
	struct wisdom_entry *v; /* in the order of the file */
	size_t n, cap;
};

/* Of a file; false after a diag_error with its place.  The entries are sorted, and of two
 * of one key the better is kept. */
bool wisdom_read(struct wisdom *w, const char *path, struct diag *d);
/* The same for a text, which lives as long as the entries. */
bool wisdom_parse(struct wisdom *w, const struct source *src, struct diag *d);
struct str wisdom_write(struct arena *a, const struct wisdom *w);

/* The text that equal entries share, whatever their dates. */
struct str wisdom_entry_text(struct arena *a, const struct wisdom_entry *e, bool dated);

void wisdom_add(struct wisdom *w, const struct wisdom_entry *e);
/*
 * Puts the entries in order, one a key.  Of several of one key the better is kept: what
 * was measured before what was not, then the stronger claim, then the newer date, then
 * the shorter time, then the text that comes first.  So it does not matter in which
 * order machines are merged.  `said` (may be NULL) gets a line for each that gave way.
 */
void wisdom_sort(struct wisdom *w, struct buf *said);

/* "9.0" */
struct str wisdom_cc_text(struct arena *a, int cc);
/* "proven", ..., and for what was not measured that alone. */
const char *wisdom_claim_text(const struct wisdom_entry *e);

#endif
