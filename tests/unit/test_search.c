/* Strategies: what they ask for, where they end, and that they go on where they were. */
#include "captured.h"
#include "landscape.h"

#include "base/fs.h"

static const struct space *
space_of_file(struct captured *c, const char *name)
{
	const char *root = getenv("SRCDIR");
	const char *file =
		str_fmt(&c->a, "%s/tests/spaces/%s.json", root ? root : ".", name).s;
	const struct spec *s = spec_read(&c->a, file, &c->d);
	const struct space *space =
		s ? space_build(&c->a, &s->kernels[0], NULL, &c->d) : NULL;
	if (!space)
		fail_msg("%s", captured_take(c));
	return space;
}

/* `params` and `constraints` are the insides of those of a spec. */
static struct field
small_field(struct captured *c, const char *params, const char *constraints)
{
	const char *text = str_fmt(&c->a,
		"{\"schema\": \"lanewise/spec.v1\", \"kernels\": {\"k\": {\"source\": "
		"\"k.cu\", \"params\": {%s}, \"constraints\": [%s], \"launch\": "
		"{\"block\": 1}}}}",
		params, constraints)
				   .s;
	struct spec *s = spec_parse(&c->a, captured_source(c, text), &c->d);
	const struct space *space =
		s ? space_build(&c->a, &s->kernels[0], NULL, &c->d) : NULL;
	if (!space)
		fail_msg("%s", captured_take(c));
	return field_of_space(space);
}

/* 153 candidates, whose parameters depend on each other. */
static struct field
tied_field(struct captured *c)
{
	return small_field(c,
		"\"X\": {\"values\": {\"range\": [1, 30]}}, \"Y\": {\"values\": "
		"{\"range\": [1, 30]}}, \"V\": {\"values\": [\"a\", \"b\", \"c\"]}",
		"\"X % Y == 0\", \"X + Y <= 30 or Y == 3\"");
}

/* --- running ------------------------------------------------------------------------ */

/* Outcomes of a made-up landscape, in which every seventh candidate is refused. */
static void
evaluate(struct search *s, const struct landscape *l)
{
	uint64_t place = s->v[s->told].place;
	double t = landscape_time(l, place);
	if (rng_at(l->seed, place) % 7 == 0)
		search_tell(s, SEARCH_REFUSED, 0);
	else
		search_tell(s, t > 0 ? SEARCH_TIMED : SEARCH_FAILED, t);
}

static struct search
run(struct arena *a, const struct search_ask *ask, const struct landscape *l)
{
	struct search s = search_start(a, ask);
	while (search_next(&s))
		while (search_waits(&s))
			evaluate(&s, l);
	return s;
}

static void
assert_distinct(const struct search *s)
{
	uint16_t choice[SPEC_PARAMS_MAX];
	struct place_map m = {.a = s->a};
	for (size_t i = 0; i < s->n; i++) {
		uint64_t place = s->v[i].place, same;
		assert_false(place_map_get(&m, place, NULL));
		place_map_put(&m, place, i);
		s->ask.field->nth(s->ask.field->of, place, choice);
		assert_true(s->ask.field->find(s->ask.field->of, choice, &same));
		assert_true(same == place);
	}
}

static double
estimate(const void *of, uint64_t place)
{
	return place % 5 == 4 ? (double)NAN : 1 + (double)(place * 7 % 101);
}

/* --- tests -------------------------------------------------------------------------- */

static void
all_of_a_small_space_are_asked_for_once(void **state)
{
	struct captured *c = *state;
	struct field f = tied_field(c), with = f;
	with.estimate = estimate;
	assert_true(f.count > 100);
	struct landscape l = landscape_make(&f, 3);
	for (size_t i = 0; strategies[i]; i++)
		for (size_t batch = 1; batch < 40; batch = batch * 3 + 1)
			for (int e = 0; e < 2; e++) {
				struct search_ask ask = {.field = e ? &with : &f,
					.strategy = strategies[i],
					.seed = batch,
					.batch = batch};
				struct search s = run(&c->a, &ask, &l);
				assert_true(s.n == f.count);
				assert_distinct(&s);
			}
}

/* Any prefix of the results gives the same next candidates as going on does, also one
 * that ends within a batch. */
