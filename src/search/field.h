/*
 * What a strategy sees of a space: candidates as places 0..count-1 in a fixed order, each
 * a choice of one value for every parameter.  A space of a spec (field_of_space) and a
 * recorded one (recorded_field) look the same from here.
 *
 * Values are known by their index alone: neighbours are candidates that differ in one
 * parameter, and a surrogate takes the order of values as written for the order of what
 * they mean.
 */
#ifndef SEARCH_FIELD_H
#define SEARCH_FIELD_H

#include "base/rng.h"
#include "space/space.h"

struct field {
	uint64_t count; /* < SPACE_MANY */
	size_t n_params;
	uint16_t n_values[SPEC_PARAMS_MAX];
	const void *of; /* handed to the functions */
	void (*nth)(const void *of, uint64_t place, uint16_t *choice);
	/* False if the choice is no candidate. */
	bool (*find)(const void *of, const uint16_t *choice, uint64_t *place);
	/* A time in any unit, lower is better; NaN: no opinion.  NULL: nothing is known
	 * in advance. Pure. */
	double (*estimate)(const void *of, uint64_t place);
};

/* s->count must be less than SPACE_MANY, and s must outlive the field. */
struct field field_of_space(const struct space *s);

/* All candidates that differ from the choice in exactly one parameter, in order of
 * parameter and value. */
size_t field_neighbours(struct arena *a, const struct field *f, const uint16_t *choice,
	uint64_t **places);
/* One of the candidates near a candidate: mostly it differs in one parameter; where
 * constraints leave few of those, in two, or it stands close in the order.  False if none
 * was found. */
bool field_step(
	const struct field *f, struct rng *r, const uint16_t *choice, uint64_t *place);

#endif
