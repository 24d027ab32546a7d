#include "captured.h"

#include "base/fs.h"
#include "report/sarif.h"

static const struct json *
member(const struct json *v, const char *path)
{
	struct str rest = str_of(path), key;
	char name[64];

	while (v && str_split(&rest, '.', &key)) {
		snprintf(name, sizeof name, "%.*s", STR_ARG(key));
		v = name[0] == '0' ? v->child : json_get(v, name);
	}
	return v;
}

static const char *
text(struct captured *c, const struct json *v, const char *path)
{
	v = member(v, path);
	return v && v->kind == JSON_STRING ? str_c(&c->a, v->string) : "(none)";
}

static const struct json *
sarif(struct captured *c, const struct verdict *v, size_t n)
{
	struct sarif_run r = {"out/k.ptx", "/home/me/p", STR_LIT("k"), 7, v, n};
	struct excerpts e = excerpts_begin(&c->a, r.ptx);
	struct source *src = arena_new(&c->a, struct source);

	*src = (struct source){"sarif", sarif_text(&c->a, &r, &e)};
	const struct json *j = json_parse(&c->a, src, &c->d);
	assert_non_null(j);
	return j;
}

static struct lane_map lanes[] = {{3, "WWWWWWWWWWWWWWWW................"}};

static struct verdict
refused(struct captured *c, struct str file, uint32_t line)
{
	struct finding *f = arena_new(&c->a, struct finding);
	*f = (struct finding){.rule = STR_LIT("LW001"),
		.klass = STR_LIT("barrier"),
		.kind = VERDICT_REFUSED,
		.file = file,
		.line = line,
		.ptx_line = 40,
		.message = STR_LIT("half a warp"),
		.witness = {
			.present = true, .cta = {1, 2, 3}, .warps = lanes, .n_warps = 1}};
	return (struct verdict){.kind = VERDICT_REFUSED,
		.launch = {{64, 1, 1}, {8, 1, 1}, {1, 1, 1}, 0, false},
		.findings = f,
		.n_findings = 1};
}

static void
head(void **state)
{
	struct captured *c = *state;
	struct verdict clean = {0};
	const struct json *j = sarif(c, &clean, 1);

	assert_string_equal(text(c, j, "version"), "2.1.0");
	assert_string_equal(
		text(c, j, "$schema"), "https://json.schemastore.org/sarif-2.1.0.json");
	assert_string_equal(text(c, j, "runs.0.tool.driver.name"), "lanewise");
	assert_string_equal(text(c, j, "runs.0.tool.driver.version"), LANEWISE_VERSION);
	assert_int_equal(member(j, "runs.0.results")->n, 0);
	assert_int_equal(member(j, "runs.0.tool.driver.rules")->n, 0);
}

static void
one_result(void **state)
{
	struct captured *c = *state;
	struct verdict v = refused(c, STR_LIT("src/a b.cu"), 12);
	const struct json *r = member(sarif(c, &v, 1), "runs.0");

	assert_string_equal(text(c, r, "tool.driver.rules.0.id"), "LW001");
	assert_string_equal(
		text(c, r, "tool.driver.rules.0.defaultConfiguration.level"), "error");
	assert_true(strlen(text(c, r, "tool.driver.rules.0.help.markdown")) > 100);
	r = member(r, "results.0");
	assert_string_equal(text(c, r, "ruleId"), "LW001");
	assert_int_equal(json_get_i64(r, "ruleIndex", -1), 0);
	assert_string_equal(text(c, r, "level"), "error");
	assert_string_equal(
		text(c, r, "message.text"), "half a warp (block 64,1,1, grid 8,1,1)");
	const struct json *at = member(r, "locations.0.physicalLocation");
	assert_string_equal(text(c, at, "artifactLocation.uri"), "src/a%20b.cu");
	assert_int_equal(json_get_i64(member(at, "region"), "startLine", 0), 12);
	at = member(r, "relatedLocations.0.physicalLocation");
	assert_string_equal(text(c, at, "artifactLocation.uri"), "out/k.ptx");
	assert_int_equal(json_get_i64(member(at, "region"), "startLine", 0), 40);
	assert_string_equal(text(c, r, "properties.verdict"), "refused");
	assert_string_equal(text(c, r, "properties.block"), "64,1,1");
	assert_string_equal(text(c, r, "properties.lanes.0"),
		"warp 3 WWWWWWWWWWWWWWWW................");
	assert_int_equal(strlen(text(c, r, "partialFingerprints.lanewiseSite/v1")), 32);
}

