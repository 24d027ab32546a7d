/*
 * Clients, a supervisor and executors without a device: this program is all of them. What
 * a job's executor does is said by the name of its point.
 */
#include "scratch.h"

#include "base/clock.h"
#include "base/rng.h"
#include "worker/door.h"
#include "worker/execute.h"
#include "worker/obituary.h"
#include "worker/peer.h"
#include "worker/worker.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>

static const int64_t MS_NS = 1000000;

/* --- the executor ------------------------------------------------------------------ */

static int n_run;
static struct measure_watch watch;

static void *
stub_open(struct arena *a, const struct device *dev, struct measure_watch w,
	struct fault *f)
{
	watch = w;
	if (!str_has(dev->name, STR_LIT("broken")))
		return arena_new(a, int);
	*f = (struct fault){RESULT_TROUBLE, STR_LIT("no such device"), true};
	return NULL;
}

static void
die_by(int signal_number)
{
	signal(signal_number, SIG_DFL);
	raise(signal_number);
}

/* A process that is traced by one that does not look is as dead as one that is stuck in a
 * driver: SIGKILL does not end it for its parent. */
static void
cannot_be_reaped(void)
{
	pid_t victim = getpid();

	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	if (fork() == 0) {
		setsid();
		if (ptrace(PTRACE_SEIZE, victim, 0, 0) != 0)
			kill(victim, SIGTERM);
		clock_sleep_ns(3000 * MS_NS);
		_exit(0);
	}
	pause();
}

static void
count(const struct job *j)
{
	const char *path = j->member[0].request.outputs_path;

	n_run++;
	if (path)
		fs_try_append(path, str_fmt(&(struct arena){0}, "%.*s %d\n",
					    STR_ARG(j->member[0].point), n_run));
}

static bool
stub_run(void *opened, struct arena *a, const struct job *j, struct str *text,
	enum result_status *status)
{
	struct str what = j->member[0].point;
	struct device dev = {.name = STR_LIT("stub")};
	int64_t ms = 0;

	(void)opened;
	bool late = str_starts(what, "hang") || str_starts(what, "wedge");
	watch.step(watch.arg, "run", (late ? 200 : 20000) * MS_NS);
	count(j);
	*status = RESULT_OK;
	if (str_starts(what, "segv") || (str_starts(what, "later-segv") && n_run > 1)) {
		die_by(SIGSEGV);
	} else if (str_starts(what, "abort")) {
		fputs("first words\n\n  assertion failed\n\n", stderr);
		abort();
	} else if (str_starts(what, "exit")) {
		printf("printed by a kernel\n");
		fflush(stdout);
		_exit(3);
	} else if (str_starts(what, "hang")) {
		pause();
	} else if (str_starts(what, "wedge")) {
		cannot_be_reaped();
	} else if (str_starts(what, "fault") ||
		   (str_starts(what, "later-fault") && n_run > 1)) {
		*status = RESULT_CRASHED;
	} else if (str_starts(what, "later-oom") && n_run > 1) {
		*status = RESULT_OOM;
	} else if (str_starts(what, "sleep")) {
		str_to_i64(str_sub(what, 5, str_find(what, what.s[7] == '-' ? '-' : '@')),
			&ms);
		clock_sleep_ns(ms * MS_NS);
	}
	*text = obituary_text(
		a, j, &dev, *status, str_fmt(a, "run %d of %ld", n_run, (long)getpid()));
	return *status != RESULT_CRASHED;
}

static const struct engine stub = {stub_open, stub_run};

/* --- the other processes ------------------------------------------------------------ */

static int
be_worker(int argc, char **argv)
{
	struct arena a = {0};
	struct diag d = {0};
	struct worker_opts o = {.reap_ns = 300 * MS_NS};
	double idle_s;
	int status = EXIT_TROUBLE;

	if (argc == 6 && str_to_f64(str_of(argv[5]), &idle_s)) {
		o.device = device_read(&a, argv[3], &d);
		o.idle_ns = (int64_t)(idle_s * 1e9);
		status = o.device ? worker_supervise(&a, &o) : EXIT_TROUBLE;
	}
	arena_release(&a);
	return status;
}

struct world {
	struct scratch s; /* first: scratch_teardown() frees it */
	struct device *device;
	const char *ran; /* what was run, by the executors */
	const char *artifact;
	struct worker_opts o;
	struct rng random;
	struct lease_holder watched;
};

