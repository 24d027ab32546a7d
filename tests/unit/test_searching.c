/* A search in the graph: who gets one, what files tell it, and where it ends. */
#include "answered.h"

#include "graph/guess.h"
#include "graph/searching.h"
#include "perf/estimate.h"

#include <math.h>

static const struct device gpu = {.name = {"gpu", 3},
	.cc_major = 9,
	.sm_count = 4,
	.sm_clock_mhz = 1000,
	.max_threads_per_block = 1024,
	.max_threads_per_sm = 2048,
	.max_blocks_per_sm = 32,
	.registers_per_sm = 65536,
	.shared_per_sm_bytes = 233472,
	.shared_per_block_optin_bytes = 232448,
	.register_alloc_unit = 256,
	.warp_size = 32,
	.max_registers_per_thread = 255,
	.memory_bandwidth_gbps = 1000,
	.fp32_lanes_per_sm = 128};

/* As `lanewise graph --backend sim` would open it; NULL when it cannot. */
static struct plan *
try_plan(struct scratch *s, const char *members, const char *backend, const char **said)
{
	static const struct device *devices[] = {&gpu};
	struct diag d = {.to = fopen(".said", "w")};
	struct plan *p = arena_new(&s->a, struct plan);
	answered_spec(s, members);
	p->spec = spec_read(&s->a, "lanewise.json", &d);
	p->device = &gpu;
	p->devices = devices;
	p->n_devices = 1;
	p->backend = backend;
	p->compiler = STR_LIT("cc");
	bool ok = p->spec && plan_open(&s->a, p, &d);
	fclose(d.to);
	*said = scratch_text(s, ".said");
	return ok ? p : NULL;
}

static struct plan *
plan_of(struct scratch *s, const char *members)
{
	const char *said;
	struct plan *p = try_plan(s, members, "sim", &said);
	if (!p)
		fail_msg("%s", said);
	return p;
}

static struct searching *
search_of(struct scratch *s, const char *members)
{
	struct plan_kernel *pk = &plan_of(s, members)->kernels[0];
	assert_non_null(pk->searches);
	return &pk->searches[0];
}

static const char *
name_of(struct scratch *s, const struct searching *q, size_t i)
{
	uint16_t choice[SPEC_PARAMS_MAX];
	struct candidate c = {
		choice, space_nth(q->pk->space, q->search.v[i].place, choice)};
	return str_c(&s->a, candidate_name(&s->a, q->pk->k, &c));
}

/* What Ninja would do for the batch that waits. */
static void
answer_batch(struct scratch *s, const struct searching *q)
{
	for (size_t i = q->search.told; i < q->search.n; i++)
		answer(&s->a, name_of(s, q, i));
}

static void
drive(struct scratch *s, struct searching *q)
{
	struct str missing;
	while (searching_ask(q)) {
		answer_batch(s, q);
		assert_true(searching_learn(q, &missing));
	}
}

/* --- who has a search ------------------------------------------------------------------
 */

static void
a_small_space_is_searched_when_that_is_asked_for(void **state)
{
	struct scratch *s = *state;
	static const struct {
		const char *members, *strategy; /* NULL: all candidates */
		uint64_t budget;
		size_t batch;
	} cases[] = {
		{"", NULL, 0, 0},
		{"\"search\": {\"strategy\": \"exhaustive\"},", NULL, 0, 0},
		{"\"search\": {\"budget\": 160},", NULL, 0, 0},
		{"\"search\": {\"budget\": 159},", "auto", 159, 9},
		{"\"search\": {\"budget\": 20},", "auto", 20, 8},
		{"\"search\": {\"strategy\": \"local\"},", "local", 160, 10},
		{"\"search\": {\"budget\": \"1h\", \"strategy\": \"anneal\"},", "anneal",
			0, 16},
		{"\"search\": {\"budget\": 20, \"batch\": 3},", "auto", 20, 3},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct plan *p = plan_of(s, cases[i].members);
		const struct searching *q = p->kernels[0].searches;
		assert_true(!q == !cases[i].strategy);
		for (size_t z = 0; q && z < 2; z++) {
			assert_string_equal(q[z].ask.strategy->name, cases[i].strategy);
			assert_int_equal(q[z].ask.budget, cases[i].budget);
			assert_int_equal(q[z].ask.batch, cases[i].batch);
			assert_int_equal(q[z].size, z);
		}
	}
}

