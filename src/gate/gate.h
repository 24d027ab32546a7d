/*
 * The gate: is every barrier and every warp collective of a kernel reached convergently,
 * at this launch shape and with these arguments?  Pure: no files, no GPU.
 *
 * docs/SAFETY.md states the decision rule and its assumptions.
 */
#ifndef GATE_GATE_H
#define GATE_GATE_H

#include "gate/rules.h"
#include "model/arg.h"
#include "model/device.h"
#include "model/verdict.h"
#include "ptx/ptx.h"

enum gate_arg_kind { GATE_ARG_UNKNOWN, GATE_ARG_POINTER, GATE_ARG_BYTES };

struct gate_arg {
	enum gate_arg_kind kind;
	const unsigned char
		*bytes; /* GATE_ARG_BYTES: the parameter's storage, little endian */
	size_t n;
};

struct gate_query {
	struct launch launch;
	const struct gate_arg *args; /* by parameter position; missing ones are unknown */
	size_t n_args;
	bool exit_release; /* exit policy: a thread that exited no longer counts */
	bool site_lenient; /* site policy: arrivals count, at whatever instruction */
	/* Do not look for the arguments that would decide a caveat: that takes up to a
	 * thousand times as long as judging a small launch once. */
	bool no_conditions;
	const struct device
		*limits; /* launch limits; NULL: those of cc 9.0 are assumed */
};

/* Once per (module, entry): CFG, post-dominators, slice. */
struct gate_kernel;
/* NULL with a reason when there is no such entry.  An entry may be given by its mangled
 * name or, when unique, by its source name. `entry` empty: the only entry of the module.
 */
struct gate_kernel *gate_prepare(
	struct arena *a, const struct ptx_module *m, struct str entry, struct str *why);
struct str gate_entry_name(const struct gate_kernel *k);

/* What a certain violation of that severity is in the policies of the query. */
bool gate_refuses(const struct gate_query *q, enum gate_severity sev);

/* The verdict (point is left empty).  Never fails: what cannot be judged is a caveat or
 * an error verdict with a finding. */
struct verdict gate_check(
	struct arena *a, const struct gate_kernel *k, const struct gate_query *q);

#endif
