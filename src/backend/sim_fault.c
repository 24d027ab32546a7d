#include "backend/sim_fault.h"

#include "base/arena.h"
#include "base/fs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- which ------------------------------------------------------------------------- */

/* Counts one more and says whether it is among the first.  Over processes the count is
 * the length of a file. */
static bool
among_first(struct session *s, struct arena *a, size_t rule)
{
	const struct sim_rule *r = &s->script->rules[rule];
	struct stat st;

	if (!r->first)
		return true;
	if (!s->script->counts.n)
		return s->counted[rule]++ < r->first;
	const char *path =
		str_c(a, str_fmt(a, "%.*s.%zu", STR_ARG(s->script->counts), rule));
	bool fresh = stat(path, &st) != 0;
	int64_t so_far = fresh ? 0 : (int64_t)st.st_size;
	/* A count that cannot be kept is none: the fault then always happens. */
	if (fresh)
		(void)fs_try_write(path, STR_LIT("x"), NULL);
	else
		(void)fs_try_append(path, STR_LIT("x"));
	return so_far < r->first;
}

bool
sim_faults_of(struct session *s, struct arena *a, struct sim_scope *scope,
	struct loaded *l, struct str *why)
{
	for (size_t i = 0; i < s->script->n_rules; i++) {
		const struct sim_rule *r = &s->script->rules[i];
		struct value v;
		bool known = expr_eval(a, r->when, sim_scope_lookup, scope, &v, why);
		/* What the script says of parameters is not said of a library. */
		if (!known && l->q->library.n)
			continue;
		if (!known) {
			*why = str_fmt(a, "the script's '%.*s' for %.*s: %.*s",
				STR_ARG(expr_text(r->when)), STR_ARG(scope->point),
				STR_ARG(*why));
			return false;
		}
		if (!value_true(v) || !among_first(s, a, i))
			continue;
		l->has[r->fault] = true;
		l->after[r->fault] = r->after;
	}
	return true;
}

bool
sim_fault_now(struct session *s, const struct loaded *l, enum sim_fault f)
{
	(void)s;
	return l->has[f] && l->batches >= l->after[f];
}

/* --- what happens ------------------------------------------------------------------ */

static void
hang(void)
{
	for (;;)
		pause();
}

/*
 * A process that is traced, when killed, is first its tracer's to reap: its parent waits
 * until the tracer ends.  That is how a process looks that is stuck in a driver.
 */
static void
wedge(void)
{
	enum { STUCK_S = 40, DESCRIPTORS = 1024 };
	pid_t stuck = getpid(), tracer;
	int ready[2];
	char c;

	if (pipe(ready) != 0 || (tracer = fork()) < 0)
		abort();
	if (tracer == 0) {
		/* Neither sockets nor pipes of the process are to stay open in here. */
		for (int fd = 0; fd < DESCRIPTORS; fd++)
			if (fd != ready[0])
				close(fd);
		(void)!read(ready[0], &c, 1);
		if (ptrace(PTRACE_SEIZE, stuck, NULL, NULL) == 0)
			sleep(STUCK_S);
		_exit(0);
	}
	(void)prctl(PR_SET_PTRACER, tracer, 0, 0, 0);
	(void)!write(ready[1], "x", 1);
	hang();
}

static bool
fatal(struct fault *f, enum result_status status, const char *reason)
{
	*f = (struct fault){status, str_of(reason), true};
	return false;
}

static bool
overdue(struct session *s, int64_t deadline_ns, struct fault *f)
{
	double left = (double)deadline_ns - sim_now_ns(s);

	if (left > 0)
		sim_advance(s, left, true);
	return fatal(f, RESULT_HUNG, "did not finish before its deadline");
}

bool
sim_fault_strikes(
	struct session *s, struct loaded *l, int64_t deadline_ns, struct fault *f)
{
	if (sim_fault_now(s, l, SIM_HANG))
		hang();
	if (sim_fault_now(s, l, SIM_WEDGE))
		wedge();
	if (sim_fault_now(s, l, SIM_EXIT))
		_exit(3);
	if (sim_fault_now(s, l, SIM_ABORT))
		abort();
	if (sim_fault_now(s, l, SIM_OVERDUE))
		return overdue(s, deadline_ns, f);
	if (sim_fault_now(s, l, SIM_CRASH))
		return fatal(f, RESULT_CRASHED, "the kernel failed: the script's crash");
	if (sim_fault_now(s, l, SIM_OOB_FAR))
		return fatal(
			f, RESULT_CRASHED, "the kernel failed: an illegal memory access");
	if (sim_fault_now(s, l, SIM_UNLAUNCHABLE)) {
		*f = (struct fault){RESULT_UNLAUNCHABLE,
			STR_LIT("the script refuses the launch"), false};
		return false;
	}
	return true;
}

bool
sim_fault_overdue(
	struct session *s, const struct loaded *l, int64_t deadline_ns, struct fault *f)
{
	(void)l;
	if (sim_now_ns(s) <= (double)deadline_ns)
		return true;
	return fatal(f, RESULT_HUNG, "did not finish before its deadline");
}
