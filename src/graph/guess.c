#include "graph/guess.h"

#include "base/arena.h"
#include "perf/estimate.h"

#include <math.h>

struct guess {
	struct field space;
	const struct plan *plan;
	const struct plan_kernel *pk;
	size_t size;
};

static void
nth(const void *of, uint64_t place, uint16_t *choice)
{
	const struct guess *g = of;
	g->space.nth(g->space.of, place, choice);
}

static bool
find(const void *of, const uint16_t *choice, uint64_t *place)
{
	const struct guess *g = of;
	return g->space.find(g->space.of, choice, place);
}

static double
estimate(const void *of, uint64_t place)
{
	const struct guess *g = of;
	const struct kernel *k = g->pk->k;
	struct arena a = {0};
	uint16_t choice[SPEC_PARAMS_MAX];
	struct candidate c = {choice, space_nth(g->pk->space, place, choice)};
	struct scope scope = {k, &c, &k->sizes[g->size], g->plan->device};
	struct estimate_query q = {.dev = g->plan->device};
	/* What a spec gets wrong is told when the graph is written. */
	struct diag d = {.limit = 1, .errors = 2};
	double ns = (double)NAN;
	if (c.sizes >> g->size & 1 && candidate_launch(&a, &scope, &q.launch, &d) &&
		candidate_number(&a, &scope, k->work_bytes, &q.bytes, &d) &&
		candidate_number(&a, &scope, k->work_flops, &q.flops, &d))
		ns = estimate_of(&q).ns;
	arena_release(&a);
	return ns;
}

bool
guess_is_possible(const struct plan *p)
{
	return p->device->cc_major > 0 && strcmp(p->backend, "opencl") != 0;
}

struct field
guess_field(
	struct arena *a, const struct plan *p, const struct plan_kernel *pk, size_t size)
{
	struct guess *g = arena_new(a, struct guess);
	*g = (struct guess){field_of_space(pk->space), p, pk, size};
	struct field f = g->space;
	f.of = g;
	f.nth = nth;
	f.find = find;
	f.estimate = estimate;
	return f;
}
