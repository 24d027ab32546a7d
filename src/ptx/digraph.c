#include "ptx/digraph.h"

#include "base/arena.h"

#define NONE UINT32_MAX

struct graph
graph_new(struct arena *a, uint32_t n, const uint32_t *from, const uint32_t *to,
	size_t n_edges)
{
	struct graph g = {n, arena_news(a, (size_t)n + 2, uint32_t),
		arena_news(a, n_edges + 1, uint32_t)};
	uint32_t *next = g.off + 1; /* shifted, so that filling leaves off correct */
	for (size_t i = 0; i < n_edges; i++)
		next[from[i] + 1]++;
	for (uint32_t v = 1; v <= n; v++)
		next[v] += next[v - 1];
	for (size_t i = 0; i < n_edges; i++)
		g.to[next[from[i]]++] = to[i];
	return g;
}

struct graph
graph_reverse(struct arena *a, const struct graph *g)
{
	size_t n_edges = g->off[g->n];
	uint32_t *from = arena_news(a, n_edges + 1, uint32_t);
	for (uint32_t v = 0; v < g->n; v++)
		for (uint32_t i = g->off[v]; i < g->off[v + 1]; i++)
			from[i] = v;
	return graph_new(a, g->n, g->to, from, n_edges);
}

/* ---- depth-first search ---- */

struct frame {
	uint32_t v;
	uint32_t edge; /* next one to follow */
};

uint32_t
graph_rpo(struct arena *a, const struct graph *g, uint32_t root, uint32_t *order)
{
	struct arena_mark m = arena_mark(a);
	struct frame *stack = arena_news(a, g->n, struct frame);
	bool *seen = arena_news(a, g->n, bool);
	uint32_t depth = 0, n = 0;
	stack[depth++] = (struct frame){root, g->off[root]};
	seen[root] = true;
	while (depth) {
		struct frame *f = &stack[depth - 1];
		if (f->edge == g->off[f->v + 1]) {
			order[n++] = f->v;
			depth--;
			continue;
		}
		uint32_t w = g->to[f->edge++];
		if (!seen[w]) {
			seen[w] = true;
			stack[depth++] = (struct frame){w, g->off[w]};
		}
	}
	for (uint32_t i = 0; i < n / 2; i++) {
		uint32_t t = order[i];
		order[i] = order[n - 1 - i];
		order[n - 1 - i] = t;
	}
	arena_pop(a, m);
	return n;
}

/* ---- dominators; the names are the paper's ---- */

struct lt {
	const struct graph *g, *r;
	uint32_t n;         /* nodes reached */
	uint32_t *semi;     /* by node: number in the search; NONE if not reached */
	uint32_t *vertex;   /* by number */
	uint32_t *parent;   /* in the search tree */
	uint32_t *ancestor; /* in the forest; NONE for roots */
	uint32_t *label;
	uint32_t *bucket, *next; /* lists of nodes by semidominator */
	uint32_t *path;          /* scratch of compress */
};

static void
lt_search(struct lt *l, struct frame *stack, uint32_t root)
{
	const struct graph *g = l->g;
	uint32_t depth = 0;
	stack[depth++] = (struct frame){root, g->off[root]};
	l->semi[root] = l->n;
	l->vertex[l->n++] = root;
	while (depth) {
		struct frame *f = &stack[depth - 1];
		if (f->edge == g->off[f->v + 1]) {
			depth--;
			continue;
		}
		uint32_t w = g->to[f->edge++];
		if (l->semi[w] != NONE)
			continue;
		l->semi[w] = l->n;
		l->vertex[l->n++] = w;
		l->parent[w] = f->v;
		stack[depth++] = (struct frame){w, g->off[w]};
	}
}

static uint32_t
lt_eval(struct lt *l, uint32_t v)
{
	if (l->ancestor[v] == NONE)
		return v;
	uint32_t n = 0;
	for (uint32_t u = v; l->ancestor[l->ancestor[u]] != NONE; u = l->ancestor[u])
		l->path[n++] = u;
	while (n) {
		uint32_t u = l->path[--n], up = l->ancestor[u];
		if (l->semi[l->label[up]] < l->semi[l->label[u]])
			l->label[u] = l->label[up];
		l->ancestor[u] = l->ancestor[up];
	}
	return l->label[v];
}

