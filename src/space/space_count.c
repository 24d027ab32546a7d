#include "base/arena.h"
#include "space/space_part.h"
#include "space/word_map.h"

#include <stdlib.h>

/* --- points ------------------------------------------------------------------------- */

/* Paths of a part that end where a size is admitted. Children are made before their
 * parents, so they have lower indices. */
static uint64_t
count_at(const struct part *p, size_t size)
{
	struct arena a = {0};
	uint64_t *n = arena_news(&a, p->n_nodes, uint64_t);
	for (size_t i = 0; i < p->n_nodes; i++) {
		const struct part_node *node = &p->nodes[i];
		n[i] = !node->n && (node->sizes >> size & 1);
		for (size_t e = node->first; e < (size_t)node->first + node->n; e++)
			n[i] = count_sum(n[i], n[p->edges[e].child]);
	}
	uint64_t all = n[p->root];
	arena_release(&a);
	return all;
}

uint64_t
space_points(const struct space *s, size_t size)
{
	uint64_t n = s->sizes >> size & 1;
	for (size_t i = 0; i < s->n_parts && s->count; i++) {
		const struct part *p = &s->parts[i];
		n = count_product(
			n, p->sized ? count_at(p, size) : p->nodes[p->root].count);
	}
	return s->count ? n : 0;
}

/* --- specializations ---------------------------------------------------------------- */

/*
 * Assignments without the launch parameters: two paths that differ in these alone are
 * one.  So a state is a set of nodes, all that the values of the other parameters lead
 * to (the subset construction of automata).
 */
enum { SETS_MAX = 1 << 20 };

struct projection {
	const struct space *s;
	const struct part *p;
	struct arena *a;
	struct word_map met[SPEC_PARAMS_MAX]; /* sets, by place */
	uint64_t *counts[SPEC_PARAMS_MAX];
	size_t cap[SPEC_PARAMS_MAX];
	size_t n_sets;
	bool too_many;
};

struct set {
	uint64_t *v; /* nodes, ascending */
	size_t n;
};

static int
by_number(const void *x, const void *y)
{
	uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
	return (a > b) - (a < b);
}

static void
tidy(struct set *s)
{
	size_t n = 0;
	if (s->n)
		qsort(s->v, s->n, sizeof *s->v, by_number);
	for (size_t i = 0; i < s->n; i++)
		if (!n || s->v[n - 1] != s->v[i])
			s->v[n++] = s->v[i];
	s->n = n;
}

/* What the edges of a set lead to: all of them, or those of one value. */
static struct set
behind(struct projection *j, const struct set *from, long value)
{
	struct set out = {0};
	size_t most = 0;
	for (size_t i = 0; i < from->n; i++)
		most += j->p->nodes[from->v[i]].n;
	out.v = arena_news(j->a, most, uint64_t);
	for (size_t i = 0; i < from->n; i++) {
		const struct part_node *node = &j->p->nodes[from->v[i]];
		for (size_t e = node->first; e < (size_t)node->first + node->n; e++)
			if (value < 0 || j->p->edges[e].value == value)
				out.v[out.n++] = j->p->edges[e].child;
	}
	tidy(&out);
	return out;
}

static uint64_t project(struct projection *j, size_t place, const struct set *from);

static uint64_t
project_values(struct projection *j, size_t place, const struct set *from)
{
	const struct param *param = &j->s->kernel->params[j->p->params[place]];
	uint64_t n = 0;
	if (param->role == ROLE_LAUNCH) {
		struct set all = behind(j, from, -1);
		return project(j, place + 1, &all);
	}
	for (size_t v = 0; v < param->n_values && !j->too_many; v++) {
		struct set one = behind(j, from, (long)v);
		if (one.n)
			n = count_sum(n, project(j, place + 1, &one));
	}
	return n;
}

static uint64_t
project(struct projection *j, size_t place, const struct set *from)
{
	bool added;
	if (place == j->p->n_params)
		return 1;
	size_t at = word_map_put(&j->met[place], from->v, from->n, &added);
	if (!added)
		return j->counts[place][at];
	j->too_many = j->too_many || ++j->n_sets > SETS_MAX;
	uint64_t n = j->too_many ? 0 : project_values(j, place, from);
	while (at >= j->cap[place])
		j->counts[place] = arena_regrow(j->a, j->counts[place], j->cap[place],
			&j->cap[place], sizeof *j->counts[place]);
	return j->counts[place][at] = n;
}

static bool
has_launch(const struct space *s, const struct part *p)
{
	for (size_t i = 0; i < p->n_params; i++)
		if (s->kernel->params[p->params[i]].role == ROLE_LAUNCH)
			return true;
	return false;
}

static uint64_t
count_projected(const struct space *s, const struct part *p)
{
	struct arena a = {0};
	struct projection j = {.s = s, .p = p, .a = &a};
	uint64_t root = p->root;
	struct set all = {&root, 1};
	for (size_t i = 0; i < p->n_params; i++)
		j.met[i].a = &a;
	uint64_t n = project(&j, 0, &all);
	arena_release(&a);
	return j.too_many ? SPACE_MANY : n;
}

uint64_t
space_specializations(const struct space *s)
{
	uint64_t n = s->count > 0;
	for (size_t i = 0; i < s->n_parts && s->count; i++) {
		const struct part *p = &s->parts[i];
		n = count_product(n, has_launch(s, p) ? count_projected(s, p)
						      : p->nodes[p->root].count);
	}
	return n;
}
