#include "perf/bracket.h"

#include <math.h>

double
bracket_drift(const struct bracket *b)
{
	if (!(b->before_ns > 0 && b->after_ns > 0 && isfinite(b->before_ns)))
		return (double)INFINITY;
	return fabs(b->after_ns / b->before_ns - 1);
}

enum bracket_class
bracket_class(double drift)
{
	return drift <= BRACKET_STABLE    ? BRACKET_IS_STABLE
	       : drift <= BRACKET_CAUTION ? BRACKET_IS_CAUTION
					  : BRACKET_IS_UNSTABLE;
}

const char *
bracket_class_name(enum bracket_class c)
{
	static const char *const names[] = {
		[BRACKET_IS_STABLE] = "stable",
		[BRACKET_IS_CAUTION] = "caution",
		[BRACKET_IS_UNSTABLE] = "unstable",
	};

	return names[c];
}

double
bracket_anchor(const struct bracket *b, double at)
{
	double part;

	if (at <= b->before_at || !(b->after_at > b->before_at))
		return b->before_ns;
	part = (at - b->before_at) / (b->after_at - b->before_at);
	return b->before_ns + (b->after_ns - b->before_ns) * fmin(part, 1);
}