static void
lt_step(struct lt *l, uint32_t w, uint32_t *idom)
{
	const struct graph *r = l->r;
	uint32_t p = l->parent[w];
	for (uint32_t i = r->off[w]; i < r->off[w + 1]; i++) {
		uint32_t v = r->to[i];
		if (l->semi[v] == NONE)
			continue;
		uint32_t u = lt_eval(l, v);
		if (l->semi[u] < l->semi[w])
			l->semi[w] = l->semi[u];
	}
	uint32_t s = l->vertex[l->semi[w]];
	l->next[w] = l->bucket[s];
	l->bucket[s] = w;
	l->ancestor[w] = p;
	for (uint32_t v = l->bucket[p]; v != NONE; v = l->next[v]) {
		uint32_t u = lt_eval(l, v);
		idom[v] = l->semi[u] < l->semi[v] ? u : p;
	}
	l->bucket[p] = NONE;
}

static uint32_t *
new_filled(struct arena *a, uint32_t n, uint32_t with)
{
	uint32_t *v = arena_news(a, n, uint32_t);
	for (uint32_t i = 0; i < n; i++)
		v[i] = with;
	return v;
}

void
graph_dominators(struct arena *a, const struct graph *g, const struct graph *r,
	uint32_t root, uint32_t *idom)
{
	struct arena_mark m = arena_mark(a);
	struct lt l = {.g = g,
		.r = r,
		.semi = new_filled(a, g->n, NONE),
		.vertex = new_filled(a, g->n, NONE),
		.parent = new_filled(a, g->n, NONE),
		.ancestor = new_filled(a, g->n, NONE),
		.label = new_filled(a, g->n, NONE),
		.bucket = new_filled(a, g->n, NONE),
		.next = new_filled(a, g->n, NONE),
		.path = new_filled(a, g->n, NONE)};
	for (uint32_t v = 0; v < g->n; v++) {
		idom[v] = NONE;
		l.label[v] = v;
	}
	lt_search(&l, arena_news(a, g->n, struct frame), root);
	for (uint32_t i = l.n; i-- > 1;)
		lt_step(&l, l.vertex[i], idom);
	for (uint32_t i = 1; i < l.n; i++) {
		uint32_t w = l.vertex[i];
		if (idom[w] != l.vertex[l.semi[w]])
			idom[w] = idom[idom[w]];
	}
	idom[root] = root;
	arena_pop(a, m);
}

/* ---- components ---- */

struct tarjan {
	const struct graph *g;
	uint32_t *index, *low;
	bool *on;
	uint32_t *stack;
	uint32_t n_stack, n_index, n_scc;
};

static bool
has_self_edge(const struct graph *g, uint32_t v)
{
	for (uint32_t i = g->off[v]; i < g->off[v + 1]; i++)
		if (g->to[i] == v)
			return true;
	return false;
}

static void
close_component(struct tarjan *t, uint32_t v, uint32_t *scc)
{
	bool cycle = t->stack[t->n_stack - 1] != v || has_self_edge(t->g, v);
	uint32_t w;
	do {
		w = t->stack[--t->n_stack];
		t->on[w] = false;
		scc[w] = cycle ? t->n_scc : NONE;
	} while (w != v);
	t->n_scc += cycle;
}

static void
open_node(struct tarjan *t, struct frame *f, uint32_t v)
{
	*f = (struct frame){v, t->g->off[v]};
	t->index[v] = t->low[v] = t->n_index++;
	t->stack[t->n_stack++] = v;
	t->on[v] = true;
}

uint32_t
graph_scc(struct arena *a, const struct graph *g, uint32_t root, uint32_t *scc)
{
	struct arena_mark m = arena_mark(a);
	struct tarjan t = {.g = g,
		.index = new_filled(a, g->n, NONE),
		.low = new_filled(a, g->n, NONE),
		.on = arena_news(a, g->n, bool),
		.stack = new_filled(a, g->n, NONE)};
	struct frame *f = arena_news(a, g->n, struct frame);
	uint32_t depth = 0;
	for (uint32_t v = 0; v < g->n; v++)
		scc[v] = NONE;
	open_node(&t, &f[depth++], root);
	while (depth) {
		uint32_t v = f[depth - 1].v;
		if (f[depth - 1].edge == g->off[v + 1]) {
			if (t.low[v] == t.index[v])
				close_component(&t, v, scc);
			if (--depth && t.low[v] < t.low[f[depth - 1].v])
				t.low[f[depth - 1].v] = t.low[v];
			continue;
		}
		uint32_t w = g->to[f[depth - 1].edge++];
		if (t.index[w] == NONE)
			open_node(&t, &f[depth++], w);
		else if (t.on[w] && t.index[w] < t.low[v])
			t.low[v] = t.index[w];
	}
	arena_pop(a, m);
	return t.n_scc;
}
