#include "space/space.h"

#include "base/arena.h"
#include "base/buf.h"
#include "space/space_part.h"

#include <inttypes.h>

/* --- the problem -------------------------------------------------------------------- */

static void
add_domains(struct problem *p)
{
	const struct kernel *k = p->k;
	for (size_t i = 0; i < k->n_params; i++) {
		const struct param *param = &k->params[i];
		long only = p->ask->only ? p->ask->only[i] : -1;
		struct domain *d = &p->domains[i];
		*d = (struct domain){arena_news(p->a, param->n_values + 1, uint16_t), 0};
		p->values[i] = arena_news(p->a, param->n_values + 1, struct reg);
		for (size_t v = 0; v < param->n_values; v++) {
			p->values[i][v] = reg_of(&param->values[v]);
			if (only < 0 || (size_t)only == v)
				d->v[d->n++] = (uint16_t)v;
		}
	}
}

static uint64_t
count_raw(const struct problem *p)
{
	uint64_t raw = 1;
	for (size_t i = 0; i < p->k->n_params; i++)
		raw = count_product(raw, p->domains[i].n);
	return raw;
}

/* --- parts -------------------------------------------------------------------------- */

struct groups {
	unsigned of[SPEC_PARAMS_MAX]; /* another one of the group; itself: its leader */
	bool sized[SPEC_PARAMS_MAX];  /* of a leader */
};

static unsigned
leader(struct groups *g, unsigned i)
{
	while (g->of[i] != i)
		i = g->of[i];
	return i;
}

static unsigned
join(struct groups *g, unsigned i, unsigned j)
{
	unsigned x = leader(g, i), y = leader(g, j);
	unsigned low = x < y ? x : y;
	g->of[x] = g->of[y] = low;
	g->sized[low] = g->sized[x] || g->sized[y];
	return low;
}

/* Constraints that mention sizes decide together which sizes are left: one part. */
static void
group(struct problem *p, struct groups *g)
{
	const uint64_t *masks = code_params(p->a, &p->code);
	long sized = -1;
	for (unsigned i = 0; i < SPEC_PARAMS_MAX; i++)
		g->of[i] = i;
	for (size_t i = 0; i < p->n_tables; i++)
		join(g, p->tables[i].from, p->tables[i].to);
	for (size_t i = 0; i < p->n_checks; i++) {
		const struct check *c = &p->checks[i];
		uint64_t mask = masks[c->reg];
		if (!mask)
			continue;
		unsigned first = (unsigned)__builtin_ctzll(mask);
		for (; mask; mask &= mask - 1)
			join(g, first, (unsigned)__builtin_ctzll(mask));
		if (c->sizes == UINT32_MAX)
			continue;
		sized = join(g, first, sized < 0 ? first : (unsigned)sized);
		g->sized[sized] = true;
	}
}

static struct part *
part_new(struct problem *p, struct space *s, bool sized)
{
	struct part *part = &s->parts[s->n_parts++];
	*part = (struct part){.sized = sized,
		.ordered = true,
		.params = arena_news(p->a, SPEC_PARAMS_MAX, uint16_t)};
	return part;
}

/* A parameter with one value is in no part. */
static void
add_parts(struct problem *p, struct space *s)
{
	struct groups g = {0};
	long part_of[SPEC_PARAMS_MAX];
	group(p, &g);
	s->parts = arena_news(p->a, p->k->n_params + 1, struct part);
	for (size_t i = 0; i < p->k->n_params; i++)
		part_of[i] = -1;
	for (size_t rank = 0; rank < p->k->n_params; rank++) {
		unsigned i = p->ranked[rank], lead = leader(&g, i);
		struct space_param *sp = &s->params[i];
		*sp = (struct space_param){p->domains[i].v[0], SPACE_NO_PART, 0};
		if (p->domains[i].n == 1)
			continue;
		if (part_of[lead] < 0) {
			part_of[lead] = (long)s->n_parts;
			part_new(p, s, g.sized[lead]);
		}
		struct part *part = &s->parts[part_of[lead]];
		part->ordered = part->ordered &&
				(!part->n_params || i > part->params[part->n_params - 1]);
		sp->part = (uint16_t)part_of[lead];
		part->params[part->n_params++] = (uint16_t)i;
	}
}

