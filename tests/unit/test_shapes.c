#include "captured.h"

#include "report/shapes.h"

static struct finding
at_line(uint32_t line)
{
	return (struct finding){.rule = STR_LIT("LW003"),
		.klass = STR_LIT("site"),
		.kind = VERDICT_REFUSED,
		.file = STR_LIT("k.cu"),
		.line = line,
		.message = STR_LIT("they part")};
}

/* Blocks first, first + step, ...; refused (line) where `line_of` is not 0. */
static struct shapes
fold_blocks(struct arena *a, uint64_t first, uint64_t step, size_t n,
	uint32_t (*line_of)(uint64_t x))
{
	struct dim *d = arena_news(a, n, struct dim);
	struct shapes s = {.a = a, .blocks = d, .n_blocks = n, .step = step};

	for (size_t i = 0; i < n; i++) {
		d[i] = (struct dim){first + i * step, 1, 1};
		uint32_t line = line_of(d[i].x);
		struct finding f = at_line(line);
		struct verdict v = {.kind = line ? VERDICT_REFUSED : VERDICT_CLEAN,
			.findings = &f,
			.n_findings = line ? 1 : 0};
		shapes_add(&s, i, &v);
	}
	shapes_sort(&s);
	return s;
}

static void
assert_text(struct shapes *s, const char *expected)
{
	struct buf b = {.a = s->a};
	shapes_text(&b, s);
	assert_string_equal(buf_c(&b), expected);
}

static uint32_t
one_warp(uint64_t x)
{
	return x <= 32 ? 0 : 12;
}
static uint32_t
whole_warps(uint64_t x)
{
	return x % 32 ? 12 : 0;
}
static uint32_t
one_or_whole(uint64_t x)
{
	return x > 32 && x % 32 ? 12 : 0;
}
static uint32_t
never(uint64_t x)
{
	return x ? 7 : 0;
}
static uint32_t
powers(uint64_t x)
{
	return x & (x - 1) ? 7 : 0;
}
static uint32_t
odd_after_two(uint64_t x)
{
	return x % 4 == 2 ? 0 : 7;
}
static uint32_t
two_lines(uint64_t x)
{
	return x < 3 ? 0 : x < 9 ? 20 : 10;
}
static uint32_t
every_second(uint64_t x)
{
	return x * x % 7 % 2 ? 0 : 3;
}

static void
ranges(void **state)
{
	struct captured *c = *state;
	struct shapes s = fold_blocks(&c->a, 1, 1, 1024, one_warp);
	assert_text(&s, "clean: 1..32\n"
			"refused: 33..1024 (LW003 k.cu:12)\n    at 33: they part\n");
	s = fold_blocks(&c->a, 1, 1, 3, never);
	assert_text(
		&s, "clean: none\nrefused: 1..3 (LW003 k.cu:7)\n    at 1: they part\n");
	s = fold_blocks(&c->a, 1, 1, 12, two_lines);
	assert_text(&s, "clean: 1..2\n"
			"refused: 3..8 (LW003 k.cu:20)\n    at 3: they part\n"
			"refused: 9..12 (LW003 k.cu:10)\n    at 9: they part\n");
}

static void
strides(void **state)
{
	struct captured *c = *state;
	struct shapes s = fold_blocks(&c->a, 1, 1, 1024, whole_warps);
	assert_text(&s, "clean: 32, 64, ..., 1024 (multiples of 32)\n"
			"refused: 1..31, 33..63, ..., 993..1023 (every 32) "
			"(LW003 k.cu:12)\n    at 1: they part\n");
	s = fold_blocks(&c->a, 1, 1, 130, one_or_whole);
	assert_text(&s, "clean: 1..32, 64, 96, 128\n"
			"refused: 33..63, 65..95, 97..127, 129..130 (LW003 k.cu:12)\n"
			"    at 33: they part\n");
	s = fold_blocks(&c->a, 1, 1, 16, powers);
	assert_text(&s, "clean: 1..2, 4, 8, 16\n"
			"refused: 3, 5..7, 9..15 (LW003 k.cu:7)\n    at 3: they part\n");
	s = fold_blocks(&c->a, 1, 1, 18, odd_after_two);
	assert_string_equal(
		str_c(&c->a, shapes_blocks_text(&s, &s.v[0])), "2, 6, ..., 18 (every 4)");
	/* In steps, neighbours are a step apart. */
	s = fold_blocks(&c->a, 32, 32, 32, one_warp);
	assert_text(&s, "clean: 32\n"
			"refused: 64..1024 (LW003 k.cu:12)\n    at 64: they part\n");
}

/* Every size is in exactly one range of one group, however it is folded. */
static void
ranges_cover(void **state)
{
	struct captured *c = *state;
	struct shapes s = fold_blocks(&c->a, 1, 1, 500, every_second);
	struct json_out o = {.b = {.a = &c->a}};
	unsigned char seen[501] = {0};

	json_open_object(&o, NULL);
	shapes_write(&o, &s);
	json_close_object(&o);
	struct source src = {"o", json_done(&o)};
	const struct json *v = json_parse(&c->a, &src, &c->d);
	assert_non_null(v);
	json_each(g, json_get(v, "groups"))
	{
		bool clean = str_is(json_get_str(g, "verdict"), "clean");
		json_each(r, json_get(g, "ranges")) for (int x = (int)r->child->number;
							 x <= r->child->next->number; x++)
		{
			seen[x]++;
			assert_int_equal(clean, every_second((uint64_t)x) == 0);
		}
	}
	for (int x = 1; x <= 500; x++)
		assert_int_equal(seen[x], 1);
}

static void
lists(void **state)
{
	struct captured *c = *state;
	struct dim d[] = {{16, 16, 1}, {32, 1, 1}, {4, 4, 4}};
	struct shapes s = {.a = &c->a, .blocks = d, .n_blocks = 3};
	struct finding f = at_line(0);
	struct verdict clean = {0},
		       caveat = {.kind = VERDICT_CAVEAT, .findings = &f, .n_findings = 1};

	shapes_add(&s, 0, &caveat);
	shapes_add(&s, 1, &clean);
	shapes_add(&s, 2, &caveat);
	shapes_sort(&s);
	assert_text(
		&s, "clean: 32\ncaveat: 16x16, 4x4x4 (LW003)\n    at 16x16: they part\n");
}

/* What cannot be folded is cut, and says how much more there is. */
static void
long_lists_are_cut(void **state)
{
	struct captured *c = *state;
	struct dim d[1000];
	struct shapes s = {.a = &c->a, .blocks = d, .n_blocks = 1000, .step = 1};
	struct verdict clean = {0};
	for (size_t i = 0; i < 1000; i++)
		d[i] = (struct dim){i + 1, 1, 1};
	for (size_t i = 0; i * i < 1000; i++)
		shapes_add(&s, i * i, &clean);
	assert_true(str_ends(
		shapes_blocks_text(&s, &s.v[0]), ", and 15 more (--json has all)"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		captured_test(ranges),
		captured_test(strides),
		captured_test(ranges_cover),
		captured_test(lists),
		captured_test(long_lists_are_cut),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
