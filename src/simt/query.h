/*
 * What the gate is asked: one launch, its arguments as far as they are known, and the
 * policies.
 */
#ifndef SIMT_QUERY_H
#define SIMT_QUERY_H

#include "model/arg.h"
#include "model/device.h"
#include "model/launch.h"
#include "simt/rules.h"

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

/* What a certain violation of that severity is in the policies of the query. */
bool gate_refuses(const struct gate_query *q, enum gate_severity sev);

#endif
