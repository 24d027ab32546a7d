#include "graph/rounds.h"

#include "base/arena.h"
#include "base/clock.h"
#include "graph/searching.h"
#include "graph/sweep.h"

struct rounds {
	struct graph *g;
	struct str kernel;
	struct run_opts o;
	struct arena *a;  /* what outlives a batch */
	struct arena one; /* of the graph of one batch */
	struct str said;
	struct diag *d;
};

/* Iterates over the searches that are to move: `i` is theirs alone. */
static struct searching *
next_search(const struct rounds *r, size_t *i)
{
	const struct plan *p = &r->g->plan;
	for (size_t n = 0, k = 0; k < p->n_kernels; k++) {
		const struct plan_kernel *pk = &p->kernels[k];
		if (!pk->searches || (r->kernel.n && !str_eq(pk->k->name, r->kernel)))
			continue;
		if (*i < n + pk->k->n_sizes)
			return &pk->searches[(*i)++ - n];
		n += pk->k->n_sizes;
	}
	return NULL;
}

/* NOLINTBEGIN(bugprone-macro-parentheses): q is declared here */
#define each_search(q, r) \
	size_t i_ = 0; \
	for (struct searching * q; (q = next_search(r, &i_));)
/* NOLINTEND(bugprone-macro-parentheses) */

static bool
write_graph(struct rounds *r, bool waiting)
{
	arena_release(&r->one);
	return graph_write(&r->one, r->g, waiting, r->d);
}

static struct run_result
ninja(struct rounds *r, bool dry)
{
	const char *target = "bench";
	if (r->kernel.n)
		target = str_fmt(&r->one, "bench-%.*s", STR_ARG(r->kernel)).s;
	struct run_opts o = r->o;
	o.targets = (const char *const[]){target, NULL};
	o.dry = dry;
	return run_ninja(&r->one, &o);
}

/* Everything that the searches were told is as Ninja would make it now. */
static bool
is_current(struct rounds *r, bool *ok)
{
	*ok = write_graph(r, false);
	if (*ok)
		sweep_sources(&r->one, &r->g->plan);
	return *ok && ninja(r, true).no_work;
}

static bool
learn(struct rounds *r)
{
	each_search(q, r)
	{
		struct str missing = {0};
		if (!searching_waits(q) || searching_learn(q, &missing))
			continue;
		r->said = str_fmt(r->a,
			"lanewise: error: '%.*s' of '%.*s' has no result that can be "
			"read; "
			"remove .lanewise/%.*s and run again\n",
			STR_ARG(missing), STR_ARG(q->pk->k->name),
			STR_ARG(q->pk->k->name));
		return false;
	}
	return true;
}

/* True while a batch waits; *batch is the number of it. */
static bool
ask(struct rounds *r, size_t *batch)
{
	*batch = 0;
	each_search(q, r)
	{
		if (searching_ask(q) && q->batches > *batch)
			*batch = q->batches;
	}
	return *batch > 0;
}

static void
save_wall(struct rounds *r, size_t batch, double seconds)
{
	struct plan *p = &r->g->plan;
	if (batch > p->n_wall) {
		double *v = arena_news(r->a, batch, double);
		for (size_t i = 0; i < p->n_wall; i++)
			v[i] = p->wall_s[i];
		p->wall_s = v;
		p->n_wall = batch;
	}
	p->wall_s[batch - 1] = seconds;
	graph_save_wall(&r->one, p);
}

static bool
run_batch(struct rounds *r, size_t batch)
{
	int64_t start = clock_ns();
	if (!write_graph(r, true))
		return false;
	struct run_result n = ninja(r, false);
	if (!n.ok) {
		r->said = str_dup(r->a, n.said);
		return false;
	}
	if (!n.no_work)
		save_wall(r, batch, (double)(clock_ns() - start) * 1e-9);
	return learn(r);
}

static bool
run_all(struct rounds *r)
{
	size_t batch;
	bool ok;
	if (!is_current(r, &ok) && ok) {
		each_search(q, r) searching_restart(q);
	}
	while (ok && ask(r, &batch))
		ok = run_batch(r, batch);
	return ok && write_graph(r, false);
}

bool
rounds_run(struct graph *g, struct str kernel, const struct run_opts *o, struct arena *a,
	struct str *said, struct diag *d)
{
	struct rounds r = {.g = g, .kernel = kernel, .o = *o, .a = a, .d = d};
	size_t i = 0;
	bool ok = next_search(&r, &i) ? run_all(&r) : graph_write(a, g, false, d);
	if (ok)
		sweep(a, &g->plan);
	*said = r.said;
	return ok;
}
