#include "captured.h"

#include "format/expr.h"

/* Two names: B = 64, V = 'tree'; device.sms = 132. */
static bool
lookup(void *env, struct str name, struct value *out)
{
	(void)env;
	if (str_is(name, "B"))
		*out = (struct value){.kind = VALUE_INT, .i = 64};
	else if (str_is(name, "V"))
		*out = (struct value){.kind = VALUE_STRING, .s = STR_LIT("tree")};
	else if (str_is(name, "device.sms"))
		*out = (struct value){.kind = VALUE_INT, .i = 132};
	else
		return false;
	return true;
}

static struct expr *
parse(struct captured *c, const char *text)
{
	struct source *src = captured_source(c, text);
	return expr_parse(&c->a, src->text, (struct place){src, 1, 1}, &c->d);
}

static void
evaluates(void **state)
{
	static const struct {
		const char *text, *value;
	} cases[] = {
		{"1 + 2 * 3", "7"},
		{"(1 + 2) * 3", "9"},
		{"2 ** 3 ** 2", "512"},
		{"-2 ** 2", "-4"},
		{"2 ** -1", "0.5"},
		{"-7 // 2", "-4"},
		{"7 // -2", "-4"},
		{"-7 % 2", "1"},
		{"7 % -2", "-1"},
		{"7 / 2", "3.5"},
		{"8 / 2", "4"},
		{"7.5 // 2", "3.0"},
		{"-7.5 % 2", "0.5"},
		{"0.1 * 1", "0.1"},
		{"0x10", "16"},
		{"1e3", "1000.0"},
		{"9223372036854775807", "9223372036854775807"},
		{"1 < 2 < 3", "true"},
		{"1 < 3 < 2", "false"},
		{"1 == 1.0 == true", "true"},
		{"9007199254740993 == 9007199254740992.0", "false"},
		{"9223372036854775807 < 9223372036854775808.0", "true"},
		{"'a' < 'b'", "true"},
		{"'1' == 1", "false"},
		{"V == \"tree\"", "true"},
		{"V in ('shuffle', 'tree')", "true"},
		{"B not in [32, 64,]", "false"},
		{"B in (64)", "true"},
		{"B in ()", "false"},
		{"not B == 64", "false"},
		{"not not 3", "true"},
		{"0 or 5", "5"},
		{"0 and 1 // 0", "0"},
		{"1 or 1 // 0", "1"},
		{"1 if B > 32 else 1 // 0", "1"},
		{"1 if 0 else 2 if 0 else 3", "3"},
		{"true + true", "2"},
		{"min(3, 1, 2)", "1"},
		{"max(1, 2.5, 2, 2, 2, 2)", "2.5"},
		{"max('a', 'b')", "b"},
		{"abs(-3)", "3"},
		{"abs(-0.5)", "0.5"},
		{"ceil_div(7, 2)", "4"},
		{"ceil_div(-7, 2)", "-3"},
		{"ceil_div(8, 2)", "4"},
		{"ceil_div(1.5, 0.5)", "3"},
		{"pow2(10)", "1024"},
		{"log2(1024)", "10"},
		{"log2(0.5)", "-1.0"},
		{"floor(-0.5)", "-1"},
		{"ceil(0.5)", "1"},
		{"round(2.5)", "2"},
		{"gcd(12, -18)", "6"},
		{"lcm(4, 6)", "12"},
		{"lcm(0, 0)", "0"},
		{"device.sms * 2", "264"},
		{"  B\t*\n2 ", "128"},
	};
	struct captured *c = *state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct expr *e = parse(c, cases[i].text);
		struct value v;
		struct str why = {0};
		if (!e)
			fail_msg("%s: %s", cases[i].text, captured_take(c));
		if (!expr_eval(&c->a, e, lookup, NULL, &v, &why))
			fail_msg("%s: %.*s", cases[i].text, STR_ARG(why));
		struct str text = value_text(&c->a, v);
		if (!str_is(text, cases[i].value))
			fail_msg("%s is %.*s, not %s", cases[i].text, STR_ARG(text),
				cases[i].value);
	}
}

static void
evaluation_fails_with_a_reason(void **state)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{"1 // 0", "division by zero"},
		{"1 % 0.0", "division by zero"},
		{"0 ** -1", "division by zero"},
		{"9223372036854775807 + 1", "integer overflow"},
		{"(-9223372036854775807 - 1) // -1", "integer overflow"},
		{"2 ** 63", "integer overflow"},
		{"10.0 ** 400", "the result is not a finite number"},
		{"(-1) ** 0.5", "the result is not a finite number"},
		{"V + 1", "the string 'tree' has no arithmetic"},
		{"V < 1", "cannot compare a string with a number"},
		{"max(V, 1)", "cannot compare a string with a number"},
		{"log2(0)", "log2() of a number that is not positive"},
		{"abs(V)", "a function of numbers was given a string"},
		{"floor(1e19)", "integer overflow"},
		{"gcd(1.5, 2)", "gcd() and lcm() take integers"},
		{"TILE * 2", "unknown name 'TILE'"},
	};
	struct captured *c = *state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct expr *e = parse(c, cases[i].text);
		struct value v;
		struct str why = {0};
		assert_non_null(e);
		assert_false(expr_eval(&c->a, e, lookup, NULL, &v, &why));
		if (!str_is(why, cases[i].why))
			fail_msg("%s: %.*s", cases[i].text, STR_ARG(why));
	}
}