/* --- errors ------------------------------------------------------------------------- */

static bool
report_failure(struct problem *p, size_t rule, size_t size, const uint16_t *choice)
{
	struct arena *a = p->a;
	const struct kernel *k = p->k;
	const struct expr *e = k->constraints[rule];
	struct candidate c = {.choice = choice};
	struct scope scope = {k, &c, &k->sizes[size], p->ask->dev};
	struct buf at = {.a = a};
	struct str why = {0};
	struct value v;
	const struct str *names;
	size_t n = expr_names(e, &names);
	for (size_t i = 0; i < n; i++)
		if (scope_lookup(&scope, names[i], &v))
			buf_addf(&at, "%s%.*s=%.*s", i ? "," : " at ", STR_ARG(names[i]),
				STR_ARG(value_text(a, v)));
	expr_eval(a, e, scope_lookup, &scope, &v, &why);
	diag_error(p->d, expr_place(e), "constraint '%.*s' has no value%s: %.*s",
		STR_ARG(expr_text(e)), buf_c(&at), STR_ARG(why));
	return false;
}

static bool
report_too_long(struct problem *p, const struct part *part)
{
	const struct kernel *k = p->k;
	struct buf names = {.a = p->a};
	if (!p->d)
		return false;
	for (size_t i = 0; i < part->n_params; i++)
		buf_addf(&names, "%s%.*s", i ? ", " : "",
			STR_ARG(k->params[part->params[i]].name));
	diag_error(p->d, k->at,
		"the space of '%.*s' is too large to count: its constraints tie %s "
		"together; write fewer values, or constraints over fewer parameters",
		STR_ARG(k->name), buf_c(&names));
	return false;
}

/* Constraints without parameters that have no value. */
static bool
check_constants(struct problem *p, const struct space *s, uint32_t sizes)
{
	uint16_t choice[SPEC_PARAMS_MAX] = {0};
	for (size_t i = 0; i < s->kernel->n_params; i++)
		choice[i] = s->params[i].first;
	for (size_t i = 0; i < p->n_checks && !p->ask->lenient; i++) {
		const struct check *c = &p->checks[i];
		if (p->code.ops[c->reg].level || !(c->sizes & sizes))
			continue;
		return report_failure(
			p, c->rule, (size_t)__builtin_ctz(c->sizes & sizes), choice);
	}
	return true;
}

/* A constraint without a value is an error only when the assignment is not removed, also
 * not by a constraint on other parameters. */
static bool
check_failures(struct problem *p, const struct space *s)
{
	uint32_t sizes = s->sizes;
	const struct part *failed = NULL;
	for (size_t i = 0; i < s->n_parts; i++) {
		const struct part *part = &s->parts[i];
		if (part->failed && !failed)
			failed = part;
		if (!part->failed && part->root == PART_NONE)
			return true;
		if (!part->failed && part->sized)
			sizes = part->nodes[part->root].sizes;
	}
	if (!failed)
		return check_constants(p, s, sizes);
	for (size_t i = 0; i < s->kernel->n_params; i++)
		if (s->params[i].part == SPACE_NO_PART)
			failed->failed[i] = s->params[i].first;
	return report_failure(
		p, failed->failed_rule, failed->failed_size, failed->failed);
}

/* --- building ----------------------------------------------------------------------- */

/*
 * A part that takes long in the order of the spec is tried in another one, and after that
 * in the first one to the end.  All starts over: what operations share depends on the
 * order, too.
 */
static const unsigned char shares[] = {8, 2, 1};

