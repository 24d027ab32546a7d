/*
 * ptxas: PTX to machine code.  Facts come from what it says (-v) and, where it says
 * nothing, from the cubin itself (cubin.h).
 */
#ifndef TOOLCHAIN_PTXAS_H
#define TOOLCHAIN_PTXAS_H

#include "model/facts.h"
#include "toolchain/toolchain.h"

struct ptxas_request {
	const char *program; /* path, from ptxas_probe */
	struct str ptx;
	int cc;           /* 90 */
	struct str entry; /* as in the PTX, whose facts are wanted */
	int64_t timeout_ns;
};

struct ptxas_result {
	bool ok; /* the PTX was accepted */
	struct str cubin;
	struct str log;     /* its words, without paths of this machine */
	struct str reason;  /* when not ok: the first error, one line */
	bool transient;     /* a crash or a deadline */
	struct facts facts; /* status, artifact and compiler are the caller's */
};

/* False (reason set) only when the program could not be run at all. */
bool ptxas_run(struct arena *a, const struct ptxas_request *q, struct ptxas_result *r);

/*
 * "sm_90", or with the suffix that the PTX's .target names for this very architecture
 * ("sm_90a", "sm_120f"): such code runs nowhere else.
 */
const char *ptxas_arch(struct arena *a, struct str ptx, int cc);

/*
 * The "Compiling entry function 'E'" part of what `ptxas -v` prints: registers, barriers,
 * static shared, stack, spills, constant bytes.  Fields it does not name become 0 when
 * ptxas prints them only if they are not zero (barriers, smem), else they stay.  False if
 * the entry is not mentioned.
 */
bool ptxas_facts(struct str log, struct str entry, struct facts *f);

#endif