static void
what_cannot_be_is_told(void **state)
{
	struct scratch *s = *state;
	const char *said;
	assert_null(try_plan(s, "\"search\": {\"strategy\": \"locale\"},", "sim", &said));
	assert_contains(said, "lanewise.json:1:");
	assert_contains(said, "did you mean 'local'?");
	assert_null(
		try_plan(s, "\"search\": {\"budget\": \"device:1s\"},", "model", &said));
	assert_contains(said, "needs a device");
	assert_null(try_plan(s, "\"search\": {\"strategy\": \"prior\", \"budget\": 9},",
		"opencl", &said));
	assert_contains(said, "lanewise.json:1:");
	assert_contains(said, "take 'auto' or 'random'");
}

/* --- where it ends ---------------------------------------------------------------------
 */

static void
refused_candidates_never_count(void **state)
{
	struct scratch *s = *state;
	static const size_t budgets[] = {1, 8, 45};
	for (size_t i = 0; strategies[i]; i++)
		for (size_t b = 0; b < 3; b++) {
			const char *members = str_fmt(&s->a,
				"\"search\": {\"strategy\": \"%s\", \"budget\": %zu},",
				strategies[i]->name, budgets[b])
						      .s;
			struct searching *q = search_of(s, members);
			drive(s, q);
			assert_int_equal(q->n_timed + q->n_failed, budgets[b]);
			assert_int_equal(q->search.spent, budgets[b]);
			assert_int_equal(
				q->n_timed + q->n_failed + q->n_refused, q->search.n);
			assert_true(b < 2 || q->n_refused > 0);
			assert_true(b < 2 || q->n_failed > 0);
			assert_string_equal(q->over, "its budget is spent");
		}
}

/* All 160, of which only what is not refused counts. */
static void
a_space_ends(void **state)
{
	struct scratch *s = *state;
	struct searching *q = search_of(
		s, "\"search\": {\"strategy\": \"random\", \"budget\": \"9h\"},");
	size_t refused = 0, failed = 0;
	for (int a = 0; a < 16; a++)
		for (int b = 0; b < 10; b++) {
			enum verdict_kind v = answered_verdict(a, b);
			refused += v == VERDICT_REFUSED;
			failed += v == VERDICT_ERROR ||
				  (v == VERDICT_CLEAN && answered_wrong(a, b));
		}
	drive(s, q);
	assert_int_equal(q->search.n, 160);
	assert_int_equal(q->n_refused, refused);
	assert_int_equal(q->n_failed, failed);
	assert_int_equal(q->n_timed, 160 - refused - failed);
	assert_string_equal(q->over, "it asked for all");
	assert_false(searching_ask(q));
}

/* Three readings of a thousand launches of at least 1 us: 3 ms or more a candidate. */
static void
device_seconds_are_those_of_all_launches(void **state)
{
	struct scratch *s = *state;
	struct searching *q = search_of(s,
		"\"search\": {\"strategy\": \"random\", \"budget\": \"device:0.04s\", "
		"\"batch\": 4},");
	double spent = 0, before_last = 0;
	drive(s, q);
	for (size_t i = 0; i < q->search.n; i++) {
		int x, y;
		if (i == q->search.n - 4)
			before_last = spent;
		if (q->search.v[i].outcome != SEARCH_TIMED &&
			q->search.v[i].outcome != SEARCH_FAILED)
			continue;
		assert_int_equal(sscanf(name_of(s, q, i), "A=%d,B=%d", &x, &y), 2);
		if (answered_verdict(x, y) == VERDICT_CLEAN)
			spent += ANSWERED_READINGS * ANSWERED_LAUNCHES *
				 answered_ns(x, y, false) * 1e-9;
	}
	assert_true(fabs(spent - q->device_s) < 1e-9);
	assert_true(spent >= 0.04 && before_last < 0.04);
	assert_string_equal(q->over, "its device time is spent");
	assert_int_equal(q->search.told, q->search.n);
}