static void
a_search_goes_on_after_any_cut(void **state)
{
	struct captured *c = *state;
	struct field f = tied_field(c);
	struct landscape l = landscape_make(&f, 5);
	f.estimate = estimate;
	for (size_t i = 0; strategies[i]; i++)
		for (size_t batch = 1; batch <= 8; batch += 7) {
			struct search_ask ask = {&f, strategies[i], 11, 90, batch};
			struct search whole = run(&c->a, &ask, &l);
			for (size_t cut = 0; cut <= whole.n; cut++) {
				struct arena a = {0};
				struct search s = search_start(&a, &ask);
				size_t at;
				assert_true(search_replay(&s, whole.v, cut, &at));
				assert_true(s.n <= whole.n);
				assert_true(cut == whole.n || s.n > cut);
				while (search_waits(&s) || search_next(&s))
					evaluate(&s, &l);
				assert_true(s.n == whole.n);
				for (size_t k = 0; k < s.n; k++)
					assert_true(s.v[k].place == whole.v[k].place);
				arena_release(&a);
			}
		}
}

static void
results_of_another_search_are_noticed(void **state)
{
	struct captured *c = *state;
	struct field f = tied_field(c);
	struct landscape l = landscape_make(&f, 5);
	struct search_ask ask = {&f, strategy_find(STR_LIT("local")), 1, 50, 4};
	struct search whole = run(&c->a, &ask, &l);
	size_t at;
	struct search s = search_start(&c->a, &ask);
	whole.v[17].place = whole.v[16].place;
	assert_false(search_replay(&s, whole.v, whole.n, &at));
	assert_int_equal(at, 17);
	ask.seed = 2;
	s = search_start(&c->a, &ask);
	assert_false(search_replay(&s, whole.v, whole.n, &at));
	assert_int_equal(at, 0);
}

static void
refused_candidates_cost_nothing(void **state)
{
	struct captured *c = *state;
	struct field f = tied_field(c);
	struct landscape l = landscape_make(&f, 3);
	for (size_t i = 0; strategies[i]; i++)
		for (size_t batch = 1; batch <= 16; batch *= 4) {
			struct search_ask ask = {&f, strategies[i], 2, 60, batch};
			struct search s = run(&c->a, &ask, &l);
			size_t refused = 0;
			for (size_t k = 0; k < s.n; k++)
				refused += s.v[k].outcome == SEARCH_REFUSED;
			assert_true(refused > 0);
			assert_int_equal(s.spent, 60);
			assert_int_equal(s.n, 60 + refused);
		}
}

static void
nothing_but_failures_ends(void **state)
{
	struct captured *c = *state;
	struct field f = tied_field(c);
	for (size_t i = 0; strategies[i]; i++)
		for (int refused = 0; refused < 2; refused++) {
			struct search_ask ask = {&f, strategies[i], 2, 0, 5};
			struct search s = search_start(&c->a, &ask);
			while (search_next(&s))
				while (search_waits(&s))
					search_tell(&s,
						refused ? SEARCH_REFUSED : SEARCH_TIMED,
						-1);
			assert_true(s.n == f.count && s.best == SEARCH_NONE);
			assert_int_equal(s.spent, refused ? 0 : f.count);
		}
}

/* A bowl: every strategy that learns finds the bottom long before random would. */
static void
the_best_of_an_easy_space_is_found(void **state)
{
	struct captured *c = *state;
	struct field f = small_field(c,
		"\"A\": {\"values\": {\"range\": [0, 19]}}, \"B\": {\"values\": "
		"{\"range\": [0, 19]}}, \"C\": {\"values\": {\"range\": [0, 9]}}",
		"\"A != B\"");
	for (size_t i = 0; strategies[i]; i++) {
		struct search_ask ask = {&f, strategies[i], 1, 800, 4};
		const char *name = strategies[i]->name;
		struct search s = search_start(&c->a, &ask);
		if (!strcmp(name, "exhaustive") || !strcmp(name, "random") ||
			!strcmp(name, "prior"))
			continue;
		while (search_next(&s))
			while (search_waits(&s)) {
				uint16_t x[SPEC_PARAMS_MAX];
				f.nth(f.of, s.v[s.told].place, x);
				search_tell(&s, SEARCH_TIMED,
					1 + pow(x[0] - 13, 2) + pow(x[1] - 5, 2) +
						pow(x[2] - 7, 2));
			}
		if (s.v[s.best].time > 1)
			fail_msg("%s: %g", name, s.v[s.best].time);
	}
}

