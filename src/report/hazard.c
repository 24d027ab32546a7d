#include "report/hazard.h"

#include "base/arena.h"
#include "base/die.h"

static struct str
key_of(struct arena *a, const struct finding *f, const struct place_of *at)
{
	/* Without a place, the message keeps different hazards apart. */
	if (!at->line)
		return str_fmt(a, "%.*s %.*s", STR_ARG(f->rule), STR_ARG(f->message));
	return str_fmt(a, "%.*s %.*s:%u", STR_ARG(f->rule), STR_ARG(at->file), at->line);
}

static void
fill_excerpt(struct places *p, struct hazard *h)
{
	if (!h->at.line)
		return;
	for (uint32_t i = 0; i < 3; i++)
		if (h->at.line + i >= 2)
			places_line(p, h->at.file, h->at.line + i - 1, &h->excerpt[i]);
}

static struct hazard_case *
case_of(struct arena *a, struct hazard *h, struct str label)
{
	bool added;
	size_t i;

	h->labels.a = a;
	i = map_put(&h->labels, label, &added);
	if (added) {
		arena_grow(a, h->cases, h->n_cases, h->cap_cases);
		h->cases[h->n_cases++] = (struct hazard_case){.label = label};
	}
	return &h->cases[i];
}

static void
add_case(struct arena *a, struct hazard *h, const struct rank_entry *e, struct str size,
	size_t n_sizes)
{
	struct hazard_case *c = case_of(a, h, e->label);

	if (!c->sizes)
		c->sizes = arena_news(a, n_sizes, struct str);
	/* Two findings of one rule at one line count once. */
	if (c->n_sizes && str_eq(c->sizes[c->n_sizes - 1], size))
		return;
	c->sizes[c->n_sizes++] = size;
	h->n_points++;
}

static void
add(struct places *p, struct hazards *out, struct map *seen, const struct ranking *r,
	const struct rank_size *z, const struct rank_entry *e, const struct finding *f)
{
	struct arena *a = p->a;
	struct place_of at = places_find(p, r->kernel, e->specialization, f);
	bool added;
	size_t i = map_put(seen, key_of(a, f, &at), &added);

	if (added) {
		arena_grow(a, out->v, out->n, out->cap);
		out->v[out->n++] = (struct hazard){.example = f,
			.example_label = e->label,
			.example_size = z->name,
			.example_launch = e->launch,
			.at = at};
		fill_excerpt(p, &out->v[i]);
	}
	if (i >= out->n || !out->v)
		BUG("hazard %zu of %zu", i, out->n);
	add_case(a, &out->v[i], e, z->name, r->n_sizes);
}

/* What cannot be decided about a candidate matters where nothing else refuses it. */
static bool
counts(const struct rank_entry *e, const struct finding *f, enum verdict_kind kind)
{
	return f->kind == kind && (kind != VERDICT_CAVEAT || e->verdict == kind);
}

struct hazards
hazards_of(struct places *p, const struct ranking *r, enum verdict_kind kind)
{
	struct hazards out = {0};
	struct map seen = {.a = p->a};

	for (size_t z = 0; z < r->n_sizes; z++)
		for (size_t i = 0; i < rank_size_n(&r->sizes[z]); i++) {
			const struct rank_entry *e = &r->sizes[z].v[i];
			for (size_t f = 0; f < e->n_findings; f++)
				if (counts(e, &e->findings[f], kind))
					add(p, &out, &seen, r, &r->sizes[z], e,
						&e->findings[f]);
		}
	return out;
}
