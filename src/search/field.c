#include "search/field.h"

#include "base/arena.h"

static void
space_place(const void *of, uint64_t place, uint16_t *choice)
{
	space_nth(of, place, choice);
}

static bool
space_has(const void *of, const uint16_t *choice, uint64_t *place)
{
	return space_find(of, choice, place) != 0;
}

struct field
field_of_space(const struct space *s)
{
	struct field f = {.count = s->count,
		.n_params = s->kernel->n_params,
		.of = s,
		.nth = space_place,
		.find = space_has};
	for (size_t i = 0; i < f.n_params; i++)
		f.n_values[i] = (uint16_t)s->kernel->params[i].n_values;
	return f;
}

size_t
field_neighbours(
	struct arena *a, const struct field *f, const uint16_t *choice, uint64_t **places)
{
	uint16_t near[SPEC_PARAMS_MAX];
	size_t n = 0, cap = 0;
	*places = NULL;
	memcpy(near, choice, f->n_params * sizeof *near);
	for (size_t i = 0; i < f->n_params; i++) {
		for (uint16_t v = 0; v < f->n_values[i]; v++) {
			uint64_t place;
			near[i] = v;
			if (v == choice[i] || !f->find(f->of, near, &place))
				continue;
			arena_grow(a, *places, n, cap);
			(*places)[n++] = place;
		}
		near[i] = choice[i];
	}
	return n;
}

/* Another value for one parameter that has several. */
static bool
change(const struct field *f, struct rng *r, uint16_t *choice)
{
	size_t i = rng_below(r, f->n_params);
	if (f->n_values[i] < 2)
		return false;
	uint16_t v = (uint16_t)rng_below(r, f->n_values[i] - 1u);
	choice[i] = (uint16_t)(v + (v >= choice[i]));
	return true;
}

static bool
step_in_order(
	const struct field *f, struct rng *r, const uint16_t *choice, uint64_t *place)
{
	enum { FAR = 8 };
	uint64_t at, by = 1 + rng_below(r, FAR);
	if (!f->find(f->of, choice, &at) || f->count < 2)
		return false;
	if (rng_below(r, 2))
		*place = at >= by ? at - by : (at ? 0 : 1);
	else
		*place = f->count - 1 - at >= by ? at + by
			 : at + 1 < f->count     ? f->count - 1
						 : at - 1;
	return true;
}

bool
field_step(const struct field *f, struct rng *r, const uint16_t *choice, uint64_t *place)
{
	enum { TRIES = 64 };
	uint16_t near[SPEC_PARAMS_MAX];
	for (int i = 0; i < TRIES && f->n_params; i++) {
		memcpy(near, choice, f->n_params * sizeof *near);
		bool changed = change(f, r, near);
		if (i > TRIES / 2)
			changed = change(f, r, near) || changed;
		if (changed && memcmp(near, choice, f->n_params * sizeof *near) != 0 &&
			f->find(f->of, near, place))
			return true;
	}
	return step_in_order(f, r, choice, place);
}
