#include "scratch.h"

#include "base/rng.h"
#include "base/str.h"

#define S STR_LIT

static void
compares_as_bytes(void **state)
{
	assert_true(str_cmp(S("a"), S("b")) < 0);
	assert_true(str_cmp(S("\xff"), S("a")) > 0);
	assert_true(str_cmp(S("ab"), S("a")) > 0);
	assert_true(str_cmp(S("a"), S("ab")) < 0);
	assert_int_equal(str_cmp((struct str){0}, S("")), 0);
	assert_true(str_cmp(S("a\0b"), S("a\0c")) < 0);
	assert_true(str_eq((struct str){0}, S("")));
	assert_false(str_eq(S("a\0b"), S("a\0c")));
	assert_int_equal(str_of(NULL).n, 0);
}

static void
finds_parts(void **state)
{
	assert_true(str_starts(S("abc"), "ab"));
	assert_false(str_starts(S("a"), "ab"));
	assert_true(str_starts((struct str){0}, ""));
	assert_true(str_ends(S("x.ptx"), ".ptx"));
	assert_false(str_ends(S("ptx"), ".ptx"));
	assert_int_equal(str_find(S("a=b=c"), '='), 1);
	assert_int_equal(str_find(S("abc"), '='), 3);
	assert_int_equal(str_find((struct str){0}, '='), 0);
	assert_true(str_has(S("abc"), S("bc")));
	assert_true(str_has(S("abc"), S("")));
	assert_false(str_has(S("abc"), S("abcd")));
	assert_true(str_has(S("aab"), S("ab")));
	assert_int_equal(str_find_text(S("aabab"), S("ab")), 1);
	assert_int_equal(str_find_text(S("aab"), S("ba")), 3);
	assert_int_equal(str_find_text(S("a"), S("ab")), 1);
	assert_int_equal(str_find_text(S("ab"), S("")), 0);
}

static void
cuts_within_bounds(void **state)
{
	assert_true(str_is(str_sub(S("abcd"), 1, 3), "bc"));
	assert_true(str_is(str_sub(S("abcd"), 2, 99), "cd"));
	assert_true(str_is(str_sub(S("abcd"), 99, 100), ""));
	assert_true(str_is(str_sub(S("abcd"), 3, 1), ""));
	assert_true(str_is(str_trim(S(" \t a b\r\n")), "a b"));
	assert_true(str_is(str_trim(S(" \n ")), ""));
	assert_true(str_is(str_after_bom(S("\xef\xbb\xbf"
					   "a")),
		"a"));
	assert_true(str_is(str_after_bom(S("\xef\xbb")), "\xef\xbb"));
}

static void
knows_identifiers(void **state)
{
	assert_int_equal(str_identifier_length(S("_a9 b")), 3);
	assert_int_equal(str_identifier_length(S("9a")), 0);
	assert_int_equal(str_identifier_length((struct str){0}), 0);
	assert_true(str_is_identifier(S("A_1")));
	assert_false(str_is_identifier(S("a-b")));
	assert_false(str_is_identifier(S("1a")));
	assert_false(str_is_identifier(S("\xc3\xa4")));
	assert_false(str_is_identifier((struct str){0}));
}

static void
sees_control_characters(void **state)
{
	assert_true(str_has_control(S("a\nb")));
	assert_true(str_has_control(S("\x7f")));
	assert_true(str_has_control(S("a\0")));
	assert_false(str_has_control(S("a b\xc3\xa4")));
	assert_false(str_has_control((struct str){0}));
}

static void
splits_without_a_final_empty_piece(void **state)
{
	static const struct {
		const char *text, *pieces;
	} cases[] = {{"", ""}, {"a", "[a]"}, {"a,b", "[a][b]"}, {",a", "[][a]"},
		{"a,", "[a]"}, {"a,,b,,", "[a][][b][]"}, {",", "[]"}};
	struct arena a = {0};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct str rest = str_of(cases[i].text), piece;
		struct buf b = {.a = &a};
		while (str_split(&rest, ',', &piece))
			buf_addf(&b, "[%.*s]", STR_ARG(piece));
		assert_string_equal(buf_c(&b), cases[i].pieces);
	}
	arena_release(&a);
}

static void
lines_end_in_any_way(void **state)
{
	struct str rest = S("one\r\n\ntwo\r\r\nlast"), line;
	const char *const want[] = {"one", "", "two\r", "last"};
	for (size_t i = 0; i < 4; i++) {
		assert_true(str_line(&rest, &line));
		assert_true(str_is(line, want[i]));
	}
	assert_false(str_line(&rest, &line));
}

