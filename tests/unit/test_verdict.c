#include "captured.h"

#include "base/fs.h"
#include "model/verdict.h"

static struct verdict_file *
read_text(struct captured *c, struct str text)
{
	fs_write("verdict.json", text, NULL);
	return verdict_file_read(&c->a, "verdict.json", &c->d);
}

static struct lane_map maps[] = {
	{0, "WWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWW"},
	{1, "....xxxx????oooo                "},
};
static struct finding findings[] = {
	{.rule = {"LW001", 5},
		.klass = {"barrier", 7},
		.kind = VERDICT_REFUSED,
		.file = {"a.cu", 4},
		.line = 12,
		.ptx_line = 40,
		.message = {"not all reach it", 16},
		.witness = {.present = true,
			.cta = {0, 1, 2},
			.n_blocks = 8192,
			.warps = maps,
			.n_warps = 2,
			.note = {"warp 0 waits", 12}}},
	{.rule = {"LW009", 5},
		.klass = {"undecided", 9},
		.kind = VERDICT_CAVEAT,
		.message = {"data decides", 12}},
};

static struct verdict_file
sample(void)
{
	static struct verdict v[3];

	for (int i = 0; i < 3; i++) {
		v[i] = (struct verdict){
			.point = i ? STR_LIT("B=64@1M") : STR_LIT("B=32@1M")};
		assert_true(
			launch_parse(STR_LIT("64,1,1/8192,1,1/1,1,1/256"), &v[i].launch));
	}
	v[1].kind = VERDICT_REFUSED;
	v[1].findings = findings;
	v[1].n_findings = 2;
	v[2].point = STR_LIT("B=96@1M");
	v[2].kind = VERDICT_CAVEAT;
	v[2].findings = findings + 1;
	v[2].n_findings = 1;
	return (struct verdict_file){STR_LIT("reduce"), STR_LIT("_Z6reduce"), 1024, v, 3};
}

static void
written_and_read_back(void **state)
{
	struct captured *c = *state;
	struct verdict_file f = sample(), *back;
	struct str text = verdict_file_write(&c->a, &f);
	const struct witness *w;

	back = read_text(c, text);
	assert_non_null(back);
	assert_int_equal(back->static_shared_bytes, 1024);
	assert_int_equal(
		verdict_file_find(back, STR_LIT("B=64@1M"))->kind, VERDICT_REFUSED);
	assert_null(verdict_file_find(back, STR_LIT("B=128@1M")));
	w = &verdict_file_find(back, STR_LIT("B=64@1M"))->findings[0].witness;
	assert_true(w->present && w->cta[2] == 2 && w->n_blocks == 8192);
	assert_string_equal(w->warps[1].lanes, maps[1].lanes);
	assert_false(back->v[1].findings[1].witness.present);
	assert_true(str_eq(verdict_file_write(&c->a, back), text));
}

static void
alone_it_has_a_schema(void **state)
{
	struct captured *c = *state;
	struct verdict_file f = sample();
	struct json_out o = {.b = {.a = &c->a}};
	struct verdict back;
	struct str text;

	verdict_write(&o, NULL, &f.v[1]);
	text = json_done(&o);
	assert_true(str_has(text, STR_LIT("\"lanewise/verdict.v1\"")));
	assert_true(verdict_read(&c->a,
		json_parse(&c->a, captured_source(c, str_c(&c->a, text)), &c->d), &back,
		&c->d));
	assert_int_equal(back.n_findings, 2);
}

static const char *
replaced(struct captured *c, const char *from, const char *to)
{
	struct verdict_file f = sample();
	const char *text = str_c(&c->a, verdict_file_write(&c->a, &f));
	const char *at = strstr(text, from);

	assert_non_null(at);
	return str_c(&c->a, str_fmt(&c->a, "%.*s%s%s", (int)(at - text), text, to,
				    at + strlen(from)));
}

/* Above all, no damage turns a refusal into a pass. */
static void
damaged(void **state)
{
	static const char *const cases[][3] = {
		{"\"verdict\": \"refused\"", "\"verdict\": \"clean\"",
			"the verdict 'clean' has a finding that is 'refused'"},
		{"\"verdict\": \"refused\"", "\"verdict\": \"caveat\"", "has a finding"},
		{"\"verdict\": \"refused\"", "\"verdict\": \"ok\"", "unknown verdict"},
		{"\"verdict\": \"refused\"", "\"verdikt\": \"refused\"",
			"'verdict' is missing"},
		{"\"kind\": \"refused\"", "\"kind\": \"clean\"", "'kind' must be"},
		{"WWWWWWWW", "WWWW", "32 characters"},
		{"WWWWWWWW", "WWWWWWWw", "one of 'Wo.x?u- '"},
		{"[0, 1, 2]", "[0, 1]", "three whole numbers"},
		{"[0, 1, 2]", "[0, 1, -2]", "three whole numbers"},
		{"[0, 1, 2]", "[0, 1, 2, 3]", "three whole numbers"},
		{"\"blocks\": 8192", "\"blocks\": -1", "'blocks'"},
		{"64,1,1/", "64,1,/", "malformed launch shape"},
		{"lanewise/verdicts.v1", "lanewise/verdicts.v2", "expected schema"},
		{"\"line\": 12", "\"line\": 1e300", "'line'"},
	};
	struct captured *c = *state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		if (read_text(c, str_of(replaced(c, cases[i][0], cases[i][1]))))
			fail_msg("accepted %s", cases[i][1]);
		assert_int_equal(c->d.errors, 1);
		assert_says(c, cases[i][2]);
	}
}

static void
cut_short(void **state)
{
	struct captured *c = *state;
	struct verdict_file f = sample();
	struct str text = verdict_file_write(&c->a, &f);

	for (size_t n = 0; n + 2 < text.n; n += 5) {
		assert_null(read_text(c, str_sub(text, 0, n)));
		captured_take(c);
	}
}

static void
what_is_admitted(void **state)
{
	(void)state;
	struct verdict v = {.kind = VERDICT_CLEAN};

	assert_true(
		verdict_admitted(&v, ADMIT_CLEAN) && verdict_admitted(&v, ADMIT_CAVEAT));
	v.kind = VERDICT_CAVEAT;
	assert_true(verdict_admitted(&v, ADMIT_CAVEAT));
	assert_false(verdict_admitted(&v, ADMIT_CLEAN));
	for (v.kind = VERDICT_REFUSED; v.kind <= VERDICT_ERROR; v.kind++)
		assert_false(verdict_admitted(&v, ADMIT_CAVEAT));
	assert_int_equal(admit_of(str_of("")), ADMIT_CAVEAT);
	assert_int_equal(admit_of(str_of(admit_name(ADMIT_CAVEAT))), ADMIT_CAVEAT);
	assert_int_equal(admit_of(str_of(admit_name(ADMIT_CLEAN))), ADMIT_CLEAN);
	assert_int_equal(admit_of(str_of("caveats")), ADMIT_CLEAN);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		captured_test(written_and_read_back),
		captured_test(alone_it_has_a_schema),
		captured_test(damaged),
		captured_test(cut_short),
		cmocka_unit_test(what_is_admitted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
