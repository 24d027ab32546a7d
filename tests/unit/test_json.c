#include "captured.h"

#include "format/json.h"

#include <math.h>

static const struct json *
parse(struct captured *c, const char *text)
{
	return json_parse(&c->a, captured_source(c, text), &c->d);
}

static void
reads_every_kind(void **state)
{
	struct captured *c = *state;
	const struct json *v =
		parse(c, "// head\n{\"a\": [1, -2.5e3, true, false, null, "
			 "\"x\\n\\u00e9\\ud83d\\ude00\"], /* b\n */ \"o\": {}}\n");
	assert_non_null(v);
	assert_int_equal(v->kind, JSON_OBJECT);
	assert_int_equal(v->n, 2);
	const struct json *e = json_get(v, "a")->child;
	assert_int_equal(json_get(v, "a")->n, 6);
	assert_true(e->number == 1);
	assert_true((e = e->next)->number == -2500);
	assert_true((e = e->next)->boolean);
	assert_int_equal((e = e->next)->kind, JSON_BOOL);
	assert_false(e->boolean);
	assert_int_equal((e = e->next)->kind, JSON_NULL);
	assert_string_equal((e = e->next)->string.s, "x\n\xc3\xa9\xf0\x9f\x98\x80");
	const struct json *o = json_get(v, "o");
	assert_int_equal(o->kind, JSON_OBJECT);
	assert_ptr_equal(o->parent, v);
	assert_int_equal(json_key_place(o).line, 3);
	assert_int_equal(json_key_place(o).col, 5);
	assert_int_equal(json_place(o).col, 10);
	assert_string_equal(captured_take(c), "");
}

static void
decodes_escaped_keys(void **state)
{
	struct captured *c = *state;
	const struct json *v = parse(c, "{\"a\\u0062\": 1, \"// no\": \"/* no */\"}");
	assert_non_null(json_get(v, "ab"));
	assert_true(str_is(json_get_str(v, "// no"), "/* no */"));
}

static void
typed_members_have_defaults(void **state)
{
	struct captured *c = *state;
	const struct json *v =
		parse(c, "{\"i\": 7, \"f\": 0.5, \"b\": true, \"s\": \"t\"}");
	assert_int_equal(json_get_i64(v, "i", -1), 7);
	assert_int_equal(json_get_i64(v, "f", -1), -1);
	assert_int_equal(json_get_i64(v, "none", -1), -1);
	assert_true(json_get_f64(v, "f", 0) == 0.5);
	assert_true(json_get_bool(v, "b", false));
	assert_true(json_get_bool(v, "i", true));
	assert_true(str_is(json_get_str(v, "s"), "t"));
	assert_int_equal(json_get_str(v, "i").n, 0);
	assert_null(json_get(NULL, "i"));
	int64_t i;
	const struct json *big =
		parse(c, "[1e300, 9223372036854775808, -9223372036854775808]");
	assert_false(json_is_i64(big->child, &i));
	assert_false(json_is_i64(big->child->next, &i));
	assert_true(json_is_i64(big->child->next->next, &i));
	assert_true(i == INT64_MIN);
}

