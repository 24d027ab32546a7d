#include "captured.h"

#include "base/fs.h"
#include "model/result.h"

#include <math.h>

static struct result *
read_text(struct captured *c, struct str text)
{
	fs_write("result.json", text, NULL);
	return result_read(&c->a, "result.json", &c->d);
}

static struct result
sample(void)
{
	static struct reading readings[] = {{.ns = 3400.5, .sm_mhz = 1980, .reasons = 4},
		{.ns = 3412.25, .cause = READING_SLOW_CLOCK},
		{.ns = 3.4e3, .host_ns = (double)NAN}};
	struct result r = result_none();

	r.kernel = STR_LIT("reduce");
	r.size = STR_LIT("1M");
	r.candidate = STR_LIT("BLOCK=32,TILE=512");
	r.median_ns = 3400.5;
	r.low_ns = 3390;
	r.high_ns = 3420;
	r.readings = readings;
	r.n_readings = 3;
	r.launches_per_batch = 512;
	r.singles = readings;
	r.n_singles = 1;
	r.verified = true;
	r.verified_by = STR_LIT("oracle");
	r.n_wrong = 0;
	return r;
}

static void
written_and_read_back(void **state)
{
	struct captured *c = *state;
	struct result r = sample(), *back;
	struct str text = result_write(&c->a, &r);

	back = read_text(c, text);
	assert_non_null(back);
	assert_true(back->median_ns == 3400.5 && back->n_readings == 3);
	assert_true(back->readings[1].ns == 3412.25);
	assert_int_equal(back->readings[0].reasons, 4);
	assert_int_equal(back->readings[1].cause, READING_SLOW_CLOCK);
	assert_true(isnan(back->readings[2].host_ns));
	assert_true(back->n_singles == 1 && back->singles[0].ns == 3400.5);
	assert_true(isnan(back->max_abs_error));
	assert_true(str_eq(result_write(&c->a, back), text));
}

/* What was measured before they were taken stands. */
static void
singles_may_be_missing(void **state)
{
	struct captured *c = *state;
	struct result r = sample(), *back;
	const char *text = str_c(&c->a, result_write(&c->a, &r));
	const char *from = strstr(text, "\"single\""), *to = strstr(text, "\"window\"");

	assert_true(from && to && from < to);
	back = read_text(c, str_fmt(&c->a, "%.*s%s", (int)(from - text), text, to));
	assert_non_null(back);
	assert_true(back->n_singles == 0 && back->n_readings == 3);
	/* But not be halfway there. */
	back = read_text(c,
		str_fmt(&c->a, "%.*s\"single\": {}, %s", (int)(from - text), text, to));
	assert_null(back);
	assert_says(c, "readings_ns");
}

static void
names(void **state)
{
	for (int i = 0; i < N_RESULT_STATUSES; i++) {
		enum result_status s;
		assert_true(result_status_find(
			str_of(result_status_name((enum result_status)i)), &s));
		assert_int_equal(s, i);
	}
	for (int i = 0; i < N_RESULT_KINDS; i++) {
		enum result_kind k;
		assert_true(result_kind_find(
			str_of(result_kind_name((enum result_kind)i)), &k));
		assert_int_equal(k, i);
	}
	enum result_status s;
	assert_false(result_status_find(STR_LIT("fine"), &s));
	assert_false(result_status_find(STR_LIT(""), &s));
}

/* What a damaged file could pass off as a timing. */
static void
damaged(void **state)
{
	struct captured *c = *state;
	struct result r = sample();
	struct str text = result_write(&c->a, &r);

	for (size_t n = 0; n + 2 < text.n; n += 3) {
		assert_null(read_text(c, str_sub(text, 0, n)));
		assert_int_equal(c->d.errors, 1);
		captured_take(c);
	}
	r.median_ns = (double)NAN;
	assert_null(read_text(c, result_write(&c->a, &r)));
	assert_says(c, "needs a positive median_ns");
	r = sample();
	r.median_ns = -1;
	assert_null(read_text(c, result_write(&c->a, &r)));
	assert_says(c, "needs a positive median_ns");
	r = sample();
	r.low_ns = 3401;
	assert_null(read_text(c, result_write(&c->a, &r)));
	assert_says(c, "the interval does not hold the median");
	r = sample();
	r.readings = (struct reading[]){{.ns = 0}, {.ns = 1}, {.ns = 2}};
	assert_null(read_text(c, result_write(&c->a, &r)));
	assert_says(c, "a reading is not positive");
	r.status = RESULT_HUNG;
	r.median_ns = (double)NAN;
	r.n_readings = 0;
	assert_non_null(read_text(c, result_write(&c->a, &r)));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		captured_test(written_and_read_back),
		captured_test(singles_may_be_missing),
		cmocka_unit_test(names),
		captured_test(damaged),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
