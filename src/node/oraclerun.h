/*
 * Calling an oracle, which is code of the user's: in a child process with a deadline, its
 * outputs in memory that the child shares with us.  The interface is
 * templates/lanewise_oracle.h.
 */
#ifndef NODE_ORACLERUN_H
#define NODE_ORACLERUN_H

#include "model/arg.h"

/*
 * Calls FUNCTION of the shared object on these arguments, filled with this seed, and
 * returns the outputs, one after the other in the 8-byte form of backend/ref.h.  False
 * with a reason: it crashed, did not end in time, or returned non-zero.
 */
bool oracle_run(struct arena *a, const char *so, const char *function,
	const struct arg *args, size_t n, uint64_t seed, int64_t timeout_ns,
	struct str *outputs, struct str *why);

#endif