static void
time_by_the_clock_is_that_of_batches_before(void **state)
{
	struct scratch *s = *state;
	double wall[] = {0.4, 0.5, 0.2, 9};
	struct str missing;
	const char *members = "\"search\": {\"budget\": \"1s\", \"batch\": 5},";
	struct plan *p = plan_of(s, members);
	struct searching *q = p->kernels[0].searches;
	p->wall_s = wall;
	p->n_wall = 4;
	for (int i = 0; i < 3; i++) { /* 0.9 s were spent before the third */
		assert_true(searching_ask(q));
		answer_batch(s, q);
		assert_true(searching_learn(q, &missing));
	}
	assert_false(searching_ask(q));
	assert_string_equal(q->over, "its time is spent");
	assert_int_equal(q->search.told, 15);
	assert_false(searching_waits(q));
	/* What is known costs no time, and what was spent stays so. */
	p = plan_of(s, members);
	q = p->kernels[0].searches;
	p->wall_s = wall;
	p->n_wall = 4;
	searching_recall(q);
	assert_int_equal(q->search.told, 15);
	assert_string_equal(q->over, "its time is spent");
}

/* --- it goes on ------------------------------------------------------------------------
 */

static const char *
asked_text(struct scratch *s, const struct searching *q)
{
	struct buf b = {.a = &s->a};
	for (size_t i = 0; i < q->search.n; i++)
		buf_addf(&b, "%s %d %.3f\n", name_of(s, q, i),
			(int)q->search.v[i].outcome,
			q->search.v[i].outcome == SEARCH_TIMED ? q->search.v[i].time : 0);
	return buf_c(&b);
}

static void
forget_from(struct scratch *s, const struct searching *whole, size_t from)
{
	for (size_t i = from; i < whole->search.n; i++) {
		const char *name = name_of(s, whole, i);
		fs_remove(str_fmt(&s->a, ".lanewise/k/gate/%s.verdict.json", name).s);
		fs_remove(str_fmt(&s->a, ".lanewise/k/bench/%s@s.json", name).s);
	}
}

/* A search that knows files of the first `cut` candidates alone, which may end within a
 * batch, asks for what it would have asked for. */
static void
files_bring_it_to_where_it_was(void **state)
{
	struct scratch *s = *state;
	for (size_t i = 0; strategies[i]; i++) {
		const char *members = str_fmt(&s->a,
			"\"search\": {\"strategy\": \"%s\", \"budget\": 30, \"batch\": "
			"6},",
			strategies[i]->name)
					      .s;
		struct searching *whole = search_of(s, members);
		drive(s, whole);
		const char *text = asked_text(s, whole);
		for (size_t cut = 0; cut <= whole->search.n; cut += 1 + cut / 3) {
			forget_from(s, whole, cut);
			struct searching *q = search_of(s, members);
			searching_recall(q);
			assert_true(q->search.told <= cut && q->search.n >= cut);
			drive(s, q);
			assert_string_equal(asked_text(s, q), text);
		}
	}
}

static void
damaged_files_are_as_if_not_there(void **state)
{
	struct scratch *s = *state;
	const char *members = "\"search\": {\"strategy\": \"exhaustive\", \"budget\": "
			      "20, \"batch\": 4},";
	struct searching *q = search_of(s, members);
	struct str missing = {0};
	assert_true(searching_ask(q));
	assert_false(searching_learn(q, &missing));
	assert_contains(missing.s, "A=0,B=0@s");
	answer_batch(s, q);
	/* A=0,B=0 is refused; A=0,B=1 was timed. */
	fs_write(
		".lanewise/k/bench/A=0,B=1@s.json", STR_LIT("{\"schema\": \"lane"), NULL);
	assert_false(searching_learn(q, &missing));
	assert_contains(missing.s, "A=0,B=1@s");
	assert_int_equal(q->search.told, 0);
	assert_int_equal(q->n_refused, 0);
	answer(&s->a, "A=0,B=1");
	assert_true(searching_learn(q, &missing));
	assert_int_equal(q->search.told, 4);
}

/* --- what the graph has ----------------------------------------------------------------
 */

