#include "backend/host_session.h"

#include <fenv.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <unistd.h>

/* What a kernel's own mistakes raise. */
static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};

/* A signal handler has nothing else to find its way by. */
static struct {
	sigjmp_buf back;
	volatile sig_atomic_t armed;
	pthread_t thread;
	pid_t process;
	int signal;
	const void *address;
} guard;

/* In another thread, or in ours at memory that the kernel took away, there is no way
 * back: the process ends, and its last words are these. */
static void
die_of(int sig)
{
	static const char words[] =
		"a thread of the kernel crashed, or it took its buffers away\n";

	if (write(2, words, sizeof words - 1) < 0)
		signal(sig, SIG_DFL);
	signal(sig, SIG_DFL);
	raise(sig);
}

static void
caught(int sig, siginfo_t *info, void *context)
{
	(void)context;
	if (!guard.armed || !pthread_equal(pthread_self(), guard.thread)) {
		die_of(sig);
		return;
	}
	guard.armed = 0;
	guard.signal = sig;
	guard.address = sig == SIGSEGV || sig == SIGBUS ? info->si_addr : NULL;
	siglongjmp(guard.back, 1);
}

void
host_guard_make(struct session *s)
{
	enum { STACK_BYTES = 64 << 10 };
	/* A kernel that used up its stack leaves none for the handler. */
	stack_t stack = {.ss_sp = arena_alloc(s->a, STACK_BYTES), .ss_size = STACK_BYTES};
	struct sigaction action = {
		.sa_sigaction = caught, .sa_flags = SA_SIGINFO | SA_ONSTACK};

	sigemptyset(&action.sa_mask);
	sigaltstack(&stack, NULL);
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		sigaction(signals[i], &action, NULL);
	guard.thread = pthread_self();
	guard.process = getpid();
}

/* What a kernel forked comes back from it, too, and would go on as a second executor. */
static void
end_copies(void)
{
	if (getpid() != guard.process)
		_exit(EXIT_SUCCESS);
}

static bool
crashed(struct session *s, const char *during)
{
	bool input = false;
	struct str where = host_pool_explain(s, s->call.a, guard.address, &input);

	if (input)
		return host_fault(s, RESULT_WRONG, where);
	return host_fault(s, RESULT_CRASHED,
		str_fmt(s->call.a, "%s: signal %d (%s)%s%.*s", during, guard.signal,
			strsignal(guard.signal), where.n ? ": it touched " : "",
			STR_ARG(where)));
}

/* What -ffast-math and the like switch on in the whole process ends with the call. */
bool
host_guarded(struct session *s, const char *during, void (*work)(void *arg), void *arg)
{
	fesetenv(FE_DFL_ENV);
	if (sigsetjmp(guard.back, 1) == 0) {
		guard.armed = 1;
		work(arg);
		end_copies();
		guard.armed = 0;
		fesetenv(FE_DFL_ENV);
		return true;
	}
	end_copies();
	fesetenv(FE_DFL_ENV);
	return crashed(s, during);
}

/* The last ones: the first has most of the machine's interrupts. */
bool
host_bind(struct session *s, size_t n)
{
	if (n > s->n_allowed)
		return host_refuse(s, RESULT_UNLAUNCHABLE,
			str_fmt(s->call.a,
				"it wants %zu processors, and this process may use %zu",
				n, s->n_allowed));
	if (s->n_bound == n)
		return true;
	if (!cpu_bind(s->allowed + s->n_allowed - n, n))
		return host_refuse(s, RESULT_TROUBLE,
			STR_LIT("the process cannot be bound to processors"));
	s->n_bound = n;
	return true;
}
