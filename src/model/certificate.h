/*
 * What checkers said of a champion: schema lanewise/certify.v1.  A checker that is absent
 * or did not finish says nothing, and that is never a pass.
 */
#ifndef MODEL_CERTIFICATE_H
#define MODEL_CERTIFICATE_H

#include "model/result.h"

#define CHECK_STATUSES(X) \
	X(CLEAN, "clean")   /* it ran to the end, and nothing was found */ \
	X(ERRORS, "errors") /* something was found */ \
	X(FAILED, "failed") /* the checker, or the candidate under it, did not finish */ \
	X(ABSENT, "absent") /* there is no such checker here */

enum check_status {
#define X(id, name) CHECK_##id,
	CHECK_STATUSES(X)
#undef X
		N_CHECK_STATUSES
};

struct check {
	struct str tool; /* "memcheck" */
	enum check_status status;
	int64_t errors;  /* -1: not told */
	struct str said; /* its findings, a line each; why it failed */
};

struct certificate {
	struct str kernel, size, candidate;
	struct str artifact; /* hash of the machine code that was checked */
	struct str launch;
	enum result_kind kind; /* measured, or simulated */
	struct str checker;    /* version; empty: there is none */
	struct check *checks;
	size_t n;
	struct str device, device_uuid, driver;
};

const char *check_status_name(enum check_status s);
struct str certificate_write(struct arena *a, const struct certificate *c);
/* v may be NULL; NULL after a diag_error. */
struct certificate *certificate_read(
	struct arena *a, const struct json *v, struct diag *d);

#endif
