/* Files of wisdom: what is read, what is refused and where, which entry is kept. */
#include "wisdom_text.h"

#include "apply/apply.h"
#include "apply/stale.h"
#include "apply/wisdom_show.h"
#include "base/clock.h"
#include "base/rng.h"

static struct str
written(struct scratch *s, const struct entry_text *v, size_t n)
{
	struct wisdom w = wisdom_of(&s->a, v, n);

	return wisdom_write(&s->a, &w);
}

/* --- reading ---------------------------------------------------------------------- */

static void
what_is_written_is_read_back(void **state)
{
	static const struct entry_text v[] = {
		{0},
		{.size = "64M", .values = "{\"n\": 67108864}", .ns = "null"},
		{.device = "NVIDIA A100",
			.cc = "8.0",
			.kind = "estimated",
			.claim = "estimated"},
		{.kernel = "other",
			.values = "{}",
			.sources = "{}",
			.assignment = "{\"X\": 1.0, \"S\": \"a\\\"b\", \"B\": true}"},
	};
	struct scratch *s = *state;
	struct str text = written(s, v, 4);
	struct wisdom w = {.a = &s->a};
	struct diag d = {0};

	fs_write("again.json", text, NULL);
	assert_true(wisdom_read(&w, "again.json", &d));
	assert_int_equal(w.n, 4);
	assert_string_equal(str_c(&s->a, wisdom_write(&s->a, &w)), text.s);
	/* By kernel, capability, device and size. */
	assert_true(str_is(w.v[0].device, "NVIDIA A100"));
	assert_int_equal(w.v[0].cc, 80);
	assert_true(str_is(w.v[1].size, "1M"));
	assert_true(str_is(w.v[2].size, "64M"));
	assert_true(str_is(w.v[3].kernel, "other"));
	/* A real one stays one. */
	assert_non_null(strstr(text.s, "\"X\": 1.0"));
}

/* Where and why a file with one wrong entry is refused. */
static void
refused(struct scratch *s, const struct entry_text *e, const char *why)
{
	struct entry_text v[] = {{0}, *e};
	FILE *to = fopen("said", "w");
	struct diag d = {.to = to};
	struct wisdom w = {.a = &s->a};

	fs_write("bad.json", wisdom_json(&s->a, v, 2), NULL);
	assert_false(wisdom_read(&w, "bad.json", &d));
	assert_int_equal(d.errors, 1);
	fclose(to);
	if (!strstr(scratch_text(s, "said"), why) ||
		strncmp(scratch_text(s, "said"), "bad.json:", 9) != 0)
		fail_msg("expected '%s' in:\n%s", why, scratch_text(s, "said"));
}

static void
hostile_members(void **state)
{
	static const struct {
		struct entry_text e;
		const char *why;
	} cases[] = {
		{{.kernel = "a\\nb"}, "is no name of a kernel"},
		{{.kernel = "x\\\"; int y; //"}, "is no name of a kernel"},
		{{.kernel = "../x"}, "is no name of a kernel"},
		{{.kernel = ""}, "is no name of a kernel"},
		{{.size = "1M*/ #define"}, "is no name of a size"},
		{{.values = "[]"}, "'values' must be an object"},
		{{.values = "{\"n;int x\": 1}"}, "is no identifier"},
		{{.values = "{\"n\": \"1\"}"}, "the value of 'n' is a number"},
		{{.values = "{\"n\": 1e18}"}, NULL}, /* a real one: fine */
		{{.values = "{\"n\": 9223372036854775807}"}, "up to 2^53"},
		{{.assignment = "{\"1X\": 1}"}, "is no identifier"},
		{{.assignment = "{\"X Y\": 1}"}, "is no identifier"},
		{{.assignment = "{\"X\": [1]}"}, "the value of 'X' is"},
		{{.assignment = "{\"X\": null}"}, "the value of 'X' is"},
		{{.device = ""}, "a device has a name"},
		{{.device = "a\\nb"}, "control character"},
		{{.cc = "9"}, "a compute capability is"},
		{{.cc = "9.99"}, "a compute capability is"},
		{{.cc = "0.0"}, NULL}, /* no GPU */
		{{.cc = "-9.0"}, "a compute capability is"},
		{{.sources = "{\"a\": 1}"}, "the hash of 'a' is a string"},
		{{.sources = "7"}, "'sources' must be an object"},
		{{.label = "x\\u0007"}, "control character"},
		{{.launch = "{}"}, "'block' is missing"},
		{{.launch = "{\"block\": [0, 1, 1]}"}, "three whole numbers from 1"},
		{{.launch = "{\"block\": [1, 1]}"}, "three whole numbers from 1"},
		{{.launch = "{\"block\": [1, 1, 1, 1]}"}, "three whole numbers from 1"},
		{{.launch = "{\"block\": [1, 1, 4294967296]}"},
			"three whole numbers from 1"},
		{{.verdict = "refused"}, "only what is clean or a caveat"},
		{{.verdict = "safe"}, "only what is clean or a caveat"},
		{{.kind = "cached"}, "a kind is"},
		{{.kind = "true"}, "a kind is"},
		{{.claim = "certain"}, "a claim is"},
		{{.kind = "estimated"}, "what is estimated cannot be proven"},
		{{.kind = "estimated", .claim = "observed"},
			"what is estimated cannot be observed"},
		{{.kind = "simulated"}, "what is simulated cannot be proven"},
		{{.kind = "simulated", .claim = "estimated"},
			"what is simulated cannot be estimated"},
		{{.claim = "simulated"}, "what is measured cannot be simulated"},
		{{.ns = "-1"}, "'median_ns' is not negative"},
		{{.ns = "\"1\""}, "'median_ns' must be a number or null"},
		{{.date = "2026-01-31"}, "a date is written"},
		{{.date = "yesterday"}, "a date is written"},
	};
	struct scratch *s = *state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		if (cases[i].why)
			refused(s, &cases[i].e, cases[i].why);
		else
			wisdom_of(&s->a, &cases[i].e, 1);
	}
}

