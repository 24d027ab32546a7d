#include "scratch.h"

#include "base/clock.h"
#include "base/proc.h"

#define ARGV(...) ((const char *const[]){__VA_ARGS__, NULL})
#define SH(text)  ARGV("/bin/sh", "-c", text)

static const int64_t SECOND = 1000000000;

static void
captures_streams_and_status(void **state)
{
	struct scratch *s = *state;
	struct proc_result r = proc_run(
		&s->a, SH("echo out; echo err >&2; exit 3"), (struct proc_opts){0});
	assert_true(r.started);
	assert_false(r.timed_out);
	assert_int_equal(r.status, 3);
	assert_int_equal(r.signal, 0);
	assert_true(str_is(r.out, "out\n"));
	assert_true(str_is(r.err, "err\n"));
	assert_true(r.wall_ns > 0);
	assert_string_equal(proc_explain(&s->a, &r), "exit status 3");
	r = proc_run(
		&s->a, SH("echo out; echo err >&2"), (struct proc_opts){.merge = true});
	assert_true(str_is(r.out, "out\nerr\n"));
	assert_int_equal(r.err.n, 0);
}

static void
words_are_not_a_shell_line(void **state)
{
	struct scratch *s = *state;
	struct proc_result r =
		proc_run(&s->a, ARGV("printf", "[%s]", "a b", "$HOME", "'\"", "", "*"),
			(struct proc_opts){0});
	assert_true(str_is(r.out, "[a b][$HOME]['\"][][*]"));
}

/* More than a pipe holds, both ways at once. */
static void
feeds_and_drains_without_deadlock(void **state)
{
	struct scratch *s = *state;
	struct buf in = {.a = &s->a};
	for (int i = 0; i < 200000; i++)
		buf_addf(&in, "%d\n", i);
	struct proc_result r = proc_run(&s->a, SH("tee /dev/stderr"),
		(struct proc_opts){.input = buf_str(&in), .timeout_ns = 20 * SECOND});
	assert_false(r.timed_out);
	assert_int_equal(r.status, 0);
	assert_true(str_eq(r.out, buf_str(&in)));
	assert_true(str_eq(r.err, buf_str(&in)));
}

static void
a_child_may_ignore_its_input(void **state)
{
	struct scratch *s = *state;
	struct str big = {arena_alloc(&s->a, 1 << 20), 1 << 20};
	struct proc_result r = proc_run(&s->a, SH("exec <&-; echo done"),
		(struct proc_opts){.input = big, .timeout_ns = 20 * SECOND});
	assert_true(str_is(r.out, "done\n"));
	assert_int_equal(r.status, 0);
	r = proc_run(&s->a, ARGV("cat"), (struct proc_opts){.timeout_ns = 20 * SECOND});
	assert_false(r.timed_out); /* without input there is an end of file, not ours */
	assert_int_equal(r.status, 0);
}

static void
keeps_at_most_what_it_may(void **state)
{
	struct scratch *s = *state;
	struct proc_result r = proc_run(&s->a, SH("head -c 3000000 /dev/zero"),
		(struct proc_opts){.output_max = 1000, .timeout_ns = 20 * SECOND});
	assert_int_equal(r.out.n, 1000);
	assert_int_equal(r.status, 0); /* the rest was read and dropped: no SIGPIPE */
}

static void
what_cannot_start_says_why(void **state)
{
	struct scratch *s = *state;
	struct proc_result r =
		proc_run(&s->a, ARGV("no-such-program-here"), (struct proc_opts){0});
	assert_false(r.started);
	assert_string_equal(proc_explain(&s->a, &r),
		"cannot run 'no-such-program-here': No such file or directory");
	r = proc_run(&s->a, ARGV("true"), (struct proc_opts){.dir = "no-such-folder"});
	assert_false(r.started);
	fs_write("text", STR_LIT("x"), NULL);
	r = proc_run(&s->a, ARGV("./text"), (struct proc_opts){0});
	assert_contains(proc_explain(&s->a, &r), "Permission denied");
}

static void
folder_and_environment_are_the_childs(void **state)
{
	struct scratch *s = *state;
	const char *env[] = {"ONLY=this", NULL};
	fs_mkdirs("sub");
	struct proc_result r =
		proc_run(&s->a, SH("echo $ONLY; /bin/pwd; /usr/bin/env | wc -l"),
			(struct proc_opts){.dir = "sub", .env = env});
	assert_true(str_starts(r.out, "this\n/"));
	assert_true(str_has(r.out, STR_LIT("/sub\n")));
	assert_false(fs_exists("pwd"));
}

static void
signals_are_told(void **state)
{
	struct scratch *s = *state;
	struct proc_result r =
		proc_run(&s->a, SH("kill -SEGV $$"), (struct proc_opts){0});
	assert_int_equal(r.status, -1);
	assert_int_equal(r.signal, SIGSEGV);
	assert_string_equal(
		proc_explain(&s->a, &r), "killed by signal 11 (Segmentation fault)");
}

