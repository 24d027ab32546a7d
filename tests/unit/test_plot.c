#include "scratch.h"

#include "report/plot.h"

static const char *
plotted(struct scratch *s, const struct reading *v, size_t n)
{
	struct buf b = {.a = &s->a};

	plot_readings(&b, 2, v, n);
	return buf_c(&b);
}

static void
nothing_of_nothing(void **state)
{
	assert_string_equal(plotted(*state, NULL, 0), "");
}

/* The slowest on top, the fastest at the bottom, both named; void ones are crosses. */
static void
few_readings(void **state)
{
	static const struct reading v[] = {{.ns = 1000}, {.ns = 1300}, {.ns = 1600},
		{.ns = 1150, .cause = READING_THROTTLED}, {.ns = 1000}};

	assert_string_equal(plotted(*state, v, 5), "      1.600 us |  o\n"
						   "               |\n"
						   "               |\n"
						   "               | o\n"
						   "               |\n"
						   "               |   x\n"
						   "      1.000 us |o   o\n");
}

static void
equal_readings(void **state)
{
	static const struct reading v[] = {{.ns = 5}, {.ns = 5}, {.ns = 5}};
	const char *text = plotted(*state, v, 3), *last = strstr(text, "|ooo\n");

	assert_non_null(last);
	assert_string_equal(last, "|ooo\n"); /* in the last line, and only there */
}

/* Several share a column; a void one among them is seen. */
static void
many_readings(void **state)
{
	enum { N = 10 * PLOT_COLUMNS };
	struct scratch *s = *state;
	struct reading *v = arena_news(&s->a, N, struct reading);
	struct str rest, line;
	size_t lines = 0, crosses = 0, marks = 0;

	for (size_t i = 0; i < N; i++)
		v[i].ns = 100 + (double)(i % 10);
	v[57].cause = READING_SHARED;
	rest = str_of(plotted(s, v, N));
	while (str_line(&rest, &line)) {
		size_t bar = str_find(line, '|');
		lines++;
		assert_true(line.n - bar - 1 <= PLOT_COLUMNS);
		for (size_t i = bar + 1; i < line.n; i++) {
			marks += line.s[i] != ' ';
			if (line.s[i] == 'x') {
				crosses++;
				assert_int_equal(i - bar - 1, 5);
			}
		}
	}
	assert_int_equal(lines, PLOT_ROWS);
	assert_int_equal(crosses, 1);
	assert_int_equal(marks, PLOT_ROWS * PLOT_COLUMNS);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(nothing_of_nothing),
		scratch_test(few_readings),
		scratch_test(equal_readings),
		scratch_test(many_readings),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