/* Every prefix of a file is an error with a place, or (the last newline) the file. */
static void
truncated(void **state)
{
	static const struct entry_text e = {0};
	struct scratch *s = *state;
	struct str text = wisdom_json(&s->a, &e, 1);
	FILE *nowhere = fopen("/dev/null", "w");

	for (size_t n = 0; n + 2 < text.n; n += 3) {
		struct diag d = {.to = nowhere};
		struct wisdom w = {.a = &s->a};
		fs_write("cut.json", str_sub(text, 0, n), NULL);
		assert_false(wisdom_read(&w, "cut.json", &d));
		assert_int_equal(d.errors, 1);
	}
	fclose(nowhere);
}

/* Each value of a file replaced by one of another type. */
static void
wrong_types(void **state)
{
	static const struct entry_text e = {0};
	static const char *const instead[] = {"null", "[]", "{}", "\"\"", "-1", "true"};
	struct scratch *s = *state;
	struct str text = wisdom_json(&s->a, &e, 1);
	FILE *nowhere = fopen("/dev/null", "w");

	for (size_t i = 0; i + 2 < text.n; i++) {
		if (text.s[i] != ':' || text.s[i + 1] != ' ')
			continue;
		for (size_t t = 0; t < sizeof instead / sizeof *instead; t++) {
			size_t end = i + 2;
			struct diag d = {.to = nowhere};
			struct wisdom w = {.a = &s->a};
			while (!strchr(",}\n", text.s[end]))
				end++;
			fs_write("t.json",
				str_fmt(&s->a, "%.*s%s%s", (int)i + 2, text.s, instead[t],
					text.s + end),
				NULL);
			if (!wisdom_read(&w, "t.json", &d))
				assert_true(d.errors > 0);
		}
	}
	fclose(nowhere);
}

static void
too_much(void **state)
{
	struct scratch *s = *state;
	struct buf b = {.a = &s->a};
	struct str params;

	buf_adds(&b, "{\"P0\": 1");
	for (int i = 1; i <= 64; i++)
		buf_addf(&b, ", \"P%d\": 1", i);
	buf_adds(&b, "}");
	params = buf_str(&b);
	refused(s, &(struct entry_text){.assignment = params.s},
		"'assignment' has more than 64 members");
	b = (struct buf){.a = &s->a};
	buf_pad(&b, 'x', 5000);
	refused(s, &(struct entry_text){.label = buf_c(&b)}, "longer than 4096");
}

static void
an_older_record(void **state)
{
	struct scratch *s = *state;
	FILE *to = fopen("said", "w");
	struct diag d = {.to = to};
	struct wisdom w = {.a = &s->a};

	fs_write("old.json",
		STR_LIT("{\n  \"schema\": \"lanewise/applied.v1\", \"choices\": []\n}\n"),
		NULL);
	assert_false(wisdom_read(&w, "old.json", &d));
	fclose(to);
	assert_non_null(strstr(scratch_text(s, "said"),
		"old.json:2:13: error: this is the record of an older lanewise"));
}

/* --- which is kept ---------------------------------------------------------------- */

static const struct entry_text *
better_than(const struct entry_text *x, const struct entry_text *y, struct scratch *s)
{
	struct entry_text v[] = {*x, *y};
	struct wisdom w = wisdom_of(&s->a, v, 2);

	assert_int_equal(w.n, 1);
	return str_is(w.v[0].label, x->label) ? x : y;
}

