/* What is told of searches: how far they are, and all that they asked for. */
#include "graph/searching.h"

#include "base/arena.h"
#include "format/json.h"

#include <math.h>

static void
put_asked(struct arena *a, struct json_out *o, const struct searching *q)
{
	static const char *const names[] = {"pending", "timed", "failed", "refused"};
	json_open_array(o, "asked", false);
	for (size_t i = 0; i < q->search.n; i++) {
		uint16_t choice[SPEC_PARAMS_MAX];
		const struct search_result *r = &q->search.v[i];
		struct candidate c = {choice, space_nth(q->pk->space, r->place, choice)};
		if (i >= q->search.told && q->over)
			break;
		json_open_object(o, NULL);
		json_put_str(o, "candidate", candidate_name(a, q->pk->k, &c));
		json_put_c(o, "outcome", names[r->outcome]);
		json_put_f64(
			o, "time_ns", r->outcome == SEARCH_TIMED ? r->time : (double)NAN);
		json_close_object(o);
	}
	json_close_array(o);
}

void
searching_put(struct json_out *o, const char *key, const struct plan_kernel *pk)
{
	const struct searching *all = pk->searches;
	json_open_object(o, key);
	json_put_f64(o, "candidates", (double)pk->space->count);
	json_put_c(o, "strategy", all->ask.strategy->name);
	json_put_str(o, "budget", all->budget.text);
	json_put_f64(o, "seed", (double)all->ask.seed);
	json_put_f64(o, "batch", (double)all->ask.batch);
	json_open_object(o, "over");
	for (size_t z = 0; z < pk->k->n_sizes; z++) {
		const char *size = str_c(o->b.a, pk->k->sizes[z].name);
		if (all[z].over)
			json_put_c(o, size, all[z].over);
		else
			json_put_null(o, size);
	}
	json_close_object(o);
	json_close_object(o);
}

struct str
searching_text(struct arena *a, const struct plan_kernel *pk)
{
	struct json_out o = {.b = {.a = a}};
	json_open_object(&o, NULL);
	json_put_c(&o, "schema", "lanewise/search.v1");
	json_put_str(&o, "kernel", pk->k->name);
	searching_put(&o, "search", pk);
	json_open_array(&o, "sizes", false);
	for (size_t z = 0; z < pk->k->n_sizes; z++) {
		json_open_object(&o, NULL);
		json_put_str(&o, "size", pk->k->sizes[z].name);
		put_asked(a, &o, &pk->searches[z]);
		json_close_object(&o);
	}
	json_close_array(&o);
	json_close_object(&o);
	return json_done(&o);
}
