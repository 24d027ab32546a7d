/*
 * What a report has to say to a CI service: a flat list of issues, the worst first, each
 * with the place that a person would look at.  One issue is one hazard of one kernel (not
 * of one candidate), one way in which candidates failed, or one stale choice.
 */
#ifndef REPORT_ISSUE_H
#define REPORT_ISSUE_H

#include "report/report.h"

#define ISSUE_KINDS(X) \
	X(ERROR, "error")     /* not lowered or not judged: never a pass */ \
	X(STALE, "stale")     /* the applied choice is no longer the one */ \
	X(FAILED, "failed")   /* admitted, but did not compile or did not work */ \
	X(REFUSED, "refused") /* by the gate */ \
	X(CAVEAT, "caveat")   /* the gate cannot decide it */

enum issue_kind {
#define X(id, name) ISSUE_##id,
	ISSUE_KINDS(X)
#undef X
		N_ISSUE_KINDS
};

/* Kinds that make a run fail: bits 1 << kind. */
enum { ISSUES_FAIL = 1 << ISSUE_ERROR | 1 << ISSUE_STALE };

enum applied_state { APPLIED_UNCHECKED, APPLIED_CURRENT, APPLIED_STALE, APPLIED_NONE };

/* The applied choice of one kernel, as `apply --check` sees it. */
struct applied {
	enum applied_state state;
	const char *path; /* of the record, relative to the current folder */
	struct str text;  /* what differs, a line each */
};

struct publication {
	const struct report *report;
	const struct applied *applied; /* by kernel; NULL: nothing was checked */
	unsigned fails;                /* kinds that make the run fail */
	const char *root; /* absolute: paths are told relative to it where they can be */
};

struct issue {
	enum issue_kind kind;
	bool fails;
	const struct ranking *kernel;
	struct str rule; /* of the gate; else a word of ours: "stale", "wrong" */
	struct str message;
	struct str file; /* relative to the root, or absolute */
	uint32_t line;   /* 0: the file as a whole */
	struct str snippet;
	const struct hazard *hazard; /* NULL: it is none */
	struct str *candidates;
	size_t n_candidates;
	size_t n_points; /* how often; of a choice 1 */
};

struct issues {
	struct issue *v;
	size_t n, cap;
};

const char *issue_kind_name(enum issue_kind k);
/* "refused,stale", or "none", as bits; false: *why is the word that is no kind. */
bool issue_kinds(struct str list, unsigned *out, struct str *why);
struct issues issues_of(struct arena *a, const struct publication *p);
/* How many points (of STALE: choices) are of each kind. */
void issue_counts(const struct publication *p, size_t n[N_ISSUE_KINDS]);
/* True when one of the kinds that fail a run is there. */
bool issues_fail(const struct publication *p);
/* What the entry is an issue of; N_ISSUE_KINDS: of nothing. */
enum issue_kind issue_of_entry(const struct rank_entry *e);

#endif
