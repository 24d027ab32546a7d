#include "base/arena.h"
#include "base/die.h"
#include "space/space_part.h"

/* Constraints on one parameter narrow its values; those on two become tables up to so
 * many pairs. */
enum { PAIRS_MAX = 1 << 14, ROUNDS_MAX = 8 };

struct rules {
	struct problem *p;
	struct arena *temp;
	uint64_t *masks; /* code_params() */
	uint32_t *cone;  /* registers that one register needs, in order */
	size_t n_cone;
	bool *seen;
};

/* --- names -------------------------------------------------------------------------- */

static long
size_key(const struct kernel *k, struct str name)
{
	for (size_t i = 0; i < k->sizes[0].n; i++)
		if (str_eq(k->sizes[0].keys[i], name))
			return (long)i;
	return -1;
}

static const struct value *
size_value(const struct size *s, struct str name)
{
	for (size_t i = 0; i < s->n; i++)
		if (str_eq(s->keys[i], name))
			return &s->values[i];
	BUG("size '%.*s' lacks '%.*s'", STR_ARG(s->name), STR_ARG(name));
}

static bool
bind_device(
	struct problem *p, const struct expr *e, size_t i, struct str name, uint32_t *reg)
{
	struct value v;
	if (!p->ask->dev) {
		diag_error(p->d, expr_name_place(e, i),
			"'%.*s' needs a device: name one with --device", STR_ARG(name));
		return false;
	}
	if (!device_value(p->ask->dev, name, &v)) {
		diag_error(p->d, expr_name_place(e, i), "unknown name '%.*s'",
			STR_ARG(name));
		return false;
	}
	*reg = code_constant(&p->code, reg_of(&v));
	return true;
}

static uint32_t
bind_param(struct problem *p, size_t param)
{
	const struct domain *d = &p->domains[param];
	if (d->n != 1)
		return (uint32_t)param;
	return code_constant(&p->code, p->values[param][d->v[0]]);
}

/* The registers of an expression's names at one size. */
static bool
bind_names(struct problem *p, const struct expr *e, size_t size, uint32_t *regs)
{
	const struct str *names;
	size_t n = expr_names(e, &names);
	for (size_t i = 0; i < n; i++) {
		long param = kernel_param(p->k, names[i]);
		if (param >= 0)
			regs[i] = bind_param(p, (size_t)param);
		else if (size_key(p->k, names[i]) >= 0)
			regs[i] = code_constant(&p->code,
				reg_of(size_value(&p->k->sizes[size], names[i])));
		else if (!bind_device(p, e, i, names[i], &regs[i]))
			return false;
	}
	return true;
}

/* --- compiling ---------------------------------------------------------------------- */

static void
add_check(struct problem *p, size_t first, struct check c)
{
	for (size_t i = first; i < p->n_checks; i++)
		if (p->checks[i].reg == c.reg && p->checks[i].hint == c.hint) {
			p->checks[i].sizes |= c.sizes;
			return;
		}
	arena_grow(p->a, p->checks, p->n_checks, p->cap_checks);
	p->checks[p->n_checks++] = c;
}

/* What stands before an outermost "and" may be known earlier than all of it. */
static void
add_hints(struct problem *p, size_t first, struct check c)
{
	const struct op *o = &p->code.ops[c.reg];
	unsigned level = o->level;
	c.hint = true;
	while (o->code == OP_AND) {
		c.reg = o->x;
		o = &p->code.ops[c.reg];
		if (o->level && o->level < level)
			add_check(p, first, c);
	}
}

