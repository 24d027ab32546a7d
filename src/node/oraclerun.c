#include "node/oraclerun.h"

#include "backend/fill.h"
#include "backend/ref.h"
#include "base/arena.h"
#include "base/clock.h"
#include "base/die.h"
#include "base/fs.h"
#include "base/proc.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* As in templates/lanewise_oracle.h. */
struct lanewise_arg {
	const char *name;
	const char *type;
	size_t count;
	void *data;
	int is_output;
};

typedef int oracle_function(const struct lanewise_arg *args, int n_args);

/* How the child ends when the oracle did not get to run or refused. */
enum { CHILD_OK = 0, CHILD_REFUSED = 1, CHILD_NO_OBJECT = 2, CHILD_NO_FUNCTION = 3 };

static void *
input_make(struct arena *a, const struct arg *v, size_t position, uint64_t seed)
{
	uint64_t *scalar;
	if (v->pointer) {
		void *p = arena_array(a, (size_t)v->count + 1, dtype_bytes(v->type));
		fill_all(v, fill_stream(seed, position), 0, v->count, p);
		return p;
	}
	scalar = arena_new(a, uint64_t);
	*scalar = v->bits;
	return scalar;
}

/* An output that is also an input holds what the kernel would find in it. */
static void
output_start(
	struct arena *a, const struct arg *v, size_t position, uint64_t seed, char *to)
{
	if (!v->input)
		return;
	struct arena_mark mark = arena_mark(a);
	ref_widen(v->type, input_make(a, v, position, seed), v->count, to);
	arena_pop(a, mark);
}

static struct lanewise_arg *
arguments_make(
	struct arena *a, const struct arg *args, size_t n, uint64_t seed, char *outputs)
{
	struct lanewise_arg *v = arena_news(a, n + 1, struct lanewise_arg);
	for (size_t i = 0; i < n; i++) {
		v[i].name = str_c(a, args[i].name);
		v[i].type = dtype_name(args[i].type);
		v[i].count = args[i].pointer ? (size_t)args[i].count : 1;
		v[i].is_output = args[i].output;
		v[i].data = outputs;
		if (!args[i].output) {
			v[i].data = input_make(a, &args[i], i, seed);
			continue;
		}
		output_start(a, &args[i], i, seed, outputs);
		outputs += 8 * args[i].count;
	}
	return v;
}

static void
child(const char *so, const char *function, const struct lanewise_arg *v, size_t n)
{
	struct rlimit none = {0, 0};
	oracle_function *f;
	proc_die_with_parent();
	setpgid(0, 0);
	setrlimit(RLIMIT_CORE, &none);
	dup2(2, 1); /* what it prints is no output of ours */
	void *object = dlopen(so, RTLD_NOW | RTLD_LOCAL);
	if (!object) {
		fprintf(stderr, "%s\n", dlerror());
		_exit(CHILD_NO_OBJECT);
	}
	void *found = dlsym(object, function);
	if (!found)
		_exit(CHILD_NO_FUNCTION);
	memcpy(&f, &found, sizeof f);
	_exit(f(v, (int)n) == 0 ? CHILD_OK : CHILD_REFUSED);
}

/* The status of waitpid; false when the deadline passed and it was killed. */
static bool
reap(pid_t pid, int64_t timeout_ns, int *status)
{
	int64_t deadline = clock_ns() + timeout_ns;
	bool late = false;
	for (;;) {
		pid_t got = waitpid(pid, status, late ? 0 : WNOHANG);
		if (got == pid)
			return !late;
		if (got < 0 && errno != EINTR)
			die("cannot wait for the oracle: %s", strerror(errno));
		if (clock_ns() < deadline) {
			clock_sleep_ns(1000000);
		} else if (!late) {
			late = true;
			kill(-pid, SIGKILL);
			kill(pid, SIGKILL);
		}
	}
}

static bool
explain(struct arena *a, int status, const char *function, struct str *why)
{
	if (WIFSIGNALED(status))
		*why = str_fmt(a, "the oracle crashed: %s", strsignal(WTERMSIG(status)));
	else if (WEXITSTATUS(status) == CHILD_REFUSED)
		*why = STR_LIT("the oracle returned non-zero: it does not handle these "
			       "arguments");
	else if (WEXITSTATUS(status) == CHILD_NO_FUNCTION)
		*why = str_fmt(a, "the oracle has no function '%s'", function);
	else if (WEXITSTATUS(status) == CHILD_NO_OBJECT)
		*why = STR_LIT("the oracle cannot be loaded");
	else
		*why = str_fmt(
			a, "the oracle ended with exit status %d", WEXITSTATUS(status));
	return false;
}

bool
oracle_run(struct arena *a, const char *so, const char *function, const struct arg *args,
	size_t n, uint64_t seed, int64_t timeout_ns, struct str *outputs, struct str *why)
{
	int status = 0;
	size_t bytes = (size_t)ref_data_bytes(args, n);
	int rights = PROT_READ | PROT_WRITE, kind = MAP_SHARED | MAP_ANONYMOUS;
	/* cppcheck-suppress invalidFunctionArg */
	char *shared = mmap(NULL, bytes ? bytes : 1, rights, kind, -1, 0);
	if (shared == MAP_FAILED)
		die("no memory for the %zu bytes of an oracle's outputs", bytes);
	/* Inputs before the fork: they take threads, and their time is not the oracle's.
	 */
	const struct lanewise_arg *v = arguments_make(a, args, n, seed, shared);
	const char *path = strchr(so, '/') ? so : str_fmt(a, "./%s", so).s;
	fflush(NULL);
	pid_t pid = fork();
	if (pid < 0)
		die("cannot start a process: %s", strerror(errno));
	if (pid == 0)
		child(path, function, v, n);
	if (!reap(pid, timeout_ns, &status)) {
		*why = str_fmt(a, "the oracle did not end within %.3g s",
			(double)timeout_ns * 1e-9);
		return false;
	}
	*outputs = (struct str){shared, bytes};
	return (WIFEXITED(status) && WEXITSTATUS(status) == CHILD_OK) ||
	       explain(a, status, function, why);
}
