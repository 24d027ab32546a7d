#include "captured.h"
#include "scratch.h"

#include <sys/socket.h>

static void
places_are_lines_and_columns(void **state)
{
	const struct source src = {"f", STR_LIT("ab\n\ncd\r\nlast")};
	static const struct {
		size_t offset;
		unsigned line, col;
	} cases[] = {{0, 1, 1}, {1, 1, 2}, {2, 1, 3}, {3, 2, 1}, {4, 3, 1}, {8, 4, 1},
		{12, 4, 5}, {9999, 4, 5}};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct place at = source_place(&src, cases[i].offset);
		assert_int_equal(at.line, cases[i].line);
		assert_int_equal(at.col, cases[i].col);
	}
	assert_true(str_is(source_line(&src, 1), "ab"));
	assert_true(str_is(source_line(&src, 2), ""));
	assert_true(str_is(source_line(&src, 3), "cd"));
	assert_true(str_is(source_line(&src, 4), "last"));
	assert_int_equal(source_line(&src, 5).n, 0);
	assert_int_equal(source_line(&src, 0).n, 0);
}

static void
errors_show_the_line(void **state)
{
	struct captured *c = *state;
	const struct source src = {"lanewise.json", STR_LIT("{\n\t\"tyle\": 32,\n}\n")};
	diag_error(&c->d, (struct place){&src, 2, 2}, "unknown key '%s'", "tyle");
	assert_int_equal(c->d.errors, 1);
	assert_string_equal(captured_take(c),
		"lanewise.json:2:2: error: unknown key 'tyle'\n"
		"    2 | \t\"tyle\": 32,\n"
		"      | \t^\n");
	diag_warn(&c->d, (struct place){&src, 0, 0}, "w");
	diag_note(&c->d, (struct place){0}, "n");
	assert_int_equal(c->d.errors, 0);
	assert_string_equal(
		captured_take(c), "lanewise.json: warning: w\nlanewise: note: n\n");
}

static void
foreign_bytes_do_not_reach_the_terminal(void **state)
{
	struct captured *c = *state;
	const struct source src = {"::f\n", STR_LIT("a\t\x1b[31mb\x07\r\n")};
	diag_error(&c->d, (struct place){&src, 1, 4}, "e");
	/* The mark stands below the byte, however wide those before it became. */
	assert_string_equal(captured_take(c), "\\x3a:f\\n:1:4: error: e\n"
					      "    1 | a\t\\x1b[31mb\\x07\n"
					      "      |  \t    ^\n");
}

static void
quoted_texts_are_shown_short_and_plain(void **state)
{
	struct captured *c = *state;
	char *text = arena_alloc(&c->a, 300001);
	const char *said;

	diag_error(&c->d, (struct place){0}, "no '%s'", "a\x1b[2J\tb\x7f\nc");
	assert_string_equal(
		captured_take(c), "lanewise: error: no 'a\\x1b[2J\\tb\\x7f\\nc'\n");
	/* Two bytes each: neither side ends within one. */
	for (size_t i = 0; i < 300000; i += 2)
		memcpy(text + i, "\xc3\xa9", 2);
	text[300000] = 0;
	diag_error(&c->d, (struct place){0}, "not '%s', but 'xyz'", text);
	said = captured_take(c);
	assert_in_range(strlen(said), 1000, MESSAGE_MAX + 100);
	assert_contains(said, "error: not '\xc3\xa9");
	assert_contains(said, "\xc3\xa9...\xc3\xa9");
	assert_contains(said, "\xc3\xa9', but 'xyz'\n");
}

static void
places_past_the_text_are_harmless(void **state)
{
	struct captured *c = *state;
	char *wide = arena_alloc(&c->a, 100001);
	memset(wide, 'w', 100000);
	const struct source src = {"f", {wide, 100000}};
	diag_error(&c->d, (struct place){&src, 1, 150}, "e");
	assert_true(strlen(captured_take(c)) < 500); /* the excerpt is cut */
	diag_error(&c->d, (struct place){&src, 1, 99999}, "e");
	assert_string_equal(captured_take(c), "f:1:99999: error: e\n");
	diag_error(&c->d, (struct place){&src, 77, 1}, "e");
	assert_string_equal(captured_take(c), "f:77:1: error: e\n");
}

static void
a_flood_is_cut_but_counted(void **state)
{
	struct captured *c = *state;
	c->d.limit = 3;
	for (int i = 0; i < 10; i++)
		diag_error(&c->d, (struct place){0}, "e%d", i);
	assert_int_equal(c->d.errors, 10);
	assert_string_equal(captured_take(c),
		"lanewise: error: e0\nlanewise: error: e1\nlanewise: error: e2\n"
		"(more errors are not shown)\n");
}

static void
say_and_die(void *arg)
{
	printf("first\n");
	warn("careful with '%s'", "x");
	die("cannot %s", "go on");
}

static void
find_a_bug(void *arg)
{
	BUG("impossible: %d", 7);
}

static void
ends_as_it_says(void **state)
{
	struct ended e = scratch_run(*state, say_and_die, NULL);
	assert_int_equal(e.status, EXIT_TROUBLE);
	assert_string_equal(e.out, "first\n");
	assert_string_equal(e.err,
		"lanewise: warning: careful with 'x'\nlanewise: error: cannot go on\n");
	e = scratch_run(*state, find_a_bug, NULL);
	assert_int_equal(e.signal, SIGABRT);
	assert_contains(e.err, "bug: impossible: 7");
	assert_contains(e.err, "test_diag.c:");
}

/* Each write to this socket is read alone. */
static void
a_message_is_one_write(void **state)
{
	int end[2], kept = dup(2);
	char text[64];

	assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM, 0, end), 0);
	dup2(end[1], 2);
	warn("no use of '%s': %s", "x", "it is a link");
	dup2(kept, 2);
	ssize_t n = read(end[0], text, sizeof text);
	assert_true(str_is((struct str){text, (size_t)n},
		"lanewise: warning: no use of 'x': it is a link\n"));
	close(end[0]);
	close(end[1]);
	close(kept);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(places_are_lines_and_columns),
		captured_test(errors_show_the_line),
		captured_test(foreign_bytes_do_not_reach_the_terminal),
		captured_test(quoted_texts_are_shown_short_and_plain),
		captured_test(places_past_the_text_are_harmless),
		captured_test(a_flood_is_cut_but_counted),
		scratch_test(ends_as_it_says),
		cmocka_unit_test(a_message_is_one_write),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