static double
place_itself(const void *of, uint64_t place)
{
	return (double)(1000 - place);
}

static void
an_estimate_decides_what_comes_first(void **state)
{
	struct captured *c = *state;
	struct field f = tied_field(c);
	struct landscape l = landscape_make(&f, 3);
	f.estimate = place_itself;
	struct search_ask ask = {&f, strategy_find(STR_LIT("prior")), 1, 10, 1};
	struct search s = run(&c->a, &ask, &l);
	for (size_t i = 0; i < 4; i++)
		assert_true(s.v[i].place == f.count - 1 - i);
	assert_true(s.v[5].place == f.count - 5);
}

static void
random_draws_are_even(void **state)
{
	enum { RUNS = 3000, N = 10 };
	struct captured *c = *state;
	struct field f = small_field(c, "\"A\": {\"values\": {\"range\": [0, 9]}}", "");
	size_t seen[N][N] = {{0}};
	for (uint64_t seed = 0; seed < RUNS; seed++) {
		struct search_ask ask = {
			&f, strategy_find(STR_LIT("random")), seed, 0, 1};
		struct search s = search_start(&c->a, &ask);
		for (size_t i = 0; search_next(&s); i++) {
			seen[i][s.v[i].place]++;
			search_tell(&s, SEARCH_FAILED, 0);
		}
	}
	double chi = 0, expected = (double)RUNS / N;
	for (size_t i = 0; i < N; i++)
		for (size_t j = 0; j < N; j++)
			chi += pow((double)seen[i][j] - expected, 2) / expected;
	assert_true(chi < 135); /* 81 degrees of freedom, p = 0.0001 */
}

/* Evaluations until a candidate within 1 % of the best was timed, over seeds. */
static double
evaluations(const struct field *f, const struct landscape *l, double best, size_t seeds)
{
	size_t sum = 0;
	for (uint64_t seed = 0; seed < seeds; seed++) {
		struct arena a = {0};
		struct search_ask ask = {f, strategy_find(STR_LIT("auto")), seed, 0, 1};
		ask.budget = f->count / 2;
		struct search s = search_start(&a, &ask);
		while (search_next(&s)) {
			double t = landscape_time(l, s.v[s.told].place);
			search_tell(&s, t > 0 ? SEARCH_TIMED : SEARCH_FAILED, t);
			if (t > 0 && t <= best * 1.01)
				break;
		}
		sum += s.n;
		arena_release(&a);
	}
	return (double)sum / (double)seeds;
}

/* tests/bench/search.sh does more of this. */
static void
auto_needs_less_than_half_of_what_random_needs(void **state)
{
	enum { SEEDS = 4 };
	static const char *const names[] = {
		"bat_nbody", "convolution_milo_hub", "pnpoly"};
	struct captured *c = *state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct field f = field_of_space(space_of_file(c, names[i]));
		struct landscape l = landscape_make(&f, 1);
		double best = INFINITY;
		size_t within = 0;
		for (uint64_t p = 0; p < f.count; p++) {
			double t = landscape_time(&l, p);
			best = t > 0 && t < best ? t : best;
		}
		for (uint64_t p = 0; p < f.count; p++) {
			double t = landscape_time(&l, p);
			within += t > 0 && t <= best * 1.01;
		}
		double by_random = (double)(f.count + 1) / (double)(within + 1);
		double n = evaluations(&f, &l, best, SEEDS);
		if (n > by_random / 2)
			fail_msg("%s: %g, random %g", names[i], n, by_random);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		captured_test(all_of_a_small_space_are_asked_for_once),
		captured_test(a_search_goes_on_after_any_cut),
		captured_test(results_of_another_search_are_noticed),
		captured_test(refused_candidates_cost_nothing),
		captured_test(nothing_but_failures_ends),
		captured_test(the_best_of_an_easy_space_is_found),
		captured_test(an_estimate_decides_what_comes_first),
		captured_test(random_draws_are_even),
		captured_test(auto_needs_less_than_half_of_what_random_needs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
