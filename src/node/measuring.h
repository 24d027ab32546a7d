/*
 * Running a candidate on a device from a node: what may run, as what job, and what came
 * of it.  The node has no driver in it; who has is found by worker/worker.h.
 *
 * Before the job is asked for, OUT.pending says so; it is removed when the answer is
 * there, so a machine that was lost on the way leaves the truth.
 */
#ifndef NODE_MEASURING_H
#define NODE_MEASURING_H

#include "measure/job.h"
#include "model/facts.h"
#include "node/node.h"

/* The words of `bench` and `baseline`, which differ in what they write. */
enum measuring_word {
	RUN_KERNEL,
	RUN_POINT,
	RUN_ARTIFACT,
	RUN_FACTS,
	RUN_VERDICT,
	RUN_ENTRY,
	RUN_ADMIT,
	RUN_LAUNCH,
	RUN_ARGS,
	RUN_CONSTANTS,
	RUN_SEED,
	RUN_REFERENCE,
	RUN_REFERENCE_BY,
	RUN_ABS,
	RUN_REL,
	RUN_ULP,
	RUN_NONDETERMINISTIC,
	RUN_TIMEOUT,
	RUN_DEVICE,
	RUN_WORKER,
	RUN_UNSAFE,
	RUN_CACHE,
	RUN_EPOCH,
	RUN_JOB,
};

extern const struct node_word measuring_words[];

/* Why the verdict file does not let this point run; empty when it does. */
struct str measuring_refusal(struct node_call *c);

/* A job of one member from the words.  False after printing: the command line or an input
 * file is malformed. */
bool measuring_job(struct node_call *c, struct job *j, struct diag *d);

/*
 * Asks a worker, and fills *r with what came of it, and status, detail and no_cache of
 * the call.  False after printing when there is no answer: then the device cannot be
 * used.
 */
bool measuring_run(
	struct node_call *c, const struct job *j, struct result *r, struct diag *d);

/* The text of the answer to any job about the device of word `device`, with OUT.pending
 * (whose text `pending` is) beside the output meanwhile; *lost: there was one already.
 * `worker` is the word of that name.  False after printing. */
bool measuring_ask(struct node_call *c, const struct job *j,
	const struct node_file *device, struct str worker, struct str pending,
	struct str *answer, bool *lost, struct diag *d);

/* Why nothing is asked at all: the graph replays; else empty. */
struct str measuring_absence(const struct node_file *worker);

/* Fills kernel, candidate, size and unsafe from the words. */
void measuring_name(const struct node_call *c, struct result *r);

#endif