static int
setup(void **state)
{
	int bad = scratch_setup(state);
	struct world *w = *state = realloc(*state, sizeof *w);
	struct diag d = {0};

	memset((char *)w + sizeof w->s, 0, sizeof *w - sizeof w->s);
	setenv("XDG_RUNTIME_DIR", w->s.dir, 1);
	w->device = device_find(&w->s.a, "h200", &d);
	w->device->uuid = STR_LIT("GPU-stub");
	w->ran = fs_join(&w->s.a, w->s.dir, "ran");
	w->artifact = fs_join(&w->s.a, w->s.dir, "artifact");
	fs_write(w->artifact, STR_LIT("code"), NULL);
	w->o = (struct worker_opts){.device = w->device, .idle_ns = 5000 * MS_NS};
	w->random.state = 1;
	return bad;
}

static size_t
stop(struct world *w, const char *which)
{
	struct worker_seen *ended;
	struct str why = {0};

	return worker_stop(&w->s.a, which, &ended, &why);
}

static int
teardown(void **state)
{
	struct world *w = *state;

	worker_taken();
	stop(w, NULL);
	return scratch_teardown(state);
}

static struct job
job_of(struct world *w, const char *what)
{
	struct job_member *m = arena_new(&w->s.a, struct job_member);

	m->point = str_of(what);
	m->request.artifact = STR_LIT("code");
	m->request.artifact_path = w->artifact;
	m->request.outputs_path = w->ran;
	m->request.timeout_ns = 1000 * MS_NS;
	launch_parse(STR_LIT("1,1,1/1,1,1/1,1,1/0"), &m->request.launch);
	return (struct job){
		.kernel = STR_LIT("k"), .size = STR_LIT("s"), .member = m, .n = 1};
}

static struct result
parse(struct world *w, struct worker_answer answer)
{
	struct source *src = arena_new(&w->s.a, struct source);
	struct diag d = {0};
	struct result r;

	if (!answer.text.n)
		fail_msg("no answer: %.*s", STR_ARG(answer.trouble));
	/* A result that is ok has a time; the stub's is made up here. */
	struct str text = answer.text;
	char *at = strstr(text.s, "\"median_ns\": null");
	if (at)
		memcpy(at, "\"median_ns\": 1111", 17);
	*src = (struct source){"answer", text};
	assert_true(result_get(&w->s.a, json_parse(&w->s.a, src, &d), &r, &d));
	return r;
}

static struct result
ask_job(struct world *w, const struct job *j)
{
	struct result r = parse(w, worker_ask(&w->s.a, j, &w->o));

	worker_taken();
	return r;
}

static struct result
ask(struct world *w, const char *what)
{
	struct job j = job_of(w, what);

	return ask_job(w, &j);
}

static struct worker_seen
only_worker(struct world *w)
{
	struct worker_seen *v;
	struct str why = {0};

	assert_int_equal(worker_list(&w->s.a, &v, &why), 1);
	return v[0];
}

static bool
can_measure(struct world *w)
{
	struct job j = job_of(w, "ok@s");
	struct worker_answer r = worker_ask(&w->s.a, &j, &w->o);

	worker_taken();
	return r.text.n > 0;
}

/* The number of the executor in "run 1 of 4711". */
static long
executor_of(const struct result *r)
{
	int n;
	long pid;

	assert_int_equal(sscanf(r->reason.s, "run %d of %ld", &n, &pid), 2);
	return pid;
}

static bool
within(int64_t ms, bool (*f)(struct world *), struct world *w)
{
	int64_t until = clock_ns() + ms * MS_NS;

	while (!f(w)) {
		if (clock_ns() > until)
			return false;
		clock_sleep_ns(2 * MS_NS);
	}
	return true;
}

static bool
nobody_there(struct world *w)
{
	struct worker_seen *v;
	struct str why = {0};

	return worker_list(&w->s.a, &v, &why) == 0;
}

static bool
something_runs(struct world *w)
{
	struct worker_seen *v;
	struct str why = {0};

	return worker_list(&w->s.a, &v, &why) == 1 && v[0].running.n;
}

static size_t times_run(struct world *w, const char *what);

static bool
sleep100_runs(struct world *w)
{
	return times_run(w, "sleep100@s") > 0;
}

static size_t
times_run(struct world *w, const char *what)
{
	struct str rest = str_of(scratch_text(&w->s, w->ran)), line;
	size_t n = 0;

	while (str_line(&rest, &line))
		n += str_eq(str_sub(line, 0, str_find(line, ' ')), str_of(what));
	return n;
}

