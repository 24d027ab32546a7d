/* @name@ substitution in the texts under templates/. */
#ifndef FORMAT_TEMPLATE_H
#define FORMAT_TEMPLATE_H

#include "base/str.h"

struct template_var {
	const char *name;
	struct str value;
};

/* Replaces every @name@; an unknown name is a BUG (templates are ours). */
struct str template_fill(
	struct arena *a, struct str text, const struct template_var *vars, size_t n);

#endif
