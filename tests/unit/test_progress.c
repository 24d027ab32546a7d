#include "scratch.h"

#include "graph/printer.h"
#include "graph/progress.h"
#include "node/event.h"

/* A plan of one kernel with 4 specializations and 16 points. */
struct world {
	struct spec spec;
	struct kernel kernel;
	struct plan_kernel kernels[1];
	struct plan plan;
};

static const struct plan *
plan_of(struct scratch *s, const char *backend)
{
	struct world *w = arena_new(&s->a, struct world);
	w->kernel.n_sizes = 1;
	w->kernels[0].k = &w->kernel;
	w->kernels[0].n_specializations = 4;
	w->kernels[0].n_points = 16;
	w->plan.kernels = w->kernels;
	w->plan.n_kernels = 1;
	w->plan.backend = backend;
	return &w->plan;
}

static void
tell(const char *node, const char *status, const char *detail, double ms, double ns)
{
	event_append(EVENTS_FILE, &(struct event){.node = str_of(node),
					  .name = STR_LIT("BLOCK=64@1M"),
					  .status = str_of(status),
					  .detail = str_of(detail),
					  .ms = ms,
					  .ns = ns});
}

static void
counts_stages_and_outcomes(void **state)
{
	struct scratch *s = *state;
	tell("lower", "ok", "", 1, 0); /* of an earlier run */
	struct progress p = progress_begin(&s->a, plan_of(s, "cuda"), false);
	progress_tick(&p);
	assert_int_equal(p.done[STAGE_LOWER], 0);
	tell("stage", "ok", "", 1, 0);
	tell("lower", "ok", "", 1, 0);
	tell("lower", "cached", "", 1, 0);
	tell("lower", "failed", "", 1, 0);
	tell("gate", "ok", "3 clean, 2 caveat, 8 refused, 1 error", 1, 0);
	tell("gate", "cached", "1 clean, 0 caveat, 1 refused, 0 error", 1, 0);
	tell("compile", "trouble", "", 1, 0);
	progress_tick(&p);
	assert_int_equal(p.done[STAGE_LOWER], 3);
	assert_int_equal(p.cached[STAGE_LOWER], 1);
	assert_int_equal(p.failed[STAGE_LOWER], 1);
	assert_int_equal(p.done[STAGE_GATE], 2);
	assert_int_equal(p.clean, 4);
	assert_int_equal(p.caveat, 2);
	assert_int_equal(p.refused, 9);
	assert_int_equal(p.error, 1);
	assert_int_equal(p.failed[STAGE_COMPILE], 1);
	progress_tick(&p); /* nothing new */
	assert_int_equal(p.done[STAGE_LOWER], 3);
	assert_int_equal(p.refused, 9);
}

static void
keeps_the_best(void **state)
{
	struct scratch *s = *state;
	struct progress p = progress_begin(&s->a, plan_of(s, "cuda"), false);
	tell("bench", "ok", "", 100, 900);
	tell("bench", "ok", "", 200, 0); /* failed its verification: no time */
	tell("bench", "ok", "", 300, 700);
	tell("bench", "ok", "", 400, 800);
	tell("estimate", "ok", "", 0, 750);
	progress_tick(&p);
	assert_int_equal(p.done[STAGE_BENCH], 5);
	assert_true(p.best[p.latest].ns == 700);
	assert_true(str_is(p.best[p.latest].candidate, "BLOCK=64"));
	assert_true(p.bench_ms == 1000);
}

static void
raw(const char *text, size_t n)
{
	assert_true(fs_try_append(EVENTS_FILE, (struct str){text, n}));
}

static void
half_a_line_waits_for_the_rest(void **state)
{
	struct scratch *s = *state;
	struct progress p = progress_begin(&s->a, plan_of(s, "cuda"), false);
	static const char line[] = "{\"node\":\"lower\",\"status\":\"ok\"}\n";
	for (size_t i = 0; i + 1 < sizeof line; i++) {
		assert_int_equal(p.done[STAGE_LOWER], 0);
		raw(line + i, 1);
		progress_tick(&p);
	}
	assert_int_equal(p.done[STAGE_LOWER], 1);
}

static void
foreign_lines_do_not_stop_it(void **state)
{
	struct scratch *s = *state;
	struct progress p = progress_begin(&s->a, plan_of(s, "cuda"), false);
	char *huge = arena_alloc(&s->a, 300001);
	memset(huge, 'h', 300000);
	huge[300000] = '\n';
	tell("lower", "ok", "", 1, 0);
	raw("\n\0\xff{}\n[", 8);
	raw("\n", 1);
	raw(huge, 300001);
	tell("lower", "ok", "", 1, 0);
	tell("gate", "ok", "many clean, -3 refused, 99999999999999999999999 error", 1, 0);
	tell("gate", "ok", ",,,,,,,", 1, 0);
	tell("gate", "ok", "", 1, 0);
	progress_tick(&p);
	assert_int_equal(p.done[STAGE_LOWER], 2);
	assert_int_equal(p.done[STAGE_GATE], 3);
	assert_int_equal(p.clean + p.caveat + p.refused + p.error, 0);
	fs_remove(EVENTS_FILE);
	progress_tick(&p); /* gone is no error */
}

static void
many_events_are_all_counted(void **state)
{
	struct scratch *s = *state;
	struct progress p = progress_begin(&s->a, plan_of(s, "cuda"), false);
	struct buf b = {.a = &s->a};
	for (int i = 0; i < 5000; i++) /* several reads of 64 KiB */
		buf_addf(&b, "{\"node\":\"lower\",\"name\":\"%d\",\"status\":\"ok\"}\n",
			i);
	raw(b.s, b.n);
	progress_tick(&p);
	assert_int_equal(p.done[STAGE_LOWER], 5000);
}

static void
summarise(void *arg)
{
	struct scratch *s = arg;
	for (int measured = 0; measured < 2; measured++) {
		struct progress p = progress_begin(
			&s->a, plan_of(s, measured ? "cuda" : "model"), true);
		tell("lower", "ok", "", 1, 0);
		tell("lower", "cached", "", 1, 0);
		tell(measured ? "bench" : "estimate", "ok", "", 1, 700);
		progress_tick(&p);
		progress_end(&p);
	}
	struct progress p = progress_begin(&s->a, plan_of(s, "cuda"), true);
	progress_end(&p); /* nothing ran: nothing said */
}

static void
the_summary_is_one_line(void **state)
{
	struct scratch *s = *state;
	struct ended e = scratch_run(s, summarise, s);
	assert_string_equal(e.err, "lower 2 (1 cached), estimate 1 in 0:00\n"
				   "lower 2 (1 cached), bench 1 in 0:00\n");
	assert_string_equal(e.out, "");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(counts_stages_and_outcomes),
		scratch_test(keeps_the_best),
		scratch_test(half_a_line_waits_for_the_rest),
		scratch_test(foreign_lines_do_not_stop_it),
		scratch_test(many_events_are_all_counted),
		scratch_test(the_summary_is_one_line),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