static void
candidates_are_in_order_with_the_sizes_that_want_them(void **state)
{
	struct scratch *s = *state;
	struct plan *p = plan_of(s,
		"\"search\": {\"strategy\": \"random\", \"budget\": 30, \"batch\": 10}, "
		"\"baseline\": {\"A\": 15, \"B\": 9},");
	struct plan_kernel *pk = &p->kernels[0];
	size_t n, n_s = 0, n_t = 0;
	struct candidate *v = searching_list(&s->a, pk, true, &n);
	assert_int_equal(n, 1);
	assert_int_equal(v[0].sizes, 3);
	drive(s, &pk->searches[0]);
	assert_true(searching_ask(&pk->searches[1]));
	v = searching_list(&s->a, pk, false, &n);
	assert_true(n == pk->searches[0].search.n || n == pk->searches[0].search.n + 1);
	v = searching_list(&s->a, pk, true, &n);
	for (size_t i = 0; i < n; i++) {
		uint64_t place, before;
		n_s += v[i].sizes & 1;
		n_t += v[i].sizes >> 1 & 1;
		assert_true(space_find(pk->space, v[i].choice, &place) != 0);
		assert_true(i == 0 || before < place);
		before = place;
	}
	assert_string_equal(
		str_c(&s->a, candidate_name(&s->a, pk->k, &v[n - 1])), "A=15,B=9");
	assert_int_equal(v[n - 1].sizes, 3);
	assert_true(n_s >= pk->searches[0].search.n);
	assert_true(n_t == 10 || n_t == 11);
}

static void
the_objective_is_what_is_made_small(void **state)
{
	struct scratch *s = *state;
	struct searching *q = search_of(s,
		"\"objective\": \"time_s * (1 + A)\", "
		"\"search\": {\"strategy\": \"random\", \"budget\": \"9h\"},");
	drive(s, q);
	double best = INFINITY;
	int x, y;
	for (int a = 0; a < 16; a++)
		for (int b = 0; b < 10; b++)
			if (answered_verdict(a, b) == VERDICT_CLEAN &&
				!answered_wrong(a, b))
				best = fmin(
					best, answered_ns(a, b, false) * 1e-9 * (1 + a));
	assert_true(fabs(q->search.v[q->search.best].time - best) < 1e-15);
	assert_int_equal(sscanf(name_of(s, q, q->search.best), "A=%d,B=%d", &x, &y), 2);
	assert_int_equal(x, 0);
}

/* The first ones of 'prior' are the ones that the model likes best, of which A is all
 * that it sees: grids of A + 1 blocks. */
static void
prior_goes_by_the_model(void **state)
{
	struct scratch *s = *state;
	struct searching *q = search_of(s,
		"\"work\": {\"bytes\": \"4 * n + 1e9 * (A - 6) ** 2\"}, "
		"\"search\": {\"strategy\": \"prior\", \"budget\": 8, \"batch\": 4},");
	int x, y;
	assert_true(searching_ask(q));
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(sscanf(name_of(s, q, i), "A=%d,B=%d", &x, &y), 2);
		assert_int_equal(x, 6);
	}
	uint16_t choice[SPEC_PARAMS_MAX] = {6, 3};
	uint64_t place;
	assert_true(q->field.find(q->field.of, choice, &place));
	struct estimate_query query = {.dev = &gpu,
		.launch = {{32, 1, 1}, {7, 1, 1}, {1, 1, 1}, 0, false, false},
		.bytes = 256,
		.flops = (double)NAN};
	assert_true(q->field.estimate(q->field.of, place) == estimate_of(&query).ns);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(a_small_space_is_searched_when_that_is_asked_for),
		scratch_test(what_cannot_be_is_told),
		scratch_test(refused_candidates_never_count),
		scratch_test(a_space_ends),
		scratch_test(device_seconds_are_those_of_all_launches),
		scratch_test(time_by_the_clock_is_that_of_batches_before),
		scratch_test(files_bring_it_to_where_it_was),
		scratch_test(damaged_files_are_as_if_not_there),
		scratch_test(candidates_are_in_order_with_the_sizes_that_want_them),
		scratch_test(the_objective_is_what_is_made_small),
		scratch_test(prior_goes_by_the_model),
	};
	return cmocka_run_group_tests_name("searching", tests, NULL, NULL);
}