static bool
is_alive(struct scratch *s, const char *file)
{
	int64_t pid;
	struct str text = str_trim(fs_read(&s->a, file));
	assert_true(str_to_i64(text, &pid) && pid > 1);
	for (int i = 0; i < 200; i++) { /* a zombie of another parent may take a moment */
		struct str stat;
		const char *path = str_fmt(&s->a, "/proc/%lld/stat", (long long)pid).s;
		if (!fs_try_read(&s->a, path, &stat) || str_has(stat, STR_LIT(") Z ")))
			return false;
		clock_sleep_ns(10000000);
	}
	return true;
}

static void
the_deadline_kills_the_whole_family(void **state)
{
	struct scratch *s = *state;
	struct proc_result r = proc_run(&s->a,
		SH("echo before; sleep 300 & echo $! >grandchild; trap '' TERM; wait; "
		   "wait"),
		(struct proc_opts){.timeout_ns = SECOND / 2});
	assert_true(r.timed_out);
	assert_int_equal(r.signal, SIGKILL);
	assert_true(r.wall_ns >= SECOND / 2 && r.wall_ns < 20 * SECOND);
	assert_true(str_is(r.out, "before\n"));
	assert_contains(proc_explain(&s->a, &r), "timed out after ");
	assert_false(is_alive(s, "grandchild"));
}

static void
the_deadline_holds_without_streams(void **state)
{
	struct scratch *s = *state;
	struct proc_result r = proc_run(&s->a, SH("exec >&- 2>&-; exec sleep 300"),
		(struct proc_opts){.timeout_ns = SECOND / 5});
	assert_true(r.timed_out);
	assert_true(r.wall_ns < 20 * SECOND);
}

/* The child ends at once, a grandchild keeps its output open: the answer is the child's.
 */
static void
a_grandchild_does_not_hold_us(void **state)
{
	struct scratch *s = *state;
	struct proc_result r =
		proc_run(&s->a, SH("echo hello; sleep 300 & echo $! >grandchild; exit 4"),
			(struct proc_opts){0});
	assert_false(r.timed_out);
	assert_int_equal(r.status, 4);
	assert_true(str_is(r.out, "hello\n"));
	assert_true(r.wall_ns < 20 * SECOND);
	assert_false(is_alive(s, "grandchild"));
}

static void
count(void *n)
{
	++*(int *)n;
}

static void
ticks_while_it_runs(void **state)
{
	struct scratch *s = *state;
	int n = 0;
	struct proc_result r = proc_run(&s->a, ARGV("sleep", "0.55"),
		(struct proc_opts){.tick = count, .tick_arg = &n});
	assert_int_equal(r.status, 0);
	assert_true(n >= 3 && n < 60);
}

static void
wait_long(void *arg)
{
	struct arena a = {0};
	proc_run(&a, SH("echo $$ >child; exec sleep 300"), (struct proc_opts){0});
}

static void
a_child_dies_with_its_parent(void **state)
{
	struct scratch *s = *state;
	pid_t pid = fork();
	if (pid == 0)
		wait_long(NULL);
	for (int i = 0;
		i < 1000 && !str_has(str_of(scratch_text(s, "child")), STR_LIT("\n"));
		i++)
		clock_sleep_ns(10000000);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_false(is_alive(s, "child"));
}

static void
our_signals_stay_as_they_were(void **state)
{
	struct scratch *s = *state;
	struct sigaction before, after;
	sigaction(SIGPIPE, NULL, &before);
	struct proc_result r = proc_run(&s->a, SH("yes | head -n 1"),
		(struct proc_opts){.timeout_ns = 20 * SECOND});
	assert_true(str_is(r.out, "y\n")); /* the child's SIGPIPE is not ignored */
	sigaction(SIGPIPE, NULL, &after);
	assert_ptr_equal(before.sa_handler, after.sa_handler);
	const char **fds;
	size_t n = fs_list(&s->a, "/proc/self/fd", &fds);
	for (int i = 0; i < 20; i++)
		proc_run(&s->a, ARGV(i % 2 ? "true" : "no-such-program"),
			(struct proc_opts){0});
	assert_int_equal(fs_list(&s->a, "/proc/self/fd", &fds), n);
}

static void
knows_itself(void **state)
{
	struct scratch *s = *state;
	assert_contains(proc_self(&s->a), "/test_proc");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(captures_streams_and_status),
		scratch_test(words_are_not_a_shell_line),
		scratch_test(feeds_and_drains_without_deadlock),
		scratch_test(a_child_may_ignore_its_input),
		scratch_test(keeps_at_most_what_it_may),
		scratch_test(what_cannot_start_says_why),
		scratch_test(folder_and_environment_are_the_childs),
		scratch_test(signals_are_told),
		scratch_test(the_deadline_kills_the_whole_family),
		scratch_test(the_deadline_holds_without_streams),
		scratch_test(a_grandchild_does_not_hold_us),
		scratch_test(ticks_while_it_runs),
		scratch_test(a_child_dies_with_its_parent),
		scratch_test(our_signals_stay_as_they_were),
		scratch_test(knows_itself),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
