#include "scratch.h"

#include "report/escape.h"

static void
assert_escaped(void **state, void (*escape)(struct buf *, struct str), struct str in,
	const char *out)
{
	struct scratch *s = *state;
	struct buf b = {.a = &s->a};

	escape(&b, in);
	assert_string_equal(buf_c(&b), out);
}

static void
xml(void **state)
{
	assert_escaped(
		state, xml_text, STR_LIT("a<b>&\"c'"), "a&#60;b&#62;&#38;&#34;c&#39;");
	assert_escaped(state, xml_text, STR_LIT("]]>"), "]]&#62;");
	assert_escaped(state, xml_text, STR_LIT("a\n\tb\r"), "a\n\tb&#13;");
	assert_escaped(state, xml_attribute, STR_LIT("a\n\tb"), "a&#10;&#9;b");
	/* No XML document may hold these. */
	assert_escaped(state, xml_text, STR_LIT("\033[1m\001\000\177"),
		"\357\277\275[1m\357\277\275\357\277\275\357\277\275");
	assert_escaped(state, xml_text, STR_LIT("\377\303"), "\357\277\275\357\277\275");
	assert_escaped(state, xml_text, STR_LIT("\357\277\276"), "\357\277\275");
	assert_escaped(state, xml_text, STR_LIT("\303\251\360\237\230\200"),
		"\303\251\360\237\230\200");
}

static void
markdown(void **state)
{
	assert_escaped(state, markdown_text, STR_LIT("a *b* [c](d) <e> | f\ng @h #1"),
		"a &#42;b&#42; &#91;c&#93;(d) &#60;e&#62; &#124; f g &#64;h &#35;1");
	assert_escaped(state, markdown_text, STR_LIT("http://x www.y"),
		"http&#58;//x www&#46;y");
	assert_escaped(state, markdown_code, STR_LIT("BLOCK=32,TILE=<4>"),
		"`BLOCK=32,TILE=<4>`");
	assert_escaped(state, markdown_code, STR_LIT("a|b"), "<code>a&#124;b</code>");
	assert_escaped(state, markdown_code, STR_LIT("`</code>"),
		"<code>&#96;&#60;/code&#62;</code>");
	assert_escaped(state, markdown_code, STR_LIT("a\nb"), "<code>a b</code>");
	assert_escaped(state, markdown_code, (struct str){0}, "<code></code>");
	assert_escaped(state, markdown_block, STR_LIT("x\n```\n\033"),
		"````text\nx\n```\n\357\277\275\n````\n");
}

static void
workflow(void **state)
{
	assert_escaped(state, workflow_message, STR_LIT("100%\n::error::x\r"),
		"100%25%0A::error::x%0D");
	assert_escaped(state, workflow_property, STR_LIT("a:b,c%\n"), "a%3Ab%2Cc%25%0A");
	assert_escaped(state, workflow_message, STR_LIT("\033]0;x\a"),
		"\357\277\275]0;x\357\277\275");
	/* Already escaped text is text. */
	assert_escaped(state, workflow_message, STR_LIT("%0A"), "%250A");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(xml),
		scratch_test(markdown),
		scratch_test(workflow),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
