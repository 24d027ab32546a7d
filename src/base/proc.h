/*
 * Child processes.  Arguments are an argv, never a shell line.  A child is put in
 * its own process group and killed with it (SIGKILL) when the deadline passes or the
 * child has ended, and it dies with its parent (PR_SET_PDEATHSIG), so that nothing is
 * left behind. A grandchild that holds the pipes does not hold the caller: what it writes
 * after the child ended and the pipes were silent for a tenth of a second is not kept.
 */
#ifndef BASE_PROC_H
#define BASE_PROC_H

#include "base/str.h"

struct proc_opts {
	const char *dir;        /* working folder; NULL: ours */
	const char *const *env; /* whole environment, NULL-terminated; NULL: ours */
	struct str input;       /* fed to standard input */
	int64_t timeout_ns;     /* 0: none */
	size_t output_max;      /* keep at most so many bytes a stream; 0: 16 MiB */
	bool merge;             /* standard error into `out` */
	bool pass_through;      /* do not capture: the child writes to our streams */
	bool in_group; /* it stays in our group, so that Ctrl-C reaches it, and is asked
			  to end (SIGTERM) when we die: it may have to tell others */
	void (*tick)(
		void *); /* called about ten times a second while it runs; may be NULL */
	void *tick_arg;
};

struct proc_result {
	bool started;    /* false: see err (errno text) */
	bool timed_out;  /* killed at the deadline */
	bool unreaped;   /* killed, and still there 10 s later: it was left behind */
	int status;      /* exit status, or -1 when killed by a signal */
	int signal;      /* the signal that killed it, or 0 */
	struct str out;  /* standard output */
	struct str err;  /* standard error */
	int64_t wall_ns; /* from start to reaped */
};

/* argv is NULL-terminated; argv[0] is looked up on PATH. */
struct proc_result proc_run(struct arena *a, const char *const *argv, struct proc_opts o);
/* "exit status 3", "killed by signal 9 (Killed)", "timed out after 10 s". */
const char *proc_explain(struct arena *a, const struct proc_result *r);

/* Path of the running program. */
char *proc_self(struct arena *a);
/* Ask the kernel to send SIGKILL to us when our parent dies. */
void proc_die_with_parent(void);

#endif
