/*
 * What a final gave: the readings of the few best candidates of one kernel at one size,
 * timed against each other in mirrored rounds.  Schema lanewise/final.v1.  It holds no
 * decision: perf/final_input.h and perf/final.h make that from the readings, the
 * same at any time.
 */
#ifndef MODEL_FINAL_RECORD_H
#define MODEL_FINAL_RECORD_H

#include "model/result.h"

#define FINAL_ROLES(X) \
	X(CANDIDATE, "candidate") \
	X(BASELINE, "baseline") \
	X(CONTROL, "control") /* the baseline (or the best) under a second name */ \
	X(AUDIT, "audit")     /* one that was screened out, to see if that was right */ \
	X(REFERENCE, "reference") /* a library's kernel */

enum final_role {
#define X(id, name) FINAL_##id,
	FINAL_ROLES(X)
#undef X
		N_FINAL_ROLES
};

struct final_member {
	struct str point; /* "BLOCK=64,TILE=128@1M", or the reference's name */
	enum final_role role;
	enum result_status status; /* one that fails here is out, with its reason */
	struct str reason;
	/* Two a round, its visits in the order of the mirrored schedule: [2 * round + k].
	 * A visit is the median of some batches after a launch that is thrown away. */
	struct reading *visits;
	double joules;       /* a launch; NaN: not asked, or not known */
	double joules_error; /* half-width that the counter's steps allow */
};

struct final_record {
	struct str kernel, size;
	enum result_kind kind;
	enum result_status status; /* of the final as a whole */
	struct str reason;
	enum launch_mode launch;
	enum cache_mode cache;
	uint64_t seed;                                 /* of the schedule */
	int64_t batches_per_visit, launches_per_batch; /* of the first member */
	struct final_member *members;
	size_t n_members, n_rounds;
	struct str sharing;
	struct str device, device_uuid, driver;
};

const char *final_role_name(enum final_role r);
bool final_role_find(struct str name, enum final_role *out);
struct str final_record_write(struct arena *a, const struct final_record *f);
/* v may be NULL; NULL after a diag_error. */
struct final_record *final_record_read(
	struct arena *a, const struct json *v, struct diag *d);

#endif
