/* A caveat says for which arguments it is what, and a launch with such an argument
 * agrees. */
#include "base/fs.h"
#include "simt/condition.h"
#include "unit/small_kernel.h"

/* ---- conditions ---- */

static void
test_path(void **state)
{
	struct arena *a = *state;
	const struct gate_kernel *k = kernel(a,
		"setp.gt.s32 %p1, %r1, 960;\n@!%p1 bra END;\nsetp.lt.u32 %p2, %r3, 32;\n"
		"@!%p2 bra END;\nbar.sync 0;\nEND:\n bar.sync 0;");
	struct verdict v = check(a, k, shape(64, 4), NULL, 0);

	assert_int_equal(v.kind, VERDICT_CAVEAT);
	assert_true(says(a, &v, "refused if argument 1 > 960"));
	expect(a, k, shape(64, 4), 1, 960, VERDICT_CLEAN);
	expect(a, k, shape(64, 4), 1, 961, VERDICT_REFUSED);
	expect(a, k, shape(64, 4), 1, 0xffffffff, VERDICT_CLEAN);
}

static void
test_unsigned_path(void **state)
{
	struct arena *a = *state;
	const struct gate_kernel *k = kernel(a,
		"setp.lt.u32 %p1, %r1, 8;\n@%p1 bra END;\nsetp.ne.s32 %p2, %r2, 3;\n"
		"@%p2 bra END;\nsetp.lt.u32 %p2, %r3, 16;\n@!%p2 bra END;\n"
		"bar.sync 0;\nEND:\n bar.sync 0;");
	struct verdict v = check(a, k, shape(64, 1), NULL, 0);
	struct given g[2] = {{1, 0xffffffff}, {2, 3}};

	assert_int_equal(v.kind, VERDICT_CAVEAT);
	assert_true(
		says(a, &v, "refused if argument 1 > 7 as unsigned and argument 2 == 3"));
	assert_int_equal(check(a, k, shape(64, 1), g, 2).kind, VERDICT_REFUSED);
	g[0].value = 7;
	assert_int_equal(check(a, k, shape(64, 1), g, 2).kind, VERDICT_CLEAN);
}

/* for (i = tid; i < n; i += 64) { barrier } */
static const char stride_loop[] =
	"HEAD:\nsetp.ge.s32 %p1, %r3, %r1;\n@%p1 bra END;\nbar.sync 0;\n"
	"add.s32 %r3, %r3, 64;\nbra HEAD;\nEND:\n";

static void
test_period(void **state)
{
	struct arena *a = *state;
	const struct gate_kernel *k = kernel(a, stride_loop);
	struct verdict v = check(a, k, shape(64, 4), NULL, 0);

	assert_int_equal(v.kind, VERDICT_CAVEAT);
	assert_true(says(a, &v,
		"with argument 1 in 0..512: clean iff argument 1 % 64 == 0, "
		"refused otherwise"));
	for (uint32_t n = 0; n <= 512; n += 32)
		expect(a, k, shape(64, 4), 1, n,
			n % 64 ? VERDICT_REFUSED : VERDICT_CLEAN);
}

/* if (i >= n) return; barrier */
static void
test_ranges(void **state)
{
	struct arena *a = *state;
	const struct gate_kernel *k =
		kernel(a, "mov.u32 %r4, %ctaid.x;\nmad.lo.s32 %r4, %r4, 64, %r3;\n"
			  "setp.ge.s32 %p1, %r4, %r1;\n@%p1 ret;\nbar.sync 0;");
	struct verdict v = check(a, k, shape(64, 2), NULL, 0);

	assert_int_equal(v.kind, VERDICT_CAVEAT);
	assert_true(says(a, &v,
		"with argument 1 in 0..256: clean for 0, 64, 128..256, "
		"refused otherwise"));
	expect(a, k, shape(64, 2), 1, 64, VERDICT_CLEAN);
	expect(a, k, shape(64, 2), 1, 65, VERDICT_REFUSED);
	expect(a, k, shape(64, 2), 1, 129, VERDICT_CLEAN);
}

