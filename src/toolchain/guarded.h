/*
 * A vendor library called in a child process: it may crash, hang or leak there.
 * The child's answer is bytes through a pipe.
 */
#ifndef TOOLCHAIN_GUARDED_H
#define TOOLCHAIN_GUARDED_H

#include "base/buf.h"

struct guarded_result {
	bool ok; /* the child wrote its answer and exited 0 */
	bool timed_out;
	int signal;        /* that killed it, or 0 */
	struct str answer; /* what `work` put into the buffer */
};

/* Runs work(env, answer) in a fork; a deadline of 0 is none.  Dies if it cannot fork. */
struct guarded_result guarded_run(struct arena *a,
	void (*work)(void *env, struct buf *answer), void *env, int64_t timeout_ns);

#endif
