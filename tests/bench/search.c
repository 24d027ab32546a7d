/*
 * Search strategies on made-up times for real spaces (tests/unit/landscape.h).
 *
 *   search table SEEDS FILE...   evaluations that each strategy needs on average until it
 *                                has a candidate within 1 % of the optimum, beside random
 *   search cache FILE SEED       the same times as a Kernel Tuner cache file
 *   search recorded SEEDS FILE...
 *                                the table for recorded times: of files that 'lanewise
 *                                simulate' reads
 */
#include "unit/landscape.h"

#include "base/arena.h"
#include "base/fs.h"
#include "search/recorded.h"

#include <stdio.h>
#include <stdlib.h>

static const double NEAR = 1.01;

static int n_missed; /* rows in which 'auto' needs more than half of random */

/* What does not learn, and the surrogate, which is what 'auto' takes here. */
static bool
is_left_out(const struct strategy *s)
{
	static const char *const names[] = {"exhaustive", "random", "prior", "surrogate"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(s->name, names[i]))
			return true;
	return false;
}

struct made {
	struct field field;
	struct landscape l;
	const struct space *space;
	double *ms; /* 0: failed, below: refused */
	double optimum;
	size_t n_valid, n_near; /* not refused; within 1 % */
	double random;          /* evaluations on average */
};

static void
judge(struct made *m)
{
	m->optimum = INFINITY;
	for (uint64_t i = 0; i < m->field.count; i++)
		if (m->ms[i] > 0)
			m->optimum = fmin(m->optimum, m->ms[i]);
	for (uint64_t i = 0; i < m->field.count; i++) {
		m->n_near += m->ms[i] > 0 && m->ms[i] <= m->optimum * NEAR;
		m->n_valid += m->ms[i] >= 0;
	}
	m->random = (double)(m->n_valid + 1) / (double)(m->n_near + 1);
}

static struct made *
make(struct arena *a, const char *file, uint64_t seed)
{
	struct diag d = {0};
	struct made *m = arena_new(a, struct made);
	const struct spec *spec = spec_read(a, file, &d);
	m->space = spec ? space_build(a, &spec->kernels[0], NULL, &d) : NULL;
	if (!m->space)
		exit(2);
	m->field = field_of_space(m->space);
	m->l = landscape_make(&m->field, seed);
	m->ms = arena_news(a, m->field.count, double);
	for (uint64_t i = 0; i < m->field.count; i++)
		m->ms[i] = landscape_time(&m->l, i);
	judge(m);
	return m;
}

static struct made *
read_recorded(struct arena *a, const char *file)
{
	struct diag d = {0};
	struct made *m = arena_new(a, struct made);
	const struct recorded *r = recorded_read(a, file, (struct str){0}, &d);
	if (!r)
		exit(2);
	m->field = recorded_field(r);
	m->ms = arena_news(a, r->n, double);
	for (size_t i = 0; i < r->n; i++) {
		enum search_outcome o = recorded_outcome(r, i, &m->ms[i]);
		if (o != SEARCH_TIMED)
			m->ms[i] = o == SEARCH_REFUSED ? -1 : 0;
	}
	judge(m);
	return m;
}

/* Evaluations until it is near; a search that does not get there counts with all it had.
 */
static uint64_t
evaluations(const struct made *m, const struct strategy *strategy, uint64_t seed,
	uint64_t budget)
{
	struct arena a = {0};
	struct search_ask ask = {&m->field, strategy, seed, budget, 1};
	struct search s = search_start(&a, &ask);
	bool near = false;
	while (!near && search_next(&s)) {
		double ms = m->ms[s.v[s.told].place];
		search_tell(&s,
			ms > 0   ? SEARCH_TIMED
			: ms < 0 ? SEARCH_REFUSED
				 : SEARCH_FAILED,
			ms);
		near = ms > 0 && ms <= m->optimum * NEAR;
	}
	arena_release(&a);
	return s.spent;
}

/* What the strategies need, behind the name of a space. */
static void
row(const struct made *m, uint64_t budget, size_t seeds)
{
	printf(" %8zu %6zu %8.0f", m->n_valid, m->n_near, m->random);
	for (size_t i = 0; strategies[i]; i++) {
		uint64_t sum = 0;
		if (is_left_out(strategies[i]))
			continue;
		for (uint64_t seed = 1; seed <= seeds; seed++)
			sum += evaluations(m, strategies[i], seed, budget);
		double mean = (double)sum / (double)seeds;
		printf(" %8.1f", mean);
		if (!strcmp(strategies[i]->name, "auto") && mean > m->random / 2) {
			printf("!");
			n_missed++;
		}
		fflush(stdout);
	}
	printf("\n");
}

/* Half of a made-up space is budget enough to tell; recorded ones are small, and all of
 * one is the budget, so that every run comes to its end. */
static void
rows(const char *file, bool recorded, size_t seeds)
{
	for (uint64_t landscape = 1; landscape <= (recorded ? 1 : 2); landscape++) {
		struct arena a = {0};
		const struct made *m =
			recorded ? read_recorded(&a, file) : make(&a, file, landscape);
		printf("%-26.*s %2d", (int)strcspn(fs_basename(file), "."),
			fs_basename(file), (int)landscape);
		row(m, recorded ? m->field.count : m->field.count / 2, seeds);
		arena_release(&a);
	}
}

static void
cache(const char *file, uint64_t seed)
{
	struct arena a = {0};
	const struct made *m = make(&a, file, seed);
	const struct kernel *k = m->space->kernel;
	struct recorded r = {.kernel = k->name, .device = STR_LIT("made up")};
	r.n_params = k->n_params;
	for (size_t i = 0; i < r.n_params; i++)
		r.params[i] = (struct recorded_param){.name = k->params[i].name,
			.values = k->params[i].values,
			.n = k->params[i].n_values};
	r.n = m->field.count;
	r.rows = arena_news(&a, r.n, struct recorded_row);
	r.order = arena_array(&a, r.n, sizeof *r.order);
	for (size_t i = 0; i < r.n; i++) {
		struct recorded_row *row = &r.rows[i];
		*row = (struct recorded_row){
			.choice = arena_news(&a, r.n_params, uint16_t),
			.fault = m->ms[i] > 0 ? FAULT_NONE : FAULT_RUNTIME,
			.time_ms = m->ms[i],
			.times_ms = &m->ms[i],
			.n_times = m->ms[i] > 0};
		m->field.nth(m->field.of, i, row->choice);
		r.order[i] = row;
	}
	struct str text = recorded_write_kt(&a, &r);
	fwrite(text.s, 1, text.n, stdout);
	arena_release(&a);
}

int
main(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "cache")) {
		cache(argv[2], strtoull(argv[3], NULL, 10));
		return 0;
	}
	bool recorded = argc >= 4 && !strcmp(argv[1], "recorded");
	if (argc < 4 || (strcmp(argv[1], "table") != 0 && !recorded)) {
		fprintf(stderr, "usage: search table|recorded SEEDS FILE... | cache FILE "
				"SEED\n");
		return 2;
	}
	printf("space                       #    valid  near   random");
	for (size_t i = 0; strategies[i]; i++)
		if (!is_left_out(strategies[i]))
			printf(" %8.8s", strategies[i]->name);
	printf("\n");
	for (int i = 3; i < argc; i++)
		rows(argv[i], recorded, strtoul(argv[2], NULL, 10));
	if (n_missed)
		printf("!: more than half of random\n");
	return n_missed > 0;
}