/* k(u64 pointer, TYPE n, u32 flag); n is read into %r1 or, of 64 bits, %rd3. */
static const struct gate_kernel *
kernel_of(struct arena *a, const char *type, const char *load, const char *body)
{
	return prepare(a, "k.ptx",
		str_fmt(a,
			".version 9.0\n.target sm_90a\n.address_size 64\n"
			".visible .entry k(.param .u64 .ptr .align 1 k_param_0, "
			".param .%s k_param_1, .param .u32 k_param_2)\n"
			"{\n.reg .pred %%p<10>;\n.reg .b16 %%rs<4>;\n.reg .b32 %%r<20>;\n"
			".reg .b64 %%rd<10>;\nld.param.u64 %%rd1, [k_param_0];\n%s\n"
			"ld.param.u32 %%r2, [k_param_2];\nmov.u32 %%r3, %%tid.x;\n"
			"cvt.u64.u32 %%rd4, %%r3;\n%s\nret;\n}\n",
			type, load, body),
		STR_LIT("k"));
}

/* for (size_t i = tid; i < n; i += 64) { barrier } */
static void
test_wide(void **state)
{
	struct arena *a = *state;
	const char *load = "ld.param.u64 %rd3, [k_param_1];";
	const struct gate_kernel *k = kernel_of(a, "u64", load,
		"HEAD:\nsetp.ge.u64 %p1, %rd4, %rd3;\n@%p1 bra END;\nbar.sync 0;\n"
		"add.s64 %rd4, %rd4, 64;\nbra HEAD;\nEND:\n");
	struct verdict v = check(a, k, shape(64, 4), NULL, 0);

	assert_int_equal(v.kind, VERDICT_CAVEAT);
	assert_true(says(a, &v,
		"with argument 1 in 0..512: clean iff argument 1 % 64 == 0, "
		"refused otherwise"));
	expect(a, k, shape(64, 4), 1, 512, VERDICT_CLEAN);
	expect(a, k, shape(64, 4), 1, 511, VERDICT_REFUSED);

	k = kernel_of(a, "u64", load,
		"setp.gt.s64 %p1, %rd3, 5000000000;\n@!%p1 bra END;\n"
		"setp.lt.u32 %p2, %r3, 32;\n@!%p2 bra END;\nbar.sync 0;\n"
		"END:\n bar.sync 0;");
	v = check(a, k, shape(64, 4), NULL, 0);
	assert_true(says(a, &v, "refused if argument 1 > 5000000000"));
	expect(a, k, shape(64, 4), 1, UINT64_C(5000000000), VERDICT_CLEAN);
	expect(a, k, shape(64, 4), 1, UINT64_C(5000000001), VERDICT_REFUSED);
}

/* if (flag) { half of the block meets }: 8 and 16 bits, with and without a sign. */
static void
test_narrow(void **state)
{
	struct arena *a = *state;
	static const char body[] = "setp.ge.s32 %p1, %r3, %r1;\n@%p1 ret;\nbar.sync 0;";
	static const struct {
		const char *type, *load, *says;
	} v[] = {
		{"u8", "ld.param.u8 %r1, [k_param_1];",
			"in 0..127: clean for 0, 64..127"},
		{"s16", "ld.param.s16 %r1, [k_param_1];",
			"in 0..128: clean for 0, 64..128"},
		{"u16", "ld.param.u16 %rs1, [k_param_1];\ncvt.u32.u16 %r1, %rs1;",
			"in 0..128: clean for 0, 64..128"},
	};

	for (size_t i = 0; i < sizeof v / sizeof v[0]; i++) {
		const struct gate_kernel *k = kernel_of(a, v[i].type, v[i].load, body);
		struct verdict x = check(a, k, shape(64, 1), NULL, 0);

		assert_int_equal(x.kind, VERDICT_CAVEAT);
		assert_true(says(a, &x, v[i].says));
		expect(a, k, shape(64, 1), 1, 63, VERDICT_REFUSED);
		expect(a, k, shape(64, 1), 1, 64, VERDICT_CLEAN);
	}
}

/* if (a < b) half of the block meets. */
static void
test_two_compared(void **state)
{
	struct arena *a = *state;
	const struct gate_kernel *k = kernel(a,
		"setp.lt.s32 %p1, %r1, %r2;\n@!%p1 bra END;\nsetp.lt.u32 %p2, %r3, 32;\n"
		"@!%p2 bra END;\nbar.sync 0;\nEND:\n bar.sync 0;");
	struct verdict v = check(a, k, shape(64, 1), NULL, 0);
	struct given g[2] = {{1, 5}, {2, 6}};

	assert_int_equal(v.kind, VERDICT_CAVEAT);
	assert_true(says(a, &v, "refused if argument 1 < argument 2"));
	expect_all(a, k, shape(64, 1), g, 2, VERDICT_REFUSED);
	g[1].value = 5;
	expect_all(a, k, shape(64, 1), g, 2, VERDICT_CLEAN);
	g[0].value = 0xfffffffb;
	expect_all(a, k, shape(64, 1), g, 2, VERDICT_REFUSED);
}

