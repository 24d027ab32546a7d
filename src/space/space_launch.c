#include "space/space_launch.h"

static bool
names_device(const struct expr *e)
{
	const struct str *names;
	size_t n = e ? expr_names(e, &names) : 0;

	for (size_t i = 0; i < n; i++)
		if (str_starts(names[i], "device."))
			return true;
	return false;
}

static bool
needs_device(const struct kernel *k)
{
	bool needs = names_device(k->shared);

	for (int i = 0; i < 3; i++)
		needs |= names_device(k->block[i]) || names_device(k->grid[i]) ||
			 names_device(k->cluster[i]);
	return needs;
}

static bool
at_each_size(struct arena *a, struct scope *scope, struct diag *d)
{
	const struct kernel *k = scope->k;
	struct launch launch;

	for (size_t z = 0; z < k->n_sizes; z++) {
		scope->size = &k->sizes[z];
		if (scope->c->sizes >> z & 1 && !candidate_launch(a, scope, &launch, d))
			return false;
	}
	return true;
}

bool
space_launches(
	struct arena *a, const struct space *s, const struct device *dev, struct diag *d)
{
	struct space_walk w;
	size_t n = 0, sizes = s->kernel->n_sizes;

	if (!dev && needs_device(s->kernel))
		return true;
	space_walk_start(&w, s);
	for (; n < SPACE_LAUNCHES_MAX && space_next(&w); n += sizes ? sizes : 1) {
		struct candidate c = {w.choice, w.sizes};
		struct scope scope = {.k = s->kernel, .c = &c, .dev = dev};

		if (!at_each_size(a, &scope, d))
			return false;
	}
	return true;
}