static bool
compile_rule(struct problem *p, size_t rule)
{
	const struct kernel *k = p->k;
	const struct expr *e = k->constraints[rule];
	const struct str *names;
	size_t n = expr_names(e, &names), n_sets = 1, first = p->n_checks;
	uint32_t *regs = arena_news(p->a, n, uint32_t);
	uint32_t all = (uint32_t)((UINT64_C(1) << k->n_sizes) - 1);
	for (size_t i = 0; i < n; i++)
		if (size_key(k, names[i]) >= 0 && kernel_param(k, names[i]) < 0)
			n_sets = k->n_sizes;
	for (size_t s = 0; s < n_sets; s++) {
		if (!bind_names(p, e, s, regs))
			return false;
		struct check c = {.sizes = n_sets == 1 ? all : UINT32_C(1) << s,
			.rule = (uint16_t)rule};
		c.reg = code_expr(&p->code, e, regs);
		add_check(p, first, c);
		add_hints(p, first, c);
	}
	for (size_t i = first; i < p->n_checks; i++)
		if (p->checks[i].sizes == all)
			p->checks[i].sizes = UINT32_MAX;
	return true;
}

static bool
is_asked(const struct problem *p, size_t rule)
{
	return !p->ask->off || !p->ask->off[rule];
}

static void
add_params(struct problem *p)
{
	for (size_t i = 0; i < p->k->n_params; i++) {
		const struct domain *d = &p->domains[i];
		struct reg *allowed = arena_news(p->a, d->n + 1, struct reg);
		for (size_t j = 0; j < d->n; j++)
			allowed[j] = p->values[i][d->v[j]];
		code_param(&p->code, allowed, d->n, p->ranks[i]);
	}
}

static bool
compile(struct problem *p)
{
	code_release(&p->code);
	p->code = (struct code){.a = p->a};
	p->n_checks = p->n_tables = 0;
	add_params(p);
	for (size_t i = 0; i < p->k->n_constraints; i++) {
		if (is_asked(p, i) && !compile_rule(p, i))
			return false;
		if (p->code.full && p->d)
			diag_error(p->d, expr_place(p->k->constraints[i]),
				"the constraints up to this one are too long together: "
				"shorten them, or write fewer sizes");
		if (p->code.full)
			return false;
	}
	return true;
}

/* --- constraints on one or two parameters ------------------------------------------- */

static void
add_cone(struct rules *r, uint32_t reg)
{
	const struct op *o = &r->p->code.ops[reg];
	if (r->seen[reg] || !o->n || !o->level)
		return;
	r->seen[reg] = true;
	for (unsigned i = 0; i < o->n; i++)
		add_cone(r, o->from[i]);
	r->cone[r->n_cone++] = reg;
}

static void
find_cone(struct rules *r, uint32_t reg)
{
	for (size_t i = 0; i < r->n_cone; i++)
		r->seen[r->cone[i]] = false;
	r->n_cone = 0;
	add_cone(r, reg);
}

/* 1: true, 0: false, -1: it has no value. */
static int
run_cone(struct rules *r, uint32_t reg)
{
	struct code *c = &r->p->code;
	for (size_t i = 0; i < r->n_cone; i++)
		code_run(c, r->cone[i]);
	r->p->steps += r->n_cone;
	return c->regs[reg].kind == REG_NONE ? -1 : reg_true(&c->regs[reg]);
}

/* True when the check says no more than the narrower values do. */
static bool
narrow(struct rules *r, const struct check *check, unsigned param, bool *changed)
{
	struct problem *p = r->p;
	struct domain *d = &p->domains[param], left = {0};
	find_cone(r, check->reg);
	left.v = arena_news(p->a, d->n + 1, uint16_t);
	for (size_t i = 0; i < d->n; i++) {
		p->code.regs[param] = p->values[param][d->v[i]];
		int yes = run_cone(r, check->reg);
		if (yes < 0)
			return false;
		if (yes)
			left.v[left.n++] = d->v[i];
	}
	*changed = *changed || left.n < d->n;
	*d = left;
	return true;
}