/* Each is better than all after it. */
static void
the_better_is_kept(void **state)
{
	static const struct entry_text v[] = {
		{.label = "a", .date = "2026-05-01T00:00:00Z"},
		{.label = "b", .date = "2026-04-01T00:00:00Z", .ns = "999"},
		{.label = "c", .date = "2026-04-01T00:00:00Z"},
		{.label = "d", .date = "2026-04-01T00:00:00Z", .ns = "null"},
		{.label = "e", .claim = "observed", .date = "2027-01-01T00:00:00Z"},
		{.label = "f", .claim = "none", .date = "2028-01-01T00:00:00Z"},
		{.label = "g",
			.kind = "simulated",
			.claim = "simulated",
			.ns = "1",
			.date = "2029-01-01T00:00:00Z"},
		{.label = "h",
			.kind = "estimated",
			.claim = "estimated",
			.ns = "1",
			.date = "2030-01-01T00:00:00Z"},
	};
	struct scratch *s = *state;

	for (size_t i = 0; i < 8; i++)
		for (size_t j = i + 1; j < 8; j++) {
			assert_ptr_equal(better_than(&v[i], &v[j], s), &v[i]);
			assert_ptr_equal(better_than(&v[j], &v[i], s), &v[i]);
		}
}

/* What makes two entries of different keys. */
static void
what_a_key_is(void **state)
{
	static const struct entry_text v[] = {
		{0},
		{.kernel = "k2"},
		{.size = "2M"},
		{.values = "{\"n\": 2}"},
		{.device = "NVIDIA H100"},
		{.cc = "8.0"},
		{.spec = "other"},
		{.sources = "{\"k.cu\": \"cc\"}"},
		{.sources = "{\"k.cu\": \"bb\", \"k.h\": \"dd\"}"},
	};
	static const struct entry_text same[] = {
		{.values = "{\"m\": 1, \"n\": 2}",
			.sources = "{\"a\": \"1\", \"b\": \"2\"}"},
		{.values = "{\"n\": 2, \"m\": 1}",
			.sources = "{\"b\": \"2\", \"a\": \"1\"}"},
	};
	struct scratch *s = *state;

	assert_int_equal(wisdom_of(&s->a, v, 9).n, 9);
	assert_int_equal(wisdom_of(&s->a, same, 2).n, 1);
}

static void
a_conflict_is_told(void **state)
{
	static const struct entry_text v[] = {{.label = "BLOCK=64",
						      .claim = "observed",
						      .date = "2026-02-02T00:00:00Z"},
		{.label = "BLOCK=32"},
		{.label = "BLOCK=32", .date = "2025-01-01T00:00:00Z"}};
	struct scratch *s = *state;
	struct wisdom w = {.a = &s->a};
	struct buf said = {.a = &s->a};

	for (size_t i = 0; i < 3; i++) {
		struct wisdom one = wisdom_of(&s->a, &v[i], 1);
		wisdom_add(&w, &one.v[0]);
	}
	wisdom_sort(&w, &said);
	/* Once: the other differs in its date alone. */
	assert_string_equal(buf_c(&said),
		"  k at 1M on NVIDIA H200: BLOCK=32 (proven, 2026-01-31T23:59:59Z) is "
		"kept, BLOCK=64 (observed, 2026-02-02T00:00:00Z) is not\n");
}

static struct entry_text
random_entry(struct rng *r)
{
	static const char *const sizes[] = {"1M", "64M", "x"};
	static const char *const values[] = {
		"{\"n\": 1}", "{\"n\": 2}", "{\"m\": 2}", "{\"m\": 1, \"n\": 2}", "{}"};
	static const char *const devices[] = {"A", "B"};
	static const char *const kinds[] = {
		"measured", "measured", "simulated", "estimated"};
	static const char *const claims[] = {
		"proven", "observed", "simulated", "estimated"};
	static const char *const times[] = {"1", "2", "null"};
	static const char *const dates[] = {
		"2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"};
	static const char *const labels[] = {"p", "q"};
	size_t kind = rng_below(r, 4);

	return (struct entry_text){.size = sizes[rng_below(r, 3)],
		.values = values[rng_below(r, 5)],
		.device = devices[rng_below(r, 2)],
		.kind = kinds[kind],
		.claim = claims[kind],
		.ns = times[rng_below(r, 3)],
		.date = dates[rng_below(r, 2)],
		.label = labels[rng_below(r, 2)]};
}