static bool
again(struct problem *p, const struct part *part)
{
	unsigned tries = p->tries[part->params[0]] + 1u;
	if (tries == sizeof shares)
		return report_too_long(p, part);
	for (size_t i = 0; i < part->n_params; i++)
		p->tries[part->params[i]] = (unsigned char)tries;
	part_order(p, part, tries == 2);
	p->again = true;
	return true;
}

/* Fills a part, in the order of the spec if that can be. */
static void
fill_part(struct problem *p, struct space *s, struct part *part)
{
	part_fill(p, part, shares[p->tries[part->params[0]]]);
	bool filled = !p->too_long && !part->failed && part->root != PART_NONE;
	if (filled && !part->ordered &&
		part->nodes[part->root].count <= SPACE_CANDIDATES_MAX)
		part_sort(p->a, part);
	for (size_t i = 0; i < part->n_params; i++)
		s->params[part->params[i]].place = (uint16_t)i;
}

static bool
fill_parts(struct problem *p, struct space *s)
{
	s->count = 1;
	for (size_t i = 0; i < s->n_parts; i++) {
		struct part *part = &s->parts[i];
		fill_part(p, s, part);
		if (p->too_long)
			return again(p, part);
		s->count =
			part->root == PART_NONE
				? 0
				: count_product(s->count, part->nodes[part->root].count);
		if (part->root == PART_NONE && !part->failed)
			return true;
	}
	return check_failures(p, s);
}

static bool
solve(struct problem *p, struct space *s)
{
	p->again = p->too_long = false;
	p->checks = NULL;
	p->tables = NULL;
	p->cap_checks = p->cap_tables = 0;
	p->sizes = (uint32_t)((UINT64_C(1) << p->k->n_sizes) - 1);
	*s = (struct space){.kernel = p->k};
	add_domains(p);
	s->raw = count_raw(p);
	if (!problem_prepare(p))
		return false;
	s->sizes = p->sizes;
	if (problem_is_empty(p))
		return true;
	add_parts(p, s);
	return fill_parts(p, s);
}

struct space *
space_ask(struct arena *a, const struct kernel *k, const struct space_ask *ask,
	struct diag *d)
{
	struct problem *p = arena_new(a, struct problem);
	struct space *s = arena_new(a, struct space);
	*p = (struct problem){.a = a, .k = k, .ask = ask, .d = d};
	for (size_t i = 0; i < k->n_params; i++)
		p->ranks[i] = p->ranked[i] = (uint16_t)i;
	struct arena_mark m = arena_mark(a);
	bool ok = solve(p, s);
	for (; p->again; ok = solve(p, s))
		arena_pop(a, m);
	code_release(&p->code);
	s->steps = p->steps;
	return ok ? s : NULL;
}

static void
report_empty(struct arena *a, const struct kernel *k, const struct space_ask *ask,
	struct diag *d)
{
	const struct space_why *why = space_explain(a, k, ask, d);
	if (!why)
		return;
	diag_error(d, k->at,
		"no candidate of '%.*s' satisfies its constraints (%" PRIu64
		" assignments)",
		STR_ARG(k->name), why->raw);
	for (size_t i = 0; i < k->n_constraints; i++) {
		const struct expr *e = k->constraints[i];
		if (!why->removed[i])
			continue;
		if (why->without[i] && why->without[i] != SPACE_MANY)
			diag_note(d, expr_place(e),
				"'%.*s' removes %" PRIu64 "; without it %" PRIu64
				" would be left",
				STR_ARG(expr_text(e)), why->removed[i], why->without[i]);
		else
			diag_note(d, expr_place(e), "'%.*s' removes %" PRIu64,
				STR_ARG(expr_text(e)), why->removed[i]);
	}
}

struct space *
space_build(
	struct arena *a, const struct kernel *k, const struct device *dev, struct diag *d)
{
	struct space_ask ask = {.dev = dev};
	struct space *s = space_ask(a, k, &ask, d);
	if (!s || s->count)
		return s;
	report_empty(a, k, &ask, d);
	return NULL;
}