static const char *
uri(struct captured *c, struct str file, uint32_t line)
{
	struct verdict v = refused(c, file, line);
	return text(c, sarif(c, &v, 1),
		"runs.0.results.0.locations.0.physicalLocation.artifactLocation.uri");
}

static void
places(void **state)
{
	struct captured *c = *state;
	struct verdict v = refused(c, (struct str){0}, 0);

	assert_string_equal(uri(c, STR_LIT("/home/me/p/src/k.cu"), 3), "src/k.cu");
	assert_string_equal(
		uri(c, STR_LIT("/home/me/pp/k.cu"), 3), "file:///home/me/pp/k.cu");
	assert_string_equal(uri(c, STR_LIT("a:b#c\303\251"), 3), "a%3Ab%23c%C3%A9");
	/* Without a source the PTX is the place, without an instruction the kernel. */
	assert_string_equal(uri(c, (struct str){0}, 0), "out/k.ptx");
	const char *region = "runs.0.results.0.locations.0.physicalLocation.region";
	assert_int_equal(
		json_get_i64(member(sarif(c, &v, 1), region), "startLine", 0), 40);
	v.findings->ptx_line = 0;
	assert_int_equal(
		json_get_i64(member(sarif(c, &v, 1), region), "startLine", 0), 7);
}

static void
levels_and_rules(void **state)
{
	struct captured *c = *state;
	struct verdict v[3] = {refused(c, STR_LIT("k.cu"), 9),
		refused(c, STR_LIT("k.cu"), 9), refused(c, STR_LIT("k.cu"), 9)};

	v[0].findings->rule = STR_LIT("LW050");
	v[0].findings->kind = VERDICT_CAVEAT;
	v[2].findings->rule = STR_LIT("strange");
	const struct json *run = member(sarif(c, v, 3), "runs.0");
	assert_int_equal(member(run, "tool.driver.rules")->n, 2);
	const struct json *r = member(run, "results.0");
	assert_string_equal(text(c, r, "level"), "warning");
	/* Rules are in the order of their numbers, not of their use. */
	assert_int_equal(json_get_i64(r, "ruleIndex", -1), 1);
	assert_int_equal(json_get_i64(r->next, "ruleIndex", -1), 0);
	assert_null(json_get(r->next->next, "ruleIndex"));
}

static const char *
print_of(struct captured *c, uint32_t line)
{
	struct verdict v = refused(c, STR_LIT("k.cu"), line);
	return text(c, sarif(c, &v, 1),
		"runs.0.results.0.partialFingerprints.lanewiseSite/v1");
}

static void
fingerprint_follows_the_line(void **state)
{
	struct captured *c = *state;

	fs_write("out/k.cu", STR_LIT("a\n\tsync();\nb\n"), NULL);
	const char *before = print_of(c, 2), *other = print_of(c, 3);
	struct verdict v = refused(c, STR_LIT("k.cu"), 2);
	const struct json *at =
		member(sarif(c, &v, 1), "runs.0.results.0.locations.0.physicalLocation");
	/* Found beside the PTX. */
	assert_string_equal(text(c, at, "artifactLocation.uri"), "out/k.cu");
	assert_string_equal(text(c, at, "region.snippet.text"), "\tsync();");
	fs_write("out/k.cu", STR_LIT("a\nnew\n\n  sync();\nb\n"), NULL);
	assert_string_equal(print_of(c, 4), before);
	assert_string_not_equal(other, before);
	fs_remove("out/k.cu");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		captured_test(head),
		captured_test(one_result),
		captured_test(places),
		captured_test(levels_and_rules),
		captured_test(fingerprint_follows_the_line),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