/* A client of its own; it does not say that it took the answer unless it is told to. */
static pid_t
client(struct world *w, const char *what, bool takes)
{
	pid_t pid = fork();

	if (pid == 0) {
		struct job j = job_of(w, what);
		struct worker_answer r = worker_ask(&w->s.a, &j, &w->o);
		if (!r.text.n)
			fprintf(stderr, "client: %.*s\n", STR_ARG(r.trouble));
		if (takes)
			worker_taken();
		_exit(r.text.n ? 0 : 1);
	}
	return pid;
}

static int
ended(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/* --- the tests --------------------------------------------------------------------- */

static void
one_executor_for_many(void **state)
{
	struct world *w = *state;
	struct result first = ask(w, "ok1@s"), second = ask(w, "ok2@s");

	assert_int_equal(first.status, RESULT_OK);
	assert_true(str_is(first.candidate, "ok1"));
	assert_int_equal(executor_of(&first), executor_of(&second));
	assert_int_equal(only_worker(w).n_done, 2);
}

static void
every_end_is_told(void **state)
{
	static const struct {
		const char *what;
		enum result_status status;
		const char *reason;
	} cases[] = {
		{"hang@s", RESULT_HUNG, "'run' did not end within 0.2 s"},
		{"segv@s", RESULT_CRASHED, "killed by signal 11"},
		{"abort@s", RESULT_CRASHED, "(Aborted): assertion failed"},
		{"exit@s", RESULT_CRASHED, "ended with status 3: printed by a kernel"},
		{"fault@s", RESULT_CRASHED, "run 1 of"},
		{"later-oom@s", RESULT_OK, "run 1 of"},
	};
	struct world *w = *state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct result healthy = ask(w, str_fmt(&w->s.a, "ok%zu@s", i).s);
		assert_int_equal(healthy.status, RESULT_OK);
		struct result r = ask(w, cases[i].what);
		assert_int_equal(r.status, cases[i].status);
		assert_contains(str_c(&w->s.a, r.reason), cases[i].reason);
	}
	assert_true(only_worker(w).idle_s < 2);
}

/* A crash after others is tried again where nothing was before it, a hang is not. */
static void
retries(void **state)
{
	struct world *w = *state;

	ask(w, "ok@s");
	assert_int_equal(ask(w, "later-segv@s").status, RESULT_OK);
	assert_int_equal(times_run(w, "later-segv@s"), 2);
	assert_int_equal(ask(w, "later-fault@s").status, RESULT_OK);
	assert_int_equal(times_run(w, "later-fault@s"), 2);
	assert_int_equal(ask(w, "segv@s").status, RESULT_CRASHED);
	assert_int_equal(times_run(w, "segv@s"), 2);
	assert_int_equal(ask(w, "segv2@s").status, RESULT_CRASHED);
	assert_int_equal(times_run(w, "segv2@s"), 1); /* it was alone already */
	ask(w, "ok@s");
	assert_int_equal(ask(w, "hang@s").status, RESULT_HUNG);
	assert_int_equal(times_run(w, "hang@s"), 1);
}

static void
alone_is_alone(void **state)
{
	struct world *w = *state;
	struct job j = job_of(w, "caveat@s");
	struct result before = ask(w, "ok@s"), r, after;

	j.alone = true;
	r = ask_job(w, &j);
	after = ask(w, "ok@s");
	assert_true(executor_of(&before) != executor_of(&r));
	assert_true(executor_of(&r) != executor_of(&after));
	j = job_of(w, "later-segv@s");
	j.alone = true;
	assert_int_equal(ask_job(w, &j).status, RESULT_OK);
	assert_int_equal(times_run(w, "later-segv@s"), 1);
}

static void
answers_are_kept_until_taken(void **state)
{
	struct world *w = *state;
	pid_t pid = client(w, "sleep60@s", true);

	/* It goes while its job runs. */
	assert_true(within(5000, something_runs, w));
	kill(pid, SIGKILL);
	assert_int_equal(ended(pid), -SIGKILL);
	assert_int_equal(ask(w, "sleep60@s").status, RESULT_OK);
	assert_int_equal(times_run(w, "sleep60@s"), 1);
	/* It has the answer, and goes without writing it down. */
	assert_int_equal(ended(client(w, "kept@s", false)), 0);
	assert_int_equal(ask(w, "kept@s").status, RESULT_OK);
	assert_int_equal(times_run(w, "kept@s"), 1);
	/* It was taken: asking again measures again. */
	assert_int_equal(ask(w, "kept@s").status, RESULT_OK);
	assert_int_equal(times_run(w, "kept@s"), 2);
	/* With another tag it is another question. */
	assert_int_equal(ended(client(w, "tag@s", false)), 0);
	w->o.tag = STR_LIT("other");
	ask(w, "tag@s");
	assert_int_equal(times_run(w, "tag@s"), 2);
}