static void
says_what_is_wrong(void **state)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{"", "t.json:1:1: error: the expression is empty"},
		{"1 +", "t.json:1:4: error: the expression ends too early"},
		{"B % 32 = 0", "t.json:1:8: error: unexpected '=': use '==' to compare"},
		{"A && B", "use 'and'"},
		{"A || B", "use 'or'"},
		{"!A", "use 'not'"},
		{"A ? 1 : 2", "use 'a if condition else b'"},
		{"2 ^ 3", "use '**'"},
		{"1 2", "t.json:1:3: error: unexpected '2'"},
		{"(1", "a ')' is missing here"},
		{"(1, 2)", "a list belongs after 'in' only"},
		{"1)", "t.json:1:2: error: unexpected ')'"},
		{"cdiv(n, 2)", "unknown function 'cdiv'"},
		{"ceildiv(n, 2)",
			"unknown function 'ceildiv' (did you mean 'ceil_div'?)"},
		{"ceil_div(n)", "ceil_div() takes 2 arguments, not 1"},
		{"min()", "min() takes at least 1 argument, not 0"},
		{"max(1 2)", "a ',' or ')' is missing here"},
		{"B in 3", "'in' takes a list"},
		{"B in (1) == true", "'in' does not chain"},
		{"B not 3", "'in' is missing after 'not'"},
		{"1 if 2", "'else' is missing after 'if'"},
		{"and", "a value is missing before 'and'"},
		{"* 2", "a value is missing before '*'"},
		{"'abc", "this string is never closed"},
		{"4K", "'4K' is no number of 64 bits"},
		{"9223372036854775808", "is no number of 64 bits"},
		{"1.2.3", "is no number of 64 bits"},
		{"a\x01", "unexpected character"},
		{"\xc3\xa9", "unexpected character"},
	};
	struct captured *c = *state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_null(parse(c, cases[i].text));
		assert_int_equal(c->d.errors, 1);
		assert_says(c, cases[i].says);
	}
}

static void
lists_its_names(void **state)
{
	struct captured *c = *state;
	const struct str *names;
	struct expr *e = parse(c, "TILE % B == 0 and min(TILE, device.max_shared) > n");
	assert_int_equal(expr_names(e, &names), 4);
	assert_true(str_is(names[0], "TILE"));
	assert_true(str_is(names[1], "B"));
	assert_true(str_is(names[2], "device.max_shared"));
	assert_true(str_is(names[3], "n"));
	assert_int_equal(expr_name_place(e, 2).col, 29);
}

/* Columns are those of the file, also behind the escapes of a JSON string. */
static void
finds_columns_behind_escapes(void **state)
{
	struct captured *c = *state;
	struct source *src = captured_source(c, "[\"V == \\\"a\\u0062\\\" and x\"]");
	struct expr *e = expr_parse(
		&c->a, STR_LIT("V == \"ab\" and x"), (struct place){src, 1, 3}, &c->d);
	assert_non_null(e);
	assert_int_equal(expr_name_place(e, 0).col, 3);
	assert_int_equal(expr_name_place(e, 1).col, 24);
}

static void
refuses_what_is_too_deep_or_long(void **state)
{
	struct captured *c = *state;
	static const char *const heads[] = {
		"(", "-", "not ", "abs(", "1 if 1 else ", "2 ** "};
	for (size_t h = 0; h < sizeof heads / sizeof *heads; h++) {
		struct buf b = {.a = &c->a};
		for (int i = 0; i < 300; i++)
			buf_adds(&b, heads[h]);
		assert_null(parse(c, buf_c(&b)));
		assert_says(c, "nested too deeply");
	}
	struct buf b = {.a = &c->a};
	for (int i = 0; i < 2047; i++)
		buf_adds(&b, "1+");
	buf_adds(&b, "1");
	struct value v;
	struct str why;
	assert_true(expr_eval(&c->a, parse(c, buf_c(&b)), NULL, NULL, &v, &why));
	assert_int_equal(v.i, 2048);
	buf_adds(&b, "+1");
	assert_null(parse(c, buf_c(&b)));
	assert_says(c, "too long");
}

static void
integers_need_no_text(void **state)
{
	struct captured *c = *state;
	struct expr *e = expr_int(&c->a, -5, (struct place){0});
	struct value v;
	struct str why;
	assert_true(str_is(expr_text(e), "-5"));
	assert_true(expr_eval(&c->a, e, NULL, NULL, &v, &why));
	assert_int_equal(v.i, -5);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		captured_test(evaluates),
		captured_test(evaluation_fails_with_a_reason),
		captured_test(says_what_is_wrong),
		captured_test(lists_its_names),
		captured_test(finds_columns_behind_escapes),
		captured_test(refuses_what_is_too_deep_or_long),
		captured_test(integers_need_no_text),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