static void
says_what_is_wrong(void **state)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{"", "t.json: error: the file is empty"},
		{" // only\n", "the file is empty"},
		{"{\"a\": 1,}",
			"t.json:1:8: error: trailing comma: remove it before '}'"},
		{"[1,\n2,\n]", "t.json:2:2: error: trailing comma"},
		{"[1,,2]", "t.json:1:4: error: a value is missing before this ','"},
		{"{\"a\":}", "t.json:1:6: error: a value is missing before this '}'"},
		{"{\"a\": 1 \"b\": 2}", "t.json:1:9: error: a ',' is missing"},
		{"{\"a\" 1}", "t.json:1:6: error: a ':' is missing"},
		{"{a: 1}", "t.json:1:2: error: a key in double quotes"},
		{"[True]", "unknown word 'True' (did you mean 'true'?)"},
		{"['x']", "strings take double quotes"},
		{"{\"a\": 1} x", "t.json:1:10: error: the text goes on after its end"},
		{"[1] [2]", "t.json:1:5: error:"},
		{"[1", "t.json:1:1: error: this '[' is never closed"},
		{"[1}", "t.json:1:3: error: '}' closes a '['"},
		{"]", "t.json:1:1: error: this bracket closes nothing"},
		{"[\"abc", "t.json:1:2: error: this string is never closed"},
		{"[\"a\nb\"]", "t.json:1:2: error: this string is never closed"},
		{"[\"a\\q\"]", "t.json:1:4: error: bad escape"},
		{"[\"\\u12g4\"]", "four hex digits"},
		{"[\"\\u0000\"]", "may not hold a NUL"},
		{"[\"\\udc00\"]", "surrogate"},
		{"[\"\xff\"]", "t.json:1:3: error: not UTF-8"},
		{"[\"\xed\xa0\x80\"]", "not UTF-8"},
		{"[\"\xc0\x80\"]", "not UTF-8"},
		{"[01]", "may not start with 0"},
		{"[1.]", "a digit is missing after '.'"},
		{"[1e]", "a digit is missing in the exponent"},
		{"[-]", "a digit is missing after '-'"},
		{"[+1]", "t.json:1:2: error: unexpected '+'"},
		{"[.5]", "unexpected '.'"},
		{"[1e999]", "this number is too large"},
		{"[-12.5E+999]", "this number is too large"},
		{"[NaN]", "unknown word 'NaN'"},
		{"[1] /* x", "t.json:1:5: error: this comment is never closed"},
		{"[1] / 2", "comments start with // or /*"},
		{"[\x01]", "control character"},
		{"\x7f"
		 "ELF",
			"unexpected character"},
		{"{\"a\": 1,\n \"a\": 2}", "t.json:2:2: error: duplicate key 'a'"},
	};
	struct captured *c = *state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_null(parse(c, cases[i].text));
		assert_says(c, cases[i].says);
	}
}

static void
finds_a_duplicate_in_a_large_object(void **state)
{
	struct captured *c = *state;
	struct buf b = {.a = &c->a};
	for (int i = 0; i < 1000; i++)
		buf_addf(&b, "%s\"k%d\": 0", i ? ",\n" : "{", i);
	assert_non_null(parse(c, str_c(&c->a, str_fmt(&c->a, "%s}", buf_c(&b)))));
	assert_null(
		parse(c, str_c(&c->a, str_fmt(&c->a, "%s,\n\"k500\": 1}", buf_c(&b)))));
	assert_says(c, "t.json:1001:1: error: duplicate key 'k500'");
}

static void
refuses_deep_nesting(void **state)
{
	struct captured *c = *state;
	struct buf b = {.a = &c->a};
	buf_pad(&b, '[', 200);
	buf_pad(&b, ']', 200);
	assert_non_null(parse(c, buf_c(&b)));
	b.n = 0;
	buf_pad(&b, '[', 201);
	assert_null(parse(c, buf_c(&b)));
	assert_says(c, "t.json:1:201: error: nested too deeply");
}

static void
writes_and_reads_back(void **state)
{
	struct captured *c = *state;
	struct json_out o = {.b = {.a = &c->a}};
	json_open_object(&o, NULL);
	json_put_i64(&o, "i", INT64_MIN);
	json_put_f64(&o, "tenth", 0.1);
	json_put_f64(&o, "nan", (double)NAN);
	json_put_real(&o, "whole", 2);
	json_open_array(&o, "flat", true);
	json_put_bool(&o, NULL, true);
	json_open_object(&o, NULL);
	json_put_c(&o, "k", NULL);
	json_put_f64(&o, "x", 5);
	json_close_object(&o);
	json_close_array(&o);
	json_open_array(&o, "tall", false);
	json_put_str(&o, NULL, str_of("a\"\\\n\x01\xff\xc3\xa9"));
	json_open_object(&o, NULL);
	json_close_object(&o);
	json_close_array(&o);
	json_close_object(&o);
	struct str text = json_done(&o);
	const char *expected =
		"{\n  \"i\": -9223372036854775808,\n  \"tenth\": 0.1,\n"
		"  \"nan\": null,\n  \"whole\": 2.0,\n  \"flat\": [true, {\"k\": null, "
		"\"x\": 5}],\n"
		"  \"tall\": [\n    \"a\\\"\\\\\\n\\u0001\xef\xbf\xbd\xc3\xa9\",\n"
		"    {}\n  ]\n}\n";
	assert_string_equal(text.s, expected);
	assert_non_null(parse(c, text.s));
}

