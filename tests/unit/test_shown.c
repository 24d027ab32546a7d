#include "base/shown.h"
#include "scratch.h"

struct shown_case {
	struct str text;
	const char *line;  /* on one line */
	const char *lines; /* NULL: the same */
};

#define TEXT(lit) \
	{ \
		"" lit, sizeof(lit) - 1 \
	}

static const struct shown_case cases[] = {
	{TEXT(""), "", NULL},
	{TEXT("plain 'text' \\x1b"), "plain 'text' \\x1b", NULL},
	{TEXT("\xc3\xa9 \xe6\xbc\xa2 \xf0\x9f\x98\x80"),
		"\xc3\xa9 \xe6\xbc\xa2 \xf0\x9f\x98\x80", NULL},
	{TEXT("a\nb\tc\r\n"), "a\\nb\\tc\\r\\n", "a\nb\tc\\r\n"},
	{TEXT("\x1b[2J\a\0\x7f"), "\\x1b[2J\\x07\\x00\\x7f", NULL},
	/* no UTF-8: a lone byte, cut, overlong, a surrogate */
	{TEXT("\xff|\xc3|\xc0\xaf|\xed\xa0\x80"),
		"\\xff|\\xc3|\\xc0\\xaf|\\xed\\xa0\\x80", NULL},
	/* a control character of two bytes; what turns the text round */
	{TEXT("\xc2\x9b|\xe2\x80\xae|\xe2\x81\xa6|\xe2\x80\xa8|\xe2\x80\xa6"),
		"\\xc2\\x9b|\\xe2\\x80\\xae|\\xe2\\x81\\xa6|\\xe2\\x80\\xa8|\xe2\x80\xa6",
		NULL},
	/* commands of CI services */
	{TEXT("::error::x"), "\\x3a:error::x", NULL},
	{TEXT(" \xc2\xa0::error::x"), " \xc2\xa0\\x3a:error::x", NULL},
	{TEXT("std::max ::error"), "std::max ::error", NULL},
	{TEXT("a\n\t ::stop"), "a\\n\\t ::stop", "a\n\t \\x3a:stop"},
	{TEXT("a ##[error] ##vso[x] ###"), "a \\x23#[error] \\x23#vso[x] ###", NULL},
};

/* What any of the four forms makes of the text. */
static const char *
printed(struct arena *a, void (*print)(FILE *, struct str), struct str s)
{
	char *text = NULL;
	size_t n = 0;
	FILE *to = open_memstream(&text, &n);

	print(to, s);
	fclose(to);
	const char *kept = str_c(a, (struct str){text, n});
	free(text);
	return kept;
}

static void
foreign_text_is_written_out(void **state)
{
	struct scratch *s = *state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct shown_case *c = &cases[i];
		const char *lines = c->lines ? c->lines : c->line;
		struct buf b = {.a = &s->a}, l = {.a = &s->a};
		shown_add(&b, c->text);
		shown_add_lines(&l, c->text);
		assert_string_equal(buf_c(&b), c->line);
		assert_string_equal(buf_c(&l), lines);
		assert_string_equal(shown_c(&s->a, c->text), c->line);
		assert_string_equal(printed(&s->a, shown_print, c->text), c->line);
		assert_string_equal(printed(&s->a, shown_print_lines, c->text), lines);
		/* twice is once */
		assert_string_equal(shown_c(&s->a, str_of(c->line)), c->line);
	}
}

static void
a_mark_stands_below(void **state)
{
	struct scratch *s = *state;

	assert_string_equal(printed(&s->a, shown_print_blank, STR_LIT("a\t\x1b\xc3\xa9")),
		" \t     ");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(foreign_text_is_written_out),
		scratch_test(a_mark_stands_below),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