static void
who_goes_takes_its_job_along(void **state)
{
	struct world *w = *state;
	pid_t first = client(w, "sleep100@s", true), second;

	assert_true(within(5000, something_runs, w));
	second = client(w, "never@s", true);
	while (only_worker(w).n_waiting == 0)
		clock_sleep_ns(MS_NS);
	kill(second, SIGKILL);
	ended(second);
	assert_int_equal(ended(first), 0);
	ask(w, "ok@s");
	assert_int_equal(times_run(w, "never@s"), 0);
}

static void
a_lost_supervisor_is_replaced(void **state)
{
	struct world *w = *state;
	pid_t pid = client(w, "sleep100@s", true);

	assert_true(within(5000, sleep100_runs, w));
	kill((pid_t)only_worker(w).pid, SIGKILL);
	assert_int_equal(ended(pid), 0);
	assert_int_equal(times_run(w, "sleep100@s"), 2);
}

/* The kernel may kill it for want of memory: not the candidate's fault, at first. */
static void
a_killed_executor_is_replaced(void **state)
{
	struct world *w = *state;
	struct result first = ask(w, "ok@s");
	long executor = executor_of(&first);
	pid_t pid = client(w, "sleep100@s", true);

	assert_true(within(5000, sleep100_runs, w));
	kill((pid_t)executor, SIGKILL);
	assert_int_equal(ended(pid), 0);
	assert_int_equal(ask(w, "ok2@s").status, RESULT_OK);
	assert_int_equal(times_run(w, "sleep100@s"), 2);
}

static void
many_start_one(void **state)
{
	enum { N = 8 };
	struct world *w = *state;
	pid_t pid[N];

	for (int i = 0; i < N; i++)
		pid[i] = client(w, str_fmt(&w->s.a, "c%d@s", i).s, true);
	for (int i = 0; i < N; i++)
		assert_int_equal(ended(pid[i]), 0);
	assert_int_equal(only_worker(w).n_done, N);
}

static void
a_stuck_driver_fails_fast(void **state)
{
	struct world *w = *state;
	struct result wedge = ask(w, "wedge@s");
	struct job j = job_of(w, "ok@s");

	if (wedge.status == RESULT_CRASHED)
		skip(); /* no tracing here */
	assert_int_equal(wedge.status, RESULT_HUNG);
	assert_contains(str_c(&w->s.a, wedge.reason), "gpu_wedged: process ");
	int64_t start = clock_ns();
	struct worker_answer r = worker_ask(&w->s.a, &j, &w->o);
	assert_contains(r.trouble.s, "gpu_wedged");
	assert_true(clock_ns() - start < 1500 * MS_NS);
	assert_contains(str_c(&w->s.a, only_worker(w).trouble), "gpu_wedged");
	worker_taken();
	/* The stuck process goes at last. */
	assert_true(within(10000, can_measure, w));
	const char *marker = lease_name(&w->s.a, w->device->uuid, "wedged");
	assert_false(fs_exists(fs_join(&w->s.a, "lanewise", marker)));
}

/* Left by a supervisor that is gone. */
static void
a_marker_is_believed(void **state)
{
	struct world *w = *state;
	struct job j = job_of(w, "ok@s");
	struct lease_holder h = lease_holder_of("wedged", getpid());
	const char *marker = fs_join(
		&w->s.a, "lanewise", lease_name(&w->s.a, w->device->uuid, "wedged"));

	ask(w, "ok@s");
	assert_int_equal(stop(w, NULL), 1);
	fs_write(marker, lease_holder_text(&w->s.a, &h), NULL);
	struct worker_answer r = worker_ask(&w->s.a, &j, &w->o);
	assert_contains(r.trouble.s, "gpu_wedged");
	worker_taken();
	w->o.foreground = true;
	r = worker_ask(&w->s.a, &j, &w->o);
	assert_contains(r.trouble.s, "gpu_wedged");
	w->o.foreground = false;
	assert_int_equal(stop(w, NULL), 1);
	h.start++; /* that process is gone; this one only has its number */
	fs_write(marker, lease_holder_text(&w->s.a, &h), NULL);
	assert_true(within(2000, can_measure, w));
}