static void
strings_are_whole_whatever_follows(void **state)
{
	struct captured *c = *state;
	const struct json *v =
		parse(c, "{\"a\":\"x\",\"b\":[\"\",\"y "
			 "z\",\"q\\\"\\u00e9\",1.5,\"}\"],\"\\u0063\":\"d\"}");
	assert_non_null(v);
	assert_string_equal(json_get_str(v, "a").s, "x");
	assert_string_equal(json_get_str(v, "c").s, "d");
	static const char *const want[] = {"", "y z", "q\"\xc3\xa9", NULL, "}"};
	size_t i = 0;
	json_each(e, json_get(v, "b"))
	{
		if (want[i])
			assert_string_equal(e->string.s, want[i]);
		else
			assert_true(e->number == 1.5 && e->real);
		i++;
	}
	assert_int_equal(i, 5);
}

static void
numbers_are_as_short_as_they_can_be(void **state)
{
	static const struct {
		double v;
		const char *text;
	} cases[] = {{0, "0"}, {-0.0, "-0"}, {-5, "-5"}, {1048576, "1048576"},
		{999999999999999, "999999999999999"}, {1e15, "1e+15"}, {-1e15, "-1e+15"},
		{9007199254740992, "9007199254740992"}, {1e300, "1e+300"}, {0.1, "0.1"},
		{812.5, "812.5"}};
	struct captured *c = *state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct json_out o = {.b = {.a = &c->a}, .compact = true};
		json_put_f64(&o, NULL, cases[i].v);
		assert_string_equal(
			json_done(&o).s, str_fmt(&c->a, "%s\n", cases[i].text).s);
	}
}

static void
writes_one_line(void **state)
{
	struct captured *c = *state;
	struct json_out o = {.b = {.a = &c->a}, .compact = true};
	json_open_object(&o, NULL);
	json_open_array(&o, "a", false);
	json_put_i64(&o, NULL, 1);
	json_put_i64(&o, NULL, 2);
	json_close_array(&o);
	json_put_c(&o, "b", "x");
	json_close_object(&o);
	assert_string_equal(json_done(&o).s, "{\"a\": [1, 2], \"b\": \"x\"}\n");
}

static void
doubles_round_trip(void **state)
{
	struct captured *c = *state;
	static const double v[] = {
		0.1, 1.0 / 3, 1e300, 5e-324, 123456789.123456789, -0.0, 1e22};
	for (size_t i = 0; i < sizeof v / sizeof *v; i++) {
		struct json_out o = {.b = {.a = &c->a}};
		json_put_f64(&o, NULL, v[i]);
		assert_true(parse(c, json_done(&o).s)->number == v[i]);
	}
}

static void
reports_an_unreadable_file(void **state)
{
	struct captured *c = *state;
	assert_null(json_parse_file(&c->a, "/nonexistent/x.json", &c->d));
	assert_says(c, "/nonexistent/x.json: error: cannot read");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		captured_test(reads_every_kind),
		captured_test(decodes_escaped_keys),
		captured_test(typed_members_have_defaults),
		captured_test(says_what_is_wrong),
		captured_test(finds_a_duplicate_in_a_large_object),
		captured_test(refuses_deep_nesting),
		captured_test(writes_and_reads_back),
		captured_test(strings_are_whole_whatever_follows),
		captured_test(numbers_are_as_short_as_they_can_be),
		captured_test(writes_one_line),
		captured_test(doubles_round_trip),
		captured_test(reports_an_unreadable_file),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