/* for (i = tid + first; i < n; i += 64) { barrier }: neither argument decides alone. */
static void
test_one_held(void **state)
{
	struct arena *a = *state;
	const struct gate_kernel *k =
		kernel(a, "add.s32 %r3, %r3, %r2;\nHEAD:\nsetp.ge.s32 %p1, %r3, "
			  "%r1;\n@%p1 bra END;\n"
			  "bar.sync 0;\nadd.s32 %r3, %r3, 64;\nbra HEAD;\nEND:\n");
	struct verdict v = check(a, k, shape(64, 1), NULL, 0);
	struct given g[2] = {{2, 0}, {1, 128}};

	assert_int_equal(v.kind, VERDICT_CAVEAT);
	assert_true(says(a, &v,
		"with argument 2 == 0 and argument 1 in 0..128: clean iff argument 1 % "
		"64 == 0, refused otherwise"));
	expect_all(a, k, shape(64, 1), g, 2, VERDICT_CLEAN);
	g[1].value = 127;
	expect_all(a, k, shape(64, 1), g, 2, VERDICT_REFUSED);
}

/* Refused with 1; a caveat with 2, and nothing more may be asked with others. */
static enum verdict_kind
judge_one(void *ctx, const struct gate_query *q)
{
	unsigned *asked = ctx;

	++*asked;
	assert_true(q->no_conditions && q->n_args == 3 && q->args[2].n == 8);
	switch (q->args[2].bytes[0]) {
	case 1: return VERDICT_REFUSED;
	case 2: return VERDICT_CAVEAT;
	default: return VERDICT_ERROR;
	}
}

/* A condition is said only if a launch that meets it is refused, and none is not. */
static void
test_confirmed(void **state)
{
	static const struct {
		uint64_t value[3];
		bool is;
		unsigned asked;
	} v[] = {
		{{1, 1, 1}, true, 3},
		{{1, 3, 2}, true, 2},
		{{1, 2, 1}, false, 2},
		{{3, 1, 1}, false, 1},
	};
	struct gate_query q = {.launch = shape(64, 1)};

	(void)state;
	for (size_t i = 0; i < sizeof v / sizeof v[0]; i++) {
		struct condition c = {.n_values = 1, .n_cases = 3};
		unsigned asked = 0;

		for (int k = 0; k < 3; k++)
			c.cases[k][0] = (struct argument_value){2, 8, v[i].value[k]};
		assert_int_equal(condition_confirmed(&c, &q, judge_one, &asked), v[i].is);
		assert_int_equal(asked, v[i].asked);
	}
}

/* Data decide: no value of an argument does, and none is named. */
static void
test_no_condition(void **state)
{
	struct arena *a = *state;
	const struct gate_kernel *k = kernel(a,
		"ld.global.u32 %r4, [%rd2];\nsetp.lt.s32 %p1, %r4, %r1;\n@!%p1 bra END;\n"
		"bar.sync 0;\nEND:\n");
	struct verdict v = check(a, k, shape(64, 2), NULL, 0);

	assert_int_equal(v.kind, VERDICT_CAVEAT);
	assert_false(says(a, &v, "with argument"));
	assert_false(says(a, &v, "refused if"));
}

/* ---- every caveat of the labelled kernels ---- */

/* Takes the word from the start of the text, if it is there. */
static bool
take(struct str *t, const char *word)
{
	if (!str_starts(*t, word))
		return false;
	*t = str_sub(*t, strlen(word), t->n);
	return true;
}

static bool
take_number(struct str *t, uint64_t *n)
{
	size_t end = 0;

	while (end < t->n && t->s[end] >= '0' && t->s[end] <= '9')
		end++;
	bool ok = str_to_u64(str_sub(*t, 0, end), n);
	*t = str_sub(*t, end, t->n);
	return ok;
}

/* What a sentence says: of so many arguments, the last of which may have a range. */
struct sentence {
	struct given g[4];
	size_t n;
	bool range;
};

/* "argument 3 == 1 and argument 2 == 7" or "... argument 2 in 0..64"; what follows is
 * left in the text. */