static bool
worker_ended(struct world *w)
{
	return !lease_alive(&w->watched);
}

static void
ends_when_idle(void **state)
{
	struct world *w = *state;

	w->o.idle_ns = 300 * MS_NS;
	ask(w, "ok@s");
	w->watched = lease_holder_of("worker", (pid_t)only_worker(w).pid);
	assert_true(within(3000, nobody_there, w));
	assert_true(within(3000, worker_ended, w));
	assert_int_equal(ask(w, "ok@s").status, RESULT_OK);
	/* At once when its folder goes. */
	w->o.idle_ns = 60000 * MS_NS;
	assert_true(within(3000, nobody_there, w));
	ask(w, "ok@s");
	w->watched = lease_holder_of("worker", (pid_t)only_worker(w).pid);
	assert_int_equal(rename("lanewise", "gone"), 0);
	assert_true(within(3000, worker_ended, w));
}

static void
long_and_absent_folders(void **state)
{
	struct world *w = *state;
	const char *deep = w->s.dir;

	for (int i = 0; i < 4; i++)
		deep = fs_join(&w->s.a, deep, str_fmt(&w->s.a, "%060d", i).s);
	fs_mkdirs(deep);
	setenv("XDG_RUNTIME_DIR", deep, 1);
	assert_int_equal(ask(w, "ok@s").status, RESULT_OK);
	struct str why = {0};
	assert_int_equal(stop(w, NULL), 1);
	unsetenv("XDG_RUNTIME_DIR");
	w->device->uuid = str_fmt(&w->s.a, "GPU-test-%ld", (long)getpid());
	assert_int_equal(ask(w, "ok@s").status, RESULT_OK);
	assert_int_equal(stop(w, str_c(&w->s.a, w->device->uuid)), 1);
	const char *folder = lease_folder_here(&w->s.a, &why);
	static const char *const left[] = {"json", "lock", "log", "worker"};
	for (size_t i = 0; i < sizeof left / sizeof *left; i++)
		fs_remove(fs_join(
			&w->s.a, folder, lease_name(&w->s.a, w->device->uuid, left[i])));
}

/* Connects and says something; what is answered after the greeting, or NULL. */
static const char *
say_to_it(struct world *w, struct str text)
{
	struct str why = {0}, line;
	const char *sock = lease_name(&w->s.a, w->device->uuid, "sock");
	int fd = door_knock(lease_folder_here(&w->s.a, &why), sock);
	const char *said = NULL;

	assert_true(fd >= 0);
	struct peer p = peer_make(fd);
	peer_say(&p, text);
	peer_push(&p);
	for (int i = 0; peer_wait(&p, clock_ns() + 3000 * MS_NS, &line); i++)
		if (i)
			said = str_c(&w->s.a, line);
	assert_true(p.gone);
	peer_close(&p);
	return said;
}

static void
hostile_clients(void **state)
{
	static const char *const bad[] = {"", "{", "[]", "\"x\"", "{\"ask\": 1}",
		"{\"ask\": \"{}\"}", "{\"taken\": 1}", "\1\2\3\377"};
	struct world *w = *state;

	ask(w, "ok@s");
	int64_t pid = only_worker(w).pid;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_contains(say_to_it(w, str_of(bad[i])), "refused");
	struct buf b = {.a = &w->s.a};
	buf_pad(&b, ' ', 5 << 20);
	assert_null(say_to_it(w, buf_str(&b)));
	/* The right program, and a job that is none. */
	b.n = 0;
	buf_addf(&b, "{\"protocol\": %d, \"program\": \"%.*s\"}\n", WORKER_PROTOCOL,
		STR_ARG(door_program(&w->s.a, w->device)));
	buf_adds(&b, "{\"ask\": \"{}\"}");
	assert_contains(say_to_it(w, buf_str(&b)), "malformed job: ");
	assert_int_equal(ask(w, "ok@s").status, RESULT_OK);
	assert_int_equal(only_worker(w).pid, pid);
}

static void
another_version_waits_for_the_end(void **state)
{
	struct world *w = *state;

	w->o.idle_ns = 60000 * MS_NS;
	ask(w, "ok@s");
	assert_contains(say_to_it(w, STR_LIT("{\"protocol\": 99, \"program\": \"x\"}")),
		"the worker of another program");
	assert_true(within(1000, nobody_there, w));
	/* The same device with another driver is another one, too. */
	ask(w, "ok@s");
	int64_t before = only_worker(w).pid;
	w->device->driver = STR_LIT("999.1");
	assert_int_equal(ask(w, "ok@s").status, RESULT_OK);
	assert_true(only_worker(w).pid != before);
}

