/*
 * What an applied choice is checked against: a hash of all that the spec says of a kernel
 * and that a choice depends on.  Neither a device nor how far a search is are in it.
 */
#include "base/buf.h"
#include "base/die.h"
#include "base/hash.h"
#include "base/map.h"
#include "graph/plan.h"
#include "model/arg.h"
#include "model/kernel_text.h"

/* Data in files decides outputs, not what is fastest; but who changes it wants to know.
 * A search has not seen them all. */
static void
add_data_hashes(struct buf *b, const struct plan_kernel *pk)
{
	struct map seen = {.a = b->a};
	bool any = false;
	for (size_t i = 0; i < pk->k->n_args && !pk->searches; i++)
		any = any || pk->k->args[i].fill == FILL_FILE;
	for (size_t i = 0; any && i < pk->n_points; i++) {
		struct arg *v;
		size_t n;
		struct str why;
		bool added;
		if (!args_parse(b->a, pk->points[i].inputs, &v, &n, &why))
			BUG("the arguments of a point: %.*s", STR_ARG(why));
		for (size_t j = 0; j < n; j++) {
			if (!v[j].file_hash.n)
				continue;
			map_put(&seen, v[j].file_hash, &added);
			if (added)
				buf_addf(b, "data %.*s\n", STR_ARG(v[j].file_hash));
		}
	}
}

const char *
plan_kernel_hash(struct arena *a, const struct plan_kernel *pk)
{
	struct buf b = {.a = a};
	buf_addstr(&b, kernel_text(a, pk->k));
	add_data_hashes(&b, pk);
	return hash_short(a, buf_str(&b), 16);
}
