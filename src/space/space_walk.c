#include "base/arena.h"
#include "space/space_part.h"

/* --- in order ----------------------------------------------------------------------- */

/* The node of a step follows from the edge of the part's step before it. */
static void
enter(struct space_walk *w, unsigned i)
{
	struct space_step *s = &w->steps[i];
	s->node = s->part->root;
	if (s->before >= 0)
		s->node = s->part->edges[w->steps[s->before].at].child;
	s->at = s->part->nodes[s->node].first;
	s->end = s->at + s->part->nodes[s->node].n;
	w->choice[s->param] = s->part->edges[s->at].value;
}

static void
find_sizes(struct space_walk *w)
{
	if (w->sized < 0)
		return;
	const struct space_step *s = &w->steps[w->sized];
	w->sizes = s->part->nodes[s->part->edges[s->at].child].sizes;
}

void
space_walk_start(struct space_walk *w, const struct space *s)
{
	int16_t last[SPEC_PARAMS_MAX];
	*w = (struct space_walk){.space = s, .sizes = s->sizes, .sized = -1};
	for (size_t i = 0; i < s->n_parts; i++)
		last[i] = -1;
	for (size_t i = 0; i < s->kernel->n_params; i++) {
		const struct space_param *p = &s->params[i];
		w->choice[i] = p->first;
		if (p->part == SPACE_NO_PART)
			continue;
		w->steps[w->n] = (struct space_step){.part = &s->parts[p->part],
			.param = (uint16_t)i,
			.before = last[p->part]};
		w->unordered = w->unordered || !s->parts[p->part].ordered;
		if (s->parts[p->part].sized)
			w->sized = (int16_t)w->n;
		last[p->part] = (int16_t)w->n++;
	}
}

static bool
start(struct space_walk *w)
{
	w->started = true;
	if (!w->space->count)
		return false;
	for (unsigned i = 0; i < w->n; i++)
		enter(w, i);
	find_sizes(w);
	return true;
}

/* Without an order to follow, each candidate is looked up. */
static bool
look_up(struct space_walk *w)
{
	uint16_t choice[SPEC_PARAMS_MAX];
	size_t n = w->space->kernel->n_params;
	if (w->at == w->space->count)
		return false;
	w->sizes = space_nth(w->space, w->at++, choice);
	for (w->changed = 0; w->started && w->changed < n; w->changed++)
		if (choice[w->changed] != w->choice[w->changed])
			break;
	memcpy(w->choice, choice, n * sizeof *choice);
	w->started = true;
	return true;
}

bool
space_next(struct space_walk *w)
{
	if (w->unordered)
		return look_up(w);
	if (!w->started)
		return start(w);
	unsigned i = w->n;
	while (i && w->steps[i - 1].at + 1 == w->steps[i - 1].end)
		i--;
	if (!i)
		return false;
	struct space_step *s = &w->steps[i - 1];
	w->choice[s->param] = s->part->edges[++s->at].value;
	w->changed = s->param;
	for (; i < w->n; i++)
		enter(w, i);
	find_sizes(w);
	return true;
}

struct candidate *
space_candidates(struct arena *a, const struct space *s)
{
	size_t n = s->kernel->n_params;
	struct candidate *v = arena_news(a, s->count, struct candidate);
	uint16_t *rows = arena_news(a, s->count * n, uint16_t);
	struct space_walk w;
	space_walk_start(&w, s);
	for (size_t i = 0; space_next(&w); i++, rows += n) {
		memcpy(rows, w.choice, n * sizeof *rows);
		v[i] = (struct candidate){rows, w.sizes};
	}
	return v;
}

/* --- around a candidate ------------------------------------------------------------- */

struct around {
	struct arena *a;
	const struct space *s;
	uint16_t choice[SPEC_PARAMS_MAX];
	struct candidate *v;
	size_t n, cap;
};

/* Adds the candidate with another value of a parameter, if it is one. */
static bool
try_value(struct around *r, size_t param, size_t value)
{
	size_t n = r->s->kernel->n_params;
	uint16_t old = r->choice[param];
	r->choice[param] = (uint16_t)value;
	uint32_t sizes = space_find(r->s, r->choice, NULL);
	if (sizes) {
		uint16_t *row = arena_news(r->a, n, uint16_t);
		memcpy(row, r->choice, n * sizeof *row);
		arena_grow(r->a, r->v, r->n, r->cap);
		r->v[r->n++] = (struct candidate){row, sizes};
	}
	r->choice[param] = old;
	return sizes != 0;
}

struct candidate *
space_neighbours(struct arena *a, const struct space *s, const uint16_t *choice,
	enum space_near near, size_t *n)
{
	struct around r = {.a = a, .s = s};
	const struct kernel *k = s->kernel;
	memcpy(r.choice, choice, k->n_params * sizeof *choice);
	for (size_t p = 0; p < k->n_params; p++) {
		size_t n_values = k->params[p].n_values, below = choice[p], v = 0;
		while (near == SPACE_NEXT_VALUE && below && !try_value(&r, p, --below)) {
		}
		for (; near == SPACE_ANY_VALUE && v < choice[p]; v++)
			try_value(&r, p, v);
		for (v = choice[p] + 1u; v < n_values; v++)
			if (try_value(&r, p, v) && near == SPACE_NEXT_VALUE)
				break;
	}
	*n = r.n;
	return r.v;
}