static void
without_a_supervisor(void **state)
{
	struct world *w = *state;

	w->o.foreground = true;
	assert_int_equal(ask(w, "ok@s").status, RESULT_OK);
	assert_int_equal(ask(w, "hang@s").status, RESULT_HUNG);
	assert_int_equal(ask(w, "segv@s").status, RESULT_CRASHED);
	assert_true(nobody_there(w));
	/* One that is idle gives up its lease. */
	w->o.foreground = false;
	w->o.idle_ns = 60000 * MS_NS;
	ask(w, "ok@s");
	w->o.foreground = true;
	assert_int_equal(ask(w, "ok@s").status, RESULT_OK);
}

static void
a_device_that_does_not_open(void **state)
{
	struct world *w = *state;

	w->device->name = STR_LIT("broken");
	struct result r = ask(w, "ok@s");
	assert_int_equal(r.status, RESULT_TROUBLE);
	assert_true(str_is(r.reason, "no such device"));
}

/* Everybody is killed at random; what was promised is kept in the end. */
static void
random_kills(void **state)
{
	enum { N = 40, AT_ONCE = 3 };
	struct world *w = *state;
	const char *lock = fs_join(
		&w->s.a, "lanewise", lease_name(&w->s.a, w->device->uuid, "lock"));
	size_t done = 0, killed = 0;
	bool finished[N] = {false};

	for (int round = 0; done < N; round++) {
		pid_t pid[N] = {0};
		int64_t begin = clock_ns();
		assert_true(round < 200);
		for (int i = 0, n = 0; i < N && n < AT_ONCE; i++) {
			if (finished[i])
				continue;
			pid[i] = client(w, str_fmt(&w->s.a, "sleep20-%d@s", i).s, true);
			n++;
		}
		clock_sleep_ns((int64_t)rng_below(&w->random, 60) * MS_NS);
		struct worker_seen *v;
		struct str why = {0};
		size_t n = worker_list(&w->s.a, &v, &why);
		int whom = (int)rng_below(&w->random, 3);
		struct lease_holder h = lease_read(&w->s.a, lock);
		if (whom == 0 && n)
			killed += kill((pid_t)v[0].pid, SIGKILL) == 0;
		else if (whom == 1 && str_is(h.what, "executor") && lease_alive(&h))
			killed += kill(h.pid, SIGKILL) == 0;
		for (int i = 0; i < N; i++) {
			if (pid[i] && whom == 2 && rng_below(&w->random, 2))
				killed += kill(pid[i], SIGKILL) == 0;
			if (!pid[i] || ended(pid[i]) != 0)
				continue;
			finished[i] = true;
			done++;
		}
		assert_true(clock_ns() - begin < 5000 * MS_NS);
	}
	assert_true(killed > 8);
	assert_int_equal(ask(w, "ok@s").status, RESULT_OK);
	/* Nothing is left behind. */
	struct lease_holder h = lease_read(&w->s.a, lock), *left = &h;
	struct str why = {0};
	assert_true(str_is(h.what, "executor") && lease_alive(left));
	assert_int_equal(stop(w, NULL), 1);
	assert_false(lease_alive(left));
	int lease = lease_try(&w->s.a, w->device->uuid, &why);
	assert_true(lease >= 0);
	close(lease);
}

#define worker_test(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		worker_test(one_executor_for_many),
		worker_test(every_end_is_told),
		worker_test(retries),
		worker_test(alone_is_alone),
		worker_test(answers_are_kept_until_taken),
		worker_test(who_goes_takes_its_job_along),
		worker_test(a_lost_supervisor_is_replaced),
		worker_test(a_killed_executor_is_replaced),
		worker_test(many_start_one),
		worker_test(a_stuck_driver_fails_fast),
		worker_test(a_marker_is_believed),
		worker_test(ends_when_idle),
		worker_test(long_and_absent_folders),
		worker_test(hostile_clients),
		worker_test(another_version_waits_for_the_end),
		worker_test(without_a_supervisor),
		worker_test(a_device_that_does_not_open),
		worker_test(random_kills),
	};

	if (argc > 1 && strcmp(argv[1], "executor") == 0)
		return execute_jobs(&stub, 0);
	if (argc > 1 && strcmp(argv[1], "worker") == 0)
		return be_worker(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
