/*
 * Running a candidate on a device from a process that has no CUDA in it.
 *
 *     node (guard, lease, deadline)  --fork, exec-->  the same command line, --execute
 * REF
 *                                    <--result on a pipe--
 *
 * The child owns the context and may hang or die; the parent says so in the result and
 * goes on.  A child that is killed and does not go (a wedged driver) is left behind and
 * is trouble.  Before the child starts, OUT.pending says that it was started; it is
 * removed when the child is gone, so a machine that was lost on the way leaves the truth.
 */
#ifndef NODE_EXECUTOR_H
#define NODE_EXECUTOR_H

#include "backend/backend.h"
#include "model/facts.h"
#include "node/node.h"

/* The words of `bench` and `baseline`, which differ in what they write. */
enum executor_word {
	RUN_KERNEL,
	RUN_POINT,
	RUN_ARTIFACT,
	RUN_FACTS,
	RUN_VERDICT,
	RUN_ENTRY,
	RUN_ADMIT,
	RUN_LAUNCH,
	RUN_ARGS,
	RUN_SEED,
	RUN_REFERENCE,
	RUN_REFERENCE_BY,
	RUN_ABS,
	RUN_REL,
	RUN_ULP,
	RUN_NONDETERMINISTIC,
	RUN_TIMEOUT,
	RUN_DEVICE,
	RUN_GPU,
	RUN_UNSAFE,
	RUN_EPOCH,
	RUN_EXECUTE,
};

extern const struct node_word executor_words[];

/* Why the verdict file does not let this point run; empty when it does. */
struct str executor_refusal(struct node_call *c);

/* False after printing: the command line or an input file is malformed. */
bool executor_request(struct node_call *c, struct bench_request *q, struct diag *d);

/*
 * Runs the point in a child and fills *r with what came of it, and status, detail and
 * no_cache of the call.  False after printing when the device cannot be leased.
 */
bool executor_run(struct node_call *c, const struct bench_request *q, struct result *r,
	struct diag *d);

/* The child's side: does not return. */
void executor_child(struct node_call *c, struct bench_request *q)
	__attribute__((noreturn));

/* Fills kernel, candidate, size and unsafe from the words. */
void executor_name(const struct node_call *c, struct result *r);

/* Where the child of `baseline` leaves the outputs. */
const char *executor_outputs_path(struct node_call *c);

#endif