static void
reads_whole_numbers_only(void **state)
{
	static const struct {
		const char *s;
		bool u, i;
		uint64_t uv;
		int64_t iv;
	} cases[] = {
		{"0", true, true, 0, 0},
		{"007", true, true, 7, 7},
		{"0x1F", true, true, 31, 31},
		{"18446744073709551615", true, false, UINT64_MAX, 0},
		{"18446744073709551616", false, false, 0, 0},
		{"0xffffffffffffffff", true, false, UINT64_MAX, 0},
		{"0x10000000000000000", false, false, 0, 0},
		{"9223372036854775807", true, true, INT64_MAX, INT64_MAX},
		{"9223372036854775808", true, false, 1ull << 63, 0},
		{"-9223372036854775808", false, true, 0, INT64_MIN},
		{"-9223372036854775809", false, false, 0, 0},
		{"+5", false, true, 0, 5},
		{"-0x10", false, true, 0, -16},
		{"", false, false, 0, 0},
		{"-", false, false, 0, 0},
		{"0x", false, false, 0, 0},
		{"+-5", false, false, 0, 0},
		{" 1", false, false, 0, 0},
		{"1 ", false, false, 0, 0},
		{"1e3", false, false, 0, 0},
		{"12a", false, false, 0, 0},
		{"0b1", false, false, 0, 0},
	};
	for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
		uint64_t u = 99;
		int64_t i = 99;
		if (str_to_u64(str_of(cases[c].s), &u) != cases[c].u)
			fail_msg("u64 of '%s'", cases[c].s);
		if (str_to_i64(str_of(cases[c].s), &i) != cases[c].i)
			fail_msg("i64 of '%s'", cases[c].s);
		assert_true(u == (cases[c].u ? cases[c].uv : 99));
		assert_true(i == (cases[c].i ? cases[c].iv : 99));
	}
	uint64_t u;
	assert_false(str_to_u64(S("1\0"), &u));
}

static void
reads_finite_reals_only(void **state)
{
	double f;
	assert_true(str_to_f64(S("-2.5e3"), &f) && f == -2500);
	assert_true(str_to_f64(str_sub(S("1.59"), 0, 3), &f) && f == 1.5);
	static const char *const bad[] = {"", " 1", "1 ", "nan", "inf", "1e999", "1.2.3",
		"--1", "e",
		"99999999999999999999999999999999999999999999999999999999999999999"};
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		if (str_to_f64(str_of(bad[i]), &f))
			fail_msg("'%s' is no number", bad[i]);
	assert_false(str_to_f64(S("1\0"), &f));
}

/* Against the definition, by recursion. */
static size_t
slow_distance(const char *a, size_t n, const char *b, size_t m)
{
	if (!n || !m)
		return n + m;
	size_t d = slow_distance(a, n - 1, b, m - 1) + (a[n - 1] != b[m - 1]);
	size_t x = slow_distance(a, n - 1, b, m) + 1,
	       y = slow_distance(a, n, b, m - 1) + 1;
	return x < d ? (x < y ? x : y) : d < y ? d : y;
}

static void
distance_is_levenshtein(void **state)
{
	struct rng r = {42};
	for (int i = 0; i < 300; i++) {
		char a[6], b[6];
		size_t n = rng_below(&r, 6), m = rng_below(&r, 6);
		for (size_t k = 0; k < 6; k++)
			a[k] = (char)('a' + rng_below(&r, 3)),
			b[k] = (char)('a' + rng_below(&r, 3));
		size_t want = slow_distance(a, n, b, m);
		assert_int_equal(
			str_distance((struct str){a, n}, (struct str){b, m}, 99), want);
		assert_int_equal(str_distance((struct str){a, n}, (struct str){b, m}, 1),
			want > 1 ? 2 : want);
	}
}

static void
suggests_what_is_near(void **state)
{
	const struct str words[] = {S("tile"), S("block"), S("unroll"), S("x")};
	assert_true(str_is(str_nearest(S("tyle"), words, 4), "tile"));
	assert_true(str_is(str_nearest(S("BLOCK"), words, 4), "block"));
	assert_true(str_is(str_nearest(S("unrol"), words, 4), "unroll"));
	assert_int_equal(str_nearest(S("pipeline"), words, 4).n, 0);
	assert_int_equal(str_nearest(S("tile"), words, 0).n, 0);
	char huge[300];
	memset(huge, 'a', sizeof huge);
	assert_int_equal(str_nearest((struct str){huge, sizeof huge}, words, 4).n, 0);
}

static void
formats_any_length(void **state)
{
	struct arena a = {0};
	char big[5000];
	memset(big, 'z', sizeof big - 1);
	big[sizeof big - 1] = 0;
	struct str s = str_fmt(&a, "<%s>%d", big, 7);
	assert_int_equal(s.n, sizeof big - 1 + 3);
	assert_true(str_ends(s, "z>7"));
	assert_string_equal(str_c(&a, S("a\0b")), "a");
	assert_true(str_eq(str_dup(&a, S("a\0b")), S("a\0b")));
	arena_release(&a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(compares_as_bytes),
		cmocka_unit_test(finds_parts),
		cmocka_unit_test(cuts_within_bounds),
		cmocka_unit_test(knows_identifiers),
		cmocka_unit_test(sees_control_characters),
		cmocka_unit_test(splits_without_a_final_empty_piece),
		cmocka_unit_test(lines_end_in_any_way),
		cmocka_unit_test(reads_whole_numbers_only),
		cmocka_unit_test(reads_finite_reals_only),
		cmocka_unit_test(distance_is_levenshtein),
		cmocka_unit_test(suggests_what_is_near),
		cmocka_unit_test(formats_any_length),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