static struct table *
table_of(struct problem *p, unsigned from, unsigned to)
{
	const struct kernel *k = p->k;
	for (size_t i = 0; i < p->n_tables; i++)
		if (p->tables[i].from == from && p->tables[i].to == to)
			return &p->tables[i];
	arena_grow(p->a, p->tables, p->n_tables, p->cap_tables);
	struct table *t = &p->tables[p->n_tables++];
	*t = (struct table){.from = (uint16_t)from,
		.to = (uint16_t)to,
		.words = (k->params[to].n_values + 63) / 64};
	size_t n = k->params[from].n_values * t->words;
	t->rows = arena_news(p->a, n, uint64_t);
	memset(t->rows, 0xff, n * sizeof *t->rows);
	return t;
}

/* True when the check says no more than a table does. */
static bool
tabulate(struct rules *r, const struct check *check, unsigned from, unsigned to)
{
	struct problem *p = r->p;
	const struct domain *x = &p->domains[from], *y = &p->domains[to];
	size_t n = x->n * y->n, at = 0, n_false = 0;
	if (n > PAIRS_MAX)
		return false;
	bool *no = arena_news(r->temp, n + 1, bool);
	find_cone(r, check->reg);
	for (size_t i = 0; i < x->n; i++) {
		p->code.regs[from] = p->values[from][x->v[i]];
		for (size_t j = 0; j < y->n; j++, at++) {
			p->code.regs[to] = p->values[to][y->v[j]];
			int yes = run_cone(r, check->reg);
			if (yes < 0)
				return false;
			no[at] = !yes;
			n_false += !yes;
		}
	}
	if (!n_false)
		return true;
	struct table *t = table_of(p, from, to);
	at = 0;
	for (size_t i = 0; i < x->n; i++)
		for (size_t j = 0; j < y->n; j++, at++)
			if (no[at])
				t->rows[x->v[i] * t->words + y->v[j] / 64] &=
					~(UINT64_C(1) << y->v[j] % 64);
	return true;
}

/* What a check that depends on nothing says. True when that is all. */
static bool
settle(struct problem *p, const struct check *c)
{
	const struct reg *r = &p->code.regs[c->reg];
	if (r->kind == REG_NONE)
		return c->hint;
	if (!reg_true(r))
		p->sizes &= ~c->sizes;
	return true;
}

static bool
simplify(struct rules *r, const struct check *c, bool *changed)
{
	uint64_t mask = r->masks[c->reg];
	unsigned n = (unsigned)__builtin_popcountll(mask);
	if (!n)
		return settle(r->p, c);
	if (c->sizes != UINT32_MAX || n > 2)
		return false;
	unsigned low = (unsigned)__builtin_ctzll(mask);
	unsigned high = 63u - (unsigned)__builtin_clzll(mask);
	if (n == 1)
		return narrow(r, c, low, changed);
	return r->p->ranks[low] < r->p->ranks[high] ? tabulate(r, c, low, high)
						    : tabulate(r, c, high, low);
}

/* Keeps the checks that are neither settled nor narrowed nor tables. */
static bool
reduce(struct problem *p)
{
	struct arena temp = {0};
	struct rules r = {.p = p, .temp = &temp};
	size_t n = 0;
	bool changed = false;
	r.masks = code_params(&temp, &p->code);
	r.cone = arena_news(&temp, p->code.n, uint32_t);
	r.seen = arena_news(&temp, p->code.n, bool);
	for (size_t i = 0; i < p->n_checks; i++)
		if (!simplify(&r, &p->checks[i], &changed))
			p->checks[n++] = p->checks[i];
	p->n_checks = n;
	arena_release(&temp);
	return changed;
}

bool
problem_is_empty(const struct problem *p)
{
	for (size_t i = 0; i < p->k->n_params; i++)
		if (!p->domains[i].n)
			return true;
	return !p->sizes;
}

bool
problem_prepare(struct problem *p)
{
	for (int round = 0; round < ROUNDS_MAX; round++) {
		if (!compile(p))
			return false;
		if (!reduce(p) || problem_is_empty(p))
			break;
	}
	return true;
}
