/* Specs for tests, from their interesting members alone. */
#ifndef TESTS_UNIT_SPEC_TEXT_H
#define TESTS_UNIT_SPEC_TEXT_H

#include "captured.h"

#include "model/spec.h"

/* The only kernel, `k`, of a spec with these members; fails the test if it is wrong. */
static inline const struct kernel *
spec_of(struct captured *c, const char *members)
{
	struct str text = str_fmt(&c->a,
		"{\"schema\": \"lanewise/spec.v1\", \"kernels\": {\"k\": {\"source\": "
		"\"k.cu\", %s}}}",
		members);
	struct spec *s = spec_parse(&c->a, captured_source(c, text.s), &c->d);
	if (!s)
		fail_msg("%s", captured_take(c));
	return &s->kernels[0];
}

#endif
