#include "finished_run.h"

#include "report/publish.h"

static const char HOSTILE[] = "x%\n::error::y\r<b>|`](z)\033[1m&\"',:\001\377";

static struct publication
loaded(struct scratch *s, struct report *r)
{
	struct diag d = {0};
	size_t n;

	run_finish(&s->a, &(struct run_opts){0});
	struct ranking **v = report_load(&s->a, ".lanewise", &n, &d);
	assert_non_null(v);
	*r = report_build(&s->a, v, n, ".lanewise");
	return (struct publication){
		.report = r, .fails = ISSUES_FAIL, .root = fs_cwd(&s->a)};
}

/* Whatever a file on disk can make a ranking say. */
static void
make_hostile(struct arena *a, struct ranking **v, size_t n)
{
	struct str bad = str_of(HOSTILE);

	for (size_t k = 0; k < n; k++)
		for (size_t z = 0; z < v[k]->n_sizes; z++) {
			struct rank_size *s = &v[k]->sizes[z];

			s->name = str_fmt(a, "%s%zu", HOSTILE, z);
			for (size_t i = 0; i < rank_size_n(s); i++) {
				struct rank_entry *e = &s->v[i];

				e->label = str_fmt(a, "%s%zu", HOSTILE, i);
				e->reason = bad;
				for (size_t f = 0; f < e->n_findings; f++) {
					e->findings[f].message = bad;
					e->findings[f].rule = bad;
					e->findings[f].file = bad;
					e->findings[f].line = 3;
				}
			}
		}
}

static struct publication
hostile(struct scratch *s, struct report *r)
{
	struct diag d = {0};
	size_t n;

	run_finish(&s->a, &(struct run_opts){0});
	struct ranking **v = report_load(&s->a, ".lanewise", &n, &d);
	assert_non_null(v);
	make_hostile(&s->a, v, n);
	*r = report_build(&s->a, v, n, ".lanewise");
	struct applied *x = arena_news(&s->a, n, struct applied);
	for (size_t i = 0; i < n; i++)
		x[i] = (struct applied){APPLIED_STALE, HOSTILE, str_of(HOSTILE)};
	return (struct publication){
		.report = r, .applied = x, .fails = ~0U, .root = fs_cwd(&s->a)};
}

static void
assert_no_controls(struct str text)
{
	for (size_t i = 0; i < text.n; i++)
		if (((unsigned char)text.s[i] < 0x20 && !strchr("\n\t", text.s[i])) ||
			(unsigned char)text.s[i] == 0xff || text.s[i] == 0x7f)
			fail_msg("byte %02x at %zu", (unsigned char)text.s[i], i);
}

static void
counts(void **state)
{
	struct report r;
	struct publication p = loaded(*state, &r);
	size_t n[N_ISSUE_KINDS];

	issue_counts(&p, n);
	assert_int_equal(n[ISSUE_ERROR], 1);
	assert_int_equal(n[ISSUE_STALE], 0);
	assert_int_equal(n[ISSUE_FAILED], 1);
	assert_int_equal(n[ISSUE_REFUSED], 8);
	assert_int_equal(n[ISSUE_CAVEAT], 1);
	assert_true(issues_fail(&p));
	p.fails = 1U << ISSUE_STALE;
	assert_false(issues_fail(&p));
	struct applied x[2] = {{APPLIED_STALE, "a.json", STR_LIT("  b\n")},
		{APPLIED_NONE, "c.json", {0}}};
	p.applied = x;
	assert_true(issues_fail(&p));
}

static void
kinds(void **state)
{
	unsigned v;
	struct str why;

	(void)state;
	assert_true(issue_kinds(STR_LIT("stale,refused"), &v, &why));
	assert_int_equal(v, 1 << ISSUE_STALE | 1 << ISSUE_REFUSED);
	assert_true(issue_kinds(STR_LIT("none"), &v, &why));
	assert_int_equal(v, 0);
	assert_false(issue_kinds(STR_LIT("stale,none"), &v, &why));
	assert_true(str_is(why, "none"));
	assert_false(issue_kinds((struct str){0}, &v, &why));
}

static void
worst_first(void **state)
{
	struct scratch *s = *state;
	struct report r;
	struct publication p = loaded(s, &r);
	struct issues v = issues_of(&s->a, &p);

	assert_true(v.n >= 4);
	for (size_t i = 1; i < v.n; i++)
		assert_true(v.v[i - 1].kind <= v.v[i].kind);
	for (size_t i = 0; i < v.n; i++)
		assert_true(v.v[i].file.n && v.v[i].message.n && v.v[i].n_points);
}

static void
github_is_commands_only(void **state)
{
	struct scratch *s = *state;
	struct report r;
	struct publication p = hostile(s, &r);
	struct str rest = publish_github(&s->a, &p), line;
	size_t n = 0;

	assert_no_controls(rest);
	while (str_line(&rest, &line)) {
		assert_true(str_starts(line, "::error "));
		n++;
	}
	assert_true(n >= 4);
}

static void
junit_is_xml(void **state)
{
	struct scratch *s = *state;
	struct report r;
	struct publication p = hostile(s, &r);
	struct str text = publish_junit(&s->a, &p);

	assert_no_controls(text);
	assert_false(str_has(text, STR_LIT("<b>")));
	assert_false(str_has(text, STR_LIT("&\"")));
	assert_true(str_has(text, STR_LIT("type=\"refused\"")));
	assert_true(str_has(text, STR_LIT("type=\"stale\"")));
	assert_true(str_has(text, STR_LIT("<error type=\"error\"")));
	assert_true(str_ends(text, "</testsuites>\n"));
}

static void
sarif_is_json(void **state)
{
	struct scratch *s = *state;
	struct report r;
	struct publication p = hostile(s, &r);
	struct source *src = arena_new(&s->a, struct source);
	struct diag d = {0};

	*src = (struct source){"sarif", publish_sarif(&s->a, &p)};
	const struct json *v = json_parse(&s->a, src, &d);
	assert_non_null(v);
	const struct json *results = json_get(json_get(v, "runs")->child, "results");
	assert_true(results->n >= 4);
	json_each(x, results)
	{
		assert_string_equal(str_c(&s->a, json_get_str(x, "level")), "error");
	}
}

static void
markdown_has_no_markup(void **state)
{
	struct scratch *s = *state;
	struct report r;
	struct publication p = hostile(s, &r);
	struct str text, line;
	struct rank_size *first = &r.kernels[0].r->sizes[0];

	first->claim = CLAIM_NONE;
	first->claim_why = str_of(HOSTILE);
	text = publish_markdown(&s->a, &p);
	assert_true(str_has(text, STR_LIT(" us | **NO CLAIM**: ")));
	assert_no_controls(text);
	assert_false(str_has(text, STR_LIT("<b>")));
	assert_false(str_has(text, STR_LIT("](z)")));
	assert_true(str_starts(text, "## lanewise: failed"));
	assert_true(str_has(text, STR_LIT(" us | observed |")));
	/* A row of the table has its columns, whatever the names. */
	while (str_line(&text, &line))
		if (str_starts(line, "| <code>")) {
			size_t bars = 0;
			for (size_t i = 0; i < line.n; i++)
				bars += line.s[i] == '|';
			assert_int_equal(bars, 10);
		}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(counts),
		scratch_test(kinds),
		scratch_test(worst_first),
		scratch_test(github_is_commands_only),
		scratch_test(junit_is_xml),
		scratch_test(sarif_is_json),
		scratch_test(markdown_has_no_markup),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