static bool
read_arguments(struct str *t, struct sentence *s)
{
	uint64_t at;

	*s = (struct sentence){0};
	do {
		struct given *g = &s->g[s->n++];

		if (!take(t, "argument ") || !take_number(t, &at))
			return false;
		g->at = (uint32_t)at;
		s->range = take(t, " in 0..");
		if ((!s->range && !take(t, " == ")) || !take_number(t, &g->value))
			return false;
	} while (!s->range && s->n < 4 && take(t, " and "));
	return true;
}

/* "0, 64, 128..256" has the value. */
static bool
listed(struct str t, uint64_t value)
{
	uint64_t lo, hi;

	do {
		assert_true(take_number(&t, &lo));
		hi = lo;
		if (take(&t, ".."))
			assert_true(take_number(&t, &hi));
		if (value >= lo && value <= hi)
			return true;
	} while (take(&t, ", ") && !str_starts(t, "refused"));
	return false;
}

/* ": clean iff argument 1 % 64 == 0, refused otherwise" or ": clean for 0, 64..128, ...":
 * some values of the range. */
static unsigned
range_agrees(struct arena *a, const struct gate_kernel *k, struct launch l,
	struct sentence *s, struct str t)
{
	struct given *g = &s->g[s->n - 1];
	uint64_t end = g->value, by = end > 64 ? 31 : 1, m = 0, at;
	unsigned n = 0;

	if (take(&t, ": clean iff argument ")) {
		assert_true(take_number(&t, &at) && at == g->at);
		assert_true(take(&t, " % ") && take_number(&t, &m) && m);
	} else
		assert_true(take(&t, ": clean for "));
	for (uint64_t i = 0; i <= end; i += i < 2 || i + 1 == end ? 1 : by) {
		bool clean = m ? i % m == 0 : listed(t, i);

		g->value = i;
		expect_all(a, k, l, s->g, s->n, clean ? VERDICT_CLEAN : VERDICT_REFUSED);
		n++;
	}
	return n;
}

/* What a message says of arguments is so. */
static unsigned
agree(struct arena *a, const struct gate_kernel *k, struct launch l, struct str m)
{
	unsigned n = 0;
	struct sentence s;

	for (size_t i = 0; i < m.n; i++) {
		struct str t = str_sub(m, i, m.n);
		bool cond = take(&t, "refused if ");

		if ((!cond && !take(&t, "with ")) || !read_arguments(&t, &s) ||
			(cond && t.n && t.s[0] != ';'))
			continue;
		if (s.range) {
			n += range_agrees(a, k, l, &s, t);
			continue;
		}
		bool clean = !cond && str_find(t, 'c') < str_find(t, 'f');
		do {
			expect_all(a, k, l, s.g, s.n,
				clean ? VERDICT_CLEAN : VERDICT_REFUSED);
			n++;
		} while (take(&t, " or ") && take_number(&t, &s.g[s.n - 1].value));
	}
	return n;
}

static void
test_corpus(void **state)
{
	struct arena *a = *state;
	const char *dir = getenv("SRCDIR");
	struct str text, line, last = {0};
	unsigned caveats = 0, checked = 0;

	dir = dir ? dir : ".";
	assert_true(fs_try_read(
		a, str_c(a, str_fmt(a, "%s/tests/gate/launches.txt", dir)), &text));
	while (str_line(&text, &line)) {
		struct str name, where, ptx;
		struct launch l;

		if (!line.n || line.s[0] == '#' || !str_split(&line, ' ', &name) ||
			!str_split(&line, ' ', &where) || str_eq(name, last))
			continue;
		last = name;
		assert_true(launch_parse(where, &l));
		const char *path = str_c(
			a, str_fmt(a, "%s/tests/gate/%.*s.ptx", dir, STR_ARG(name)));
		assert_true(fs_try_read(a, path, &ptx));
		const struct gate_kernel *k = prepare(a, path, ptx, name);
		struct verdict v = check(a, k, l, NULL, 0);
		caveats += v.kind == VERDICT_CAVEAT;
		for (size_t i = 0; i < v.n_findings; i++)
			checked += agree(a, k, l, v.findings[i].message);
	}
	print_message("%u caveats, %u conditions checked\n", caveats, checked);
	assert_true(checked >= 300);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_path),
		cmocka_unit_test(test_unsigned_path),
		cmocka_unit_test(test_period),
		cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_wide),
		cmocka_unit_test(test_narrow),
		cmocka_unit_test(test_two_compared),
		cmocka_unit_test(test_one_held),
		cmocka_unit_test(test_confirmed),
		cmocka_unit_test(test_no_condition),
		cmocka_unit_test(test_corpus),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