/* Neither the order of entries nor that of merging matters, and once is enough. */
static void
merging_in_any_order(void **state)
{
	struct scratch *s = *state;

	for (uint64_t seed = 1; seed <= 60; seed++) {
		struct rng r = {seed};
		struct entry_text v[24], w[24];
		size_t n = 1 + rng_below(&r, 24);
		for (size_t i = 0; i < n; i++)
			w[i] = v[i] = random_entry(&r);
		for (size_t i = n; i-- > 1;) {
			size_t j = rng_below(&r, i + 1);
			struct entry_text t = w[i];
			w[i] = w[j];
			w[j] = t;
		}
		struct wisdom half = wisdom_of(&s->a, w, n / 2 + 1), rest;
		rest = wisdom_of(&s->a, w + n / 2, n - n / 2);
		for (size_t i = 0; i < half.n; i++)
			wisdom_add(&rest, &half.v[i]);
		wisdom_sort(&rest, NULL);
		if (!str_eq(written(s, v, n), written(s, w, n)) ||
			!str_eq(written(s, v, n), wisdom_write(&s->a, &rest)))
			fail_msg("seed %d", (int)seed);
	}
}

/* --- stale, and shown --------------------------------------------------------------- */

static void
stale_or_not(void **state)
{
	static const struct entry_text e = {0};
	struct scratch *s = *state;
	struct diag d = {0};
	struct wisdom w = wisdom_of(&s->a, &e, 1);
	struct str why;
	static const struct {
		const char *pins, *why;
	} cases[] = {
		{"{\"spec\": \"aa\", \"sources\": {\"k.cu\": \"bb\"}}", NULL},
		{"{\"spec\": \"ab\", \"sources\": {\"k.cu\": \"bb\"}}",
			"spec of the kernel: recorded with aa, now ab"},
		{"{\"spec\": \"aa\", \"sources\": {\"k.cu\": \"cc\"}}",
			"source k.cu: recorded with bb, now cc"},
		{"{\"spec\": \"aa\", \"sources\": {}}",
			"source k.cu: recorded with bb, now no longer used"},
		{"{\"spec\": \"aa\", \"sources\": {\"k.cu\": \"bb\", \"x\": \"1\"}}",
			"source x: recorded with (none), now 1"},
	};

	assert_true(stale_entry(&s->a, &w.v[0], NULL, NULL, &why));
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		fs_write("pins.json", str_of(cases[i].pins), NULL);
		const struct json *pins = json_parse_file(&s->a, "pins.json", &d);
		assert_int_equal(stale_entry(&s->a, &w.v[0], pins, NULL, &why),
			cases[i].why != NULL);
		if (cases[i].why)
			assert_string_equal(str_c(&s->a, why), cases[i].why);
	}
	/* What is on disk counts. */
	fs_write("pins.json", str_of(cases[0].pins), NULL);
	fs_write("k.cu", STR_LIT("edited"), NULL);
	assert_true(stale_entry(
		&s->a, &w.v[0], json_parse_file(&s->a, "pins.json", &d), NULL, &why));
}

static void
what_was_not_run_is_shown_so(void **state)
{
	static const struct entry_text v[] = {{0},
		{.size = "2M",
			.values = "{\"n\": 2097152}",
			.kind = "simulated",
			.claim = "simulated"},
		{.size = "4M",
			.values = "{\"n\": 4194304}",
			.kind = "estimated",
			.claim = "none"}};
	struct scratch *s = *state;
	struct wisdom w = wisdom_of(&s->a, v, 3);
	const char *text = str_c(&s->a, wisdom_table(&s->a, &w));

	assert_non_null(strstr(text, " 1000 ns  proven  2026-01-31"));
	assert_non_null(strstr(text, "~1000 ns SIMULATED  never run"));
	assert_non_null(strstr(text, "~1000 ns ESTIMATED  never run"));
}

static void
dates(void **state)
{
	char date[CLOCK_DATE + 1];

	(void)state;
	setenv("SOURCE_DATE_EPOCH", "1769903999", 1);
	clock_date(date);
	assert_string_equal(date, "2026-01-31T23:59:59Z");
	setenv("SOURCE_DATE_EPOCH", "never", 1);
	clock_date(date);
	assert_true(clock_is_date(date, strlen(date)));
	unsetenv("SOURCE_DATE_EPOCH");
	clock_date(date);
	assert_true(clock_is_date(date, strlen(date)));
	assert_false(clock_is_date("2026-01-31T23:59:60+", 20));
	assert_false(clock_is_date("2026-21-31T23:59:59Z", 20));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(what_is_written_is_read_back),
		scratch_test(hostile_members),
		scratch_test(truncated),
		scratch_test(wrong_types),
		scratch_test(too_much),
		scratch_test(an_older_record),
		scratch_test(the_better_is_kept),
		scratch_test(what_a_key_is),
		scratch_test(a_conflict_is_told),
		scratch_test(merging_in_any_order),
		scratch_test(stale_or_not),
		scratch_test(what_was_not_run_is_shown_so),
		cmocka_unit_test(dates),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
