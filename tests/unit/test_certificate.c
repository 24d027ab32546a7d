#include "scratch.h"

#include "model/certificate.h"

static struct str
usual(struct scratch *s)
{
	struct check checks[] = {
		{STR_LIT("memcheck"), CHECK_CLEAN, 0, STR_LIT("")},
		{STR_LIT("racecheck"), CHECK_ERRORS, 3, STR_LIT("a race\n\"there\"")},
		{STR_LIT("initcheck"), CHECK_FAILED, -1, STR_LIT("it crashed")},
		{STR_LIT("synccheck"), CHECK_ABSENT, -1, STR_LIT("")},
	};
	const struct certificate c = {.kernel = STR_LIT("reduce"),
		.size = STR_LIT("1M"),
		.candidate = STR_LIT("BLOCK=32"),
		.artifact = STR_LIT("00aa"),
		.launch = STR_LIT("32,1,1/1,1,1/1,1,1/0"),
		.kind = RESULT_SIMULATED,
		.checker = STR_LIT("2025.3"),
		.checks = checks,
		.n = 4,
		.device = STR_LIT("NVIDIA H200"),
		.driver = STR_LIT("580")};

	return certificate_write(&s->a, &c);
}

static struct certificate *
read_text(struct scratch *s, struct str text, struct diag *d)
{
	struct source *src = arena_new(&s->a, struct source);

	*src = (struct source){"c.json", text};
	return certificate_read(&s->a, json_parse(&s->a, src, d), d);
}

static void
what_is_written_is_read_back(void **state)
{
	struct scratch *s = *state;
	struct diag d = {0};
	struct certificate *c = read_text(s, usual(s), &d);

	assert_non_null(c);
	assert_int_equal(c->n, 4);
	assert_int_equal(c->kind, RESULT_SIMULATED);
	assert_true(str_is(c->checks[1].said, "a race\n\"there\""));
	assert_int_equal(c->checks[1].errors, 3);
	assert_int_equal(c->checks[2].status, CHECK_FAILED);
	assert_int_equal(c->checks[3].errors, -1);
	assert_true(str_eq(certificate_write(&s->a, c), usual(s)));
}

static void
names(void **state)
{
	(void)state;
	assert_string_equal(check_status_name(CHECK_CLEAN), "clean");
	assert_string_equal(check_status_name(CHECK_ABSENT), "absent");
	assert_string_equal(check_status_name(N_CHECK_STATUSES), "?");
}

/* Whatever is damaged is an error, never a certificate with a check less. */
static void
damaged(void **state)
{
	static const char *const edits[][2] = {{"\"clean\"", "\"cleanish\""},
		{"\"simulated\"", "\"sure\""}, {"certify.v1", "certify.v0"},
		{"\"errors\": 3", "\"errors\": -2"}, {"\"errors\": 3", "\"errors\": 0.5"},
		{"\"tool\"", "\"tol\""}, {"\"checks\"", "\"check\""},
		{"\"kernel\"", "\"k\""}};
	struct scratch *s = *state;
	FILE *nowhere = fopen("/dev/null", "w");
	struct str text = usual(s);

	for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
		struct diag d = {.to = nowhere};
		const char *at = strstr(text.s, edits[i][0]);
		assert_non_null(at);
		assert_null(read_text(s,
			str_fmt(&s->a, "%.*s%s%s", (int)(at - text.s), text.s,
				edits[i][1], at + strlen(edits[i][0])),
			&d));
		assert_int_equal(d.errors, 1);
	}
	for (size_t n = 0; n + 2 < text.n; n += 5) {
		struct diag d = {.to = nowhere};
		assert_null(read_text(s, str_sub(text, 0, n), &d));
	}
	fclose(nowhere);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(what_is_written_is_read_back),
		cmocka_unit_test(names),
		scratch_test(damaged),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
