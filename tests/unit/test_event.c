#include "scratch.h"

#include "node/event.h"

static struct event
round_trip(struct scratch *s, struct event e)
{
	struct event got = {0};
	struct str rest, line;
	fs_remove("log");
	event_append("log", &e);
	rest = fs_read(&s->a, "log");
	assert_true(str_line(&rest, &line));
	assert_int_equal(rest.n, 0); /* one line, whatever is in it */
	assert_true(event_parse(&s->a, line, &got));
	return got;
}

static void
reads_back_what_it_wrote(void **state)
{
	struct event e = {.node = STR_LIT("bench"),
		.kernel = STR_LIT("reduce"),
		.name = STR_LIT("BLOCK=64,TILE=128@1M"),
		.status = STR_LIT("ok"),
		.detail = STR_LIT("line\nbreak \"quote\" \\ \t \x01"),
		.ms = 412.25,
		.ns = 8210.5};
	struct event got = round_trip(*state, e);
	assert_true(str_eq(got.node, e.node));
	assert_true(str_eq(got.kernel, e.kernel));
	assert_true(str_eq(got.name, e.name));
	assert_true(str_eq(got.status, e.status));
	assert_true(str_eq(got.detail, e.detail));
	assert_true(got.ms == e.ms && got.ns == e.ns);
}

static void
details_are_cut(void **state)
{
	struct scratch *s = *state;
	struct buf b = {.a = &s->a};
	for (int i = 0; i < 1000; i++)
		buf_adds(&b, "\xc3\xa9"); /* a cut may fall into a letter */
	for (size_t from = 0; from < 2; from++) {
		struct str detail = str_sub(buf_str(&b), from, b.n);
		struct event got = round_trip(
			s, (struct event){.node = STR_LIT("gate"), .detail = detail});
		assert_true(got.detail.n > 0 && got.detail.n < 1000);
	}
	assert_true(fs_read(&s->a, "log").n < 4096);
}

static void
missing_members_are_empty(void **state)
{
	struct scratch *s = *state;
	struct event e;
	assert_true(event_parse(&s->a, STR_LIT("{\"node\":\"gate\"}"), &e));
	assert_int_equal(e.kernel.n + e.name.n + e.status.n + e.detail.n, 0);
	assert_true(e.ms == 0 && e.ns == 0);
	assert_true(event_parse(&s->a,
		STR_LIT("{\"node\":\"gate\",\"ms\":\"x\",\"ns\":[],\"kernel\":3}"), &e));
	assert_true(e.ms == 0 && e.ns == 0 && e.kernel.n == 0);
}

static void
torn_and_foreign_lines_are_no_events(void **state)
{
	static const char *const lines[] = {"", "{", "{\"node\":\"ga", "[]", "null",
		"\"node\"", "{}", "{\"node\":\"\"}", "{\"node\":3}", "{\"kernel\":\"k\"}",
		"\xff\xfe", "{\"node\":\"a\"}{\"node\":\"b\"}", "de\":\"gate\",\"ms\":1}",
		"# comment"};
	struct scratch *s = *state;
	struct event e;
	for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
		if (event_parse(&s->a, str_of(lines[i]), &e))
			fail_msg("'%s' is no event", lines[i]);
	assert_false(event_parse(&s->a, STR_LIT("\0\0\0"), &e));
	char deep[2000];
	memset(deep, '[', sizeof deep);
	assert_false(event_parse(&s->a, (struct str){deep, sizeof deep}, &e));
	assert_string_equal(scratch_text(s, ".err"), "(absent)");
}

static void
parse_garbage(void *arg)
{
	struct event e;
	event_parse(&((struct scratch *)arg)->a, STR_LIT("{\"node\":"), &e);
}

static void
no_event_is_no_message(void **state)
{
	struct ended e = scratch_run(*state, parse_garbage, *state);
	assert_string_equal(e.err, "");
	assert_string_equal(e.out, "");
}

static void
append_many(const char *name)
{
	struct event e = {.node = STR_LIT("bench"), .name = str_of(name)};
	for (int i = 0; i < 200; i++)
		event_append("log", &e);
	_exit(0);
}

static void
processes_do_not_mix_their_lines(void **state)
{
	struct scratch *s = *state;
	static const char *const names[] = {"first", "second", "third"};
	pid_t pid[3];
	size_t n = 0, of[3] = {0};
	for (int i = 0; i < 3; i++) {
		pid[i] = fork();
		if (pid[i] == 0)
			append_many(names[i]);
	}
	for (int i = 0; i < 3; i++)
		waitpid(pid[i], NULL, 0);
	struct str rest = fs_read(&s->a, "log"), line;
	for (; str_line(&rest, &line); n++) {
		struct event e;
		assert_true(event_parse(&s->a, line, &e));
		for (int i = 0; i < 3; i++)
			of[i] += str_is(e.name, names[i]);
	}
	assert_int_equal(n, 600);
	for (int i = 0; i < 3; i++)
		assert_int_equal(of[i], 200);
}

static void
a_log_that_cannot_be_written_is_let_go(void **state)
{
	event_append("/dev/full", &(struct event){.node = STR_LIT("gate")});
	event_append("/proc/no/such", &(struct event){.node = STR_LIT("gate")});
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(reads_back_what_it_wrote),
		scratch_test(details_are_cut),
		scratch_test(missing_members_are_empty),
		scratch_test(torn_and_foreign_lines_are_no_events),
		scratch_test(no_event_is_no_message),
		scratch_test(processes_do_not_mix_their_lines),
		scratch_test(a_log_that_cannot_be_written_is_let_go),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
