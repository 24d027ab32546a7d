/* Ninja's log: the ninja that is here judges whether its hashes are ours. */
#include "scratch.h"

#include "base/proc.h"
#include "graph/ninja_log.h"
#include "graph/run.h"

enum { COMMANDS = 220 };

/* ": xxx...": does nothing, of n bytes. */
static struct str
command(struct arena *a, size_t n)
{
	char *s = arena_alloc(a, n + 1);
	for (size_t i = 0; i < n; i++)
		s[i] = i == 0 ? ':' : i == 1 ? ' ' : (char)('a' + (i * 7 + n) % 26);
	s[n] = 0;
	return (struct str){s, n};
}

static void
build(struct scratch *s)
{
	struct buf b = {.a = &s->a};
	buf_adds(&b, "ninja_required_version = 1.10\n");
	for (size_t n = 1; n < COMMANDS; n++)
		buf_addf(&b, "rule r%zu\n  command = %.*s\nbuild o%zu: r%zu\n", n,
			STR_ARG(command(&s->a, n)), n, n);
	fs_write("build.ninja", buf_str(&b), NULL);
}

static int
run(struct scratch *s)
{
	const char *argv[] = {"ninja", NULL};
	struct str why;
	build(s);
	struct proc_result r = proc_run(&s->a, argv,
		(struct proc_opts){.timeout_ns = 120000000000, .merge = true});
	if (r.status != 0)
		fail_msg("ninja: %.*s", STR_ARG(r.out));
	return ninja_log_version(run_ninja_version(&s->a, &why));
}

static void
hashes_are_those_of_the_ninja_here(void **state)
{
	struct scratch *s = *state;
	struct ninja_log log = {0};
	int version = run(s);
	if (!version)
		skip(); /* newer than any that is known */
	assert_true(ninja_log_read(&s->a, ".ninja_log", version, &log));
	assert_true(log.present);
	assert_int_equal(log.outs.n, COMMANDS - 1);
	for (size_t n = 1; n < COMMANDS; n++) {
		long i = map_find(&log.outs, str_fmt(&s->a, "o%zu", n));
		assert_true(i >= 0);
		assert_true(log.hash[i] == ninja_log_hash(version, command(&s->a, n)));
	}
}

/* As Ninja 1.11, 1.12 and 1.13 wrote them. */
static void
hashes_of_each_version(void **state)
{
	struct str word = STR_LIT(": lanewise node --events .lanewise/events.jsonl");
	(void)state;
	assert_true(ninja_log_hash(5, word) == ninja_log_hash(6, word));
	assert_true(ninja_log_hash(5, word) == 0xe68c569d2e7c21f1);
	assert_true(ninja_log_hash(7, word) == 0x9470b8a710641ec5);
	assert_true(ninja_log_hash(7, STR_LIT(":")) == 0xa2da22321247804b);
}

static void
a_log_of_another_version_is_none(void **state)
{
	struct scratch *s = *state;
	const char *file = "log";
	struct ninja_log log = {0};
	fs_write(file, STR_LIT("# ninja log v6\n0\t1\t5\tout\tabc\n"), NULL);
	assert_true(ninja_log_read(&s->a, file, 7, &log));
	assert_false(log.present);
	struct buf b = {.a = &s->a};
	ninja_log_line(&b, STR_LIT("mine"), 9, 0xabc);
	assert_true(ninja_log_append(&s->a, file, &log, buf_str(&b)));
	assert_true(str_is(fs_read(&s->a, file), "# ninja log v7\n0\t0\t9\tmine\tabc\n"));
}

static void
a_line_without_an_end_is_left_alone(void **state)
{
	struct scratch *s = *state;
	const char *file = "log";
	struct ninja_log log = {0};
	fs_write(file, STR_LIT("# ninja log v5\n0\t1\t5\tout\tabc\n0\t1\t5\tcut\tab"),
		NULL);
	assert_true(ninja_log_read(&s->a, file, 5, &log));
	assert_true(log.present && log.torn);
	assert_int_equal(log.outs.n, 1);
	assert_true(ninja_log_append(&s->a, file, &log, STR_LIT("0\t0\t9\tmine\tabc\n")));
	log = (struct ninja_log){0};
	assert_true(ninja_log_read(&s->a, file, 5, &log));
	assert_true(map_find(&log.outs, STR_LIT("mine")) >= 0);
}

static void
an_empty_log_is_none(void **state)
{
	struct scratch *s = *state;
	const char *file = "log";
	struct ninja_log log = {0};
	assert_true(ninja_log_read(&s->a, file, 5, &log));
	assert_false(log.present);
	fs_write(file, STR_LIT(""), NULL);
	assert_true(ninja_log_read(&s->a, file, 5, &log));
	assert_false(log.present);
	assert_int_equal(ninja_log_version(109), 0);
	assert_int_equal(ninja_log_version(114), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(hashes_are_those_of_the_ninja_here),
		scratch_test(hashes_of_each_version),
		scratch_test(a_log_of_another_version_is_none),
		scratch_test(a_line_without_an_end_is_left_alone),
		scratch_test(an_empty_log_is_none),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
