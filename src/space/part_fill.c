#include "base/arena.h"
#include "space/part_node.h"

/* Compute a register, or check it. */
struct step {
	uint32_t reg;
	const struct check *check; /* NULL: compute */
};

/* What happens when one parameter gets a value. */
struct position {
	unsigned param, level;
	struct step *steps;
	size_t n_steps, cap_steps;
	const struct table **tables; /* whose `to` it is */
	size_t n_tables, cap_tables;
	uint32_t *key; /* registers that tell what is left, before it has a value */
	size_t n_key;
	bool merges;         /* different values before it may leave the same */
	size_t asked, found; /* how often a key was met before */
	struct word_map met; /* keys, and their nodes */
	uint32_t *nodes;
	size_t cap_nodes;
	uint64_t *words;   /* room for a key */
	uint64_t *edges;   /* room for the node that is being made */
	uint64_t *allowed; /* bits of values */
	size_t n_allowed;  /* words */
};

struct filler {
	struct problem *p;
	struct arena *temp;
	struct part *part;
	struct code *code;
	struct position *at; /* one for each parameter */
	bool *needed, *done; /* per register */
	struct node_maker made;
	uint16_t choice[SPEC_PARAMS_MAX];
	uint64_t most_steps; /* of all parts */
	size_t n_keys, most_states;
};

/* --- what is done when -------------------------------------------------------------- */

static bool
in_part(const struct filler *f, unsigned level)
{
	for (size_t i = 0; i < f->part->n_params; i++)
		if (f->at[i].level == level)
			return true;
	return false;
}

static void
mark_needed(struct filler *f, uint32_t reg)
{
	const struct op *o = &f->code->ops[reg];
	if (f->needed[reg] || !o->level)
		return;
	f->needed[reg] = true;
	for (unsigned i = 0; i < o->n; i++)
		mark_needed(f, o->from[i]);
}

static void
add_step(struct filler *f, struct position *at, struct step s)
{
	arena_grow(f->temp, at->steps, at->n_steps, at->cap_steps);
	at->steps[at->n_steps++] = s;
}

/* What a register of this level needs, in order. */
static void
add_computing(struct filler *f, struct position *at, uint32_t reg)
{
	const struct op *o = &f->code->ops[reg];
	if (f->done[reg] || o->level != at->level || o->code == OP_PARAM)
		return;
	f->done[reg] = true;
	for (unsigned i = 0; i < o->n; i++)
		add_computing(f, at, o->from[i]);
	add_step(f, at, (struct step){.reg = reg});
}

static void
plan_position(struct filler *f, struct position *at)
{
	struct problem *p = f->p;
	for (size_t i = 0; i < p->n_checks; i++) {
		const struct check *c = &p->checks[i];
		if (f->code->ops[c->reg].level != at->level)
			continue;
		add_computing(f, at, c->reg);
		add_step(f, at, (struct step){c->reg, c});
	}
	for (size_t r = 0; r < f->code->n; r++)
		if (f->needed[r] && f->code->ops[r].level == at->level)
			add_computing(f, at, (uint32_t)r);
	for (size_t i = 0; i < p->n_tables; i++)
		if (p->tables[i].to == at->param) {
			/* NOLINTNEXTLINE(bugprone-sizeof-expression): of pointers */
			arena_grow(f->temp, at->tables, at->n_tables, at->cap_tables);
			at->tables[at->n_tables++] = &p->tables[i];
		}
}

/* --- what tells partial assignments apart ------------------------------------------- */

/* Marks what is decided below a level and read at it or above. */
static void
mark_read(const struct filler *f, unsigned level, bool *read)
{
	const struct code *c = f->code;
	for (size_t r = 0; r < c->n; r++) {
		const struct op *o = &c->ops[r];
		for (unsigned i = 0; i < o->n && f->needed[r] && o->level >= level; i++)
			if (c->ops[o->from[i]].level && c->ops[o->from[i]].level < level)
				read[o->from[i]] = true;
	}
	for (size_t i = 0; i < f->p->n_tables; i++) {
		const struct table *t = &f->p->tables[i];
		unsigned from = f->p->ranks[t->from] + 1u, to = f->p->ranks[t->to] + 1u;
		if (in_part(f, to) && to >= level && from < level)
			read[t->from] = true;
	}
}

/* Follows from others that are read? */
static bool
follows(const struct code *c, const bool *read, uint32_t reg)
{
	const struct op *o = &c->ops[reg];
	for (unsigned i = 0; i < o->n; i++)
		if (c->ops[o->from[i]].level && !read[o->from[i]])
			return false;
	return o->n > 0;
}

/* A node is looked up only where something before it does not count any more. */
static bool
forgets(const struct position *before, const bool *read)
{
	for (size_t i = 0; i < before->n_key; i++)
		if (!read[before->key[i]])
			return true;
	return !read[before->param];
}

static void
plan_key(struct filler *f, size_t j)
{
	struct position *at = &f->at[j];
	size_t n = f->code->n;
	struct arena_mark mark = {0};
	struct arena local = {0};
	bool *read = arena_news(&local, n, bool);
	mark_read(f, at->level, read);
	at->merges = j > 0 && forgets(&f->at[j - 1], read);
	for (size_t r = n; r--;)
		if (read[r] && follows(f->code, read, (uint32_t)r))
			read[r] = false;
	for (size_t r = 0; r < n; r++)
		at->n_key += read[r];
	at->key = arena_news(f->temp, at->n_key, uint32_t);
	at->words = arena_news(f->temp, 2 * at->n_key + 1, uint64_t);
	for (size_t r = 0, i = 0; r < n; r++)
		if (read[r])
			at->key[i++] = (uint32_t)r;
	arena_pop(&local, mark);
}

static void
plan_all(struct filler *f)
{
	const struct problem *p = f->p;
	const struct part *part = f->part;
	size_t n = part->n_params;
	f->needed = arena_news(f->temp, f->code->n, bool);
	f->done = arena_news(f->temp, f->code->n, bool);
	f->at = arena_news(f->temp, n, struct position);
	for (size_t j = 0; j < n; j++) {
		f->at[j].param = part->params[j];
		f->at[j].level = p->ranks[part->params[j]] + 1u;
	}
	for (size_t i = 0; i < p->n_checks; i++)
		if (in_part(f, f->code->ops[p->checks[i].reg].level))
			mark_needed(f, p->checks[i].reg);
	for (size_t j = 0; j < n; j++) {
		struct position *at = &f->at[j];
		unsigned param = at->param;
		size_t n_values = p->k->params[param].n_values;
		at->met.a = f->temp;
		at->edges = arena_news(f->temp, p->domains[param].n, uint64_t);
		at->n_allowed = (n_values + 63) / 64;
		at->allowed = arena_news(f->temp, at->n_allowed, uint64_t);
		plan_position(f, at);
		plan_key(f, j);
	}
}

/* --- nodes -------------------------------------------------------------------------- */

static size_t
key_words(const struct filler *f, const struct position *at, uint32_t sizes)
{
	size_t n = 0;
	for (size_t i = 0; i < at->n_key; i++) {
		const struct reg *r = &f->code->regs[at->key[i]];
		at->words[n] = 0;
		if (r->kind != REG_NONE)
			memcpy(&at->words[n], &r->v, sizeof *at->words);
		n++;
		if (!f->code->ops[at->key[i]].sure)
			at->words[n++] = r->kind;
	}
	if (f->part->sized)
		at->words[n++] = sizes;
	return n;
}

/* --- values ------------------------------------------------------------------------- */

static bool
too_long(const struct filler *f)
{
	struct problem *p = f->p;
	p->too_long = p->too_long || p->steps > f->most_steps ||
		      f->part->n_nodes + f->n_keys > f->most_states;
	return p->too_long;
}

/* Runs the steps of one value; the sizes that are left, and those without a value. */
static uint32_t
judge(struct filler *f, const struct position *at, uint32_t sizes, uint32_t *unknown)
{
	struct code *c = f->code;
	for (size_t i = 0; i < at->n_steps && sizes; i++) {
		const struct check *check = at->steps[i].check;
		const struct reg *r = &c->regs[at->steps[i].reg];
		f->p->steps++;
		if (!check) {
			code_run(c, at->steps[i].reg);
		} else if (r->kind != REG_NONE) {
			if (!reg_true(r))
				sizes &= ~check->sizes;
		} else if (!check->hint) {
			*unknown |= check->sizes;
		}
	}
	return sizes;
}

/* At sizes that are admitted otherwise, a check of this value was without one. */
static void
note_failure(struct filler *f, const struct position *at, uint32_t sizes)
{
	struct part *part = f->part;
	size_t i = 0;
	if (part->failed || f->p->ask->lenient)
		return;
	for (;; i++) {
		const struct check *c = at->steps[i].check;
		if (c && !c->hint && (c->sizes & sizes) &&
			f->code->regs[c->reg].kind == REG_NONE)
			break;
	}
	sizes &= at->steps[i].check->sizes;
	part->failed = arena_news(f->p->a, SPEC_PARAMS_MAX, uint16_t);
	memcpy(part->failed, f->choice, sizeof f->choice);
	part->failed_rule = at->steps[i].check->rule;
	part->failed_size = (size_t)__builtin_ctz(sizes);
}

static uint32_t make_node(struct filler *f, size_t j, uint32_t sizes);

/* The node behind a value, or PART_NONE. */
static uint32_t
try_value(struct filler *f, size_t j, uint32_t sizes, unsigned value)
{
	const struct position *at = &f->at[j];
	uint32_t unknown = 0;
	f->choice[at->param] = (uint16_t)value;
	f->code->regs[at->param] = f->p->values[at->param][value];
	sizes = judge(f, at, sizes, &unknown);
	if (!sizes)
		return PART_NONE;
	uint32_t child = make_node(f, j + 1, sizes);
	if (child != PART_NONE && (f->part->nodes[child].sizes & unknown))
		note_failure(f, at, f->part->nodes[child].sizes & unknown);
	return child;
}

static void
allow_values(const struct filler *f, struct position *at)
{
	const struct domain *d = &f->p->domains[at->param];
	memset(at->allowed, 0, at->n_allowed * sizeof *at->allowed);
	for (size_t i = 0; i < d->n; i++)
		at->allowed[d->v[i] / 64] |= UINT64_C(1) << d->v[i] % 64;
	for (size_t t = 0; t < at->n_tables; t++) {
		const struct table *table = at->tables[t];
		const uint64_t *row = table->rows + f->choice[table->from] * table->words;
		for (size_t w = 0; w < at->n_allowed; w++)
			at->allowed[w] &= row[w];
	}
}

static uint32_t
try_values(struct filler *f, size_t j, uint32_t sizes)
{
	struct position *at = &f->at[j];
	size_t n = 0;
	allow_values(f, at);
	for (size_t w = 0; w < at->n_allowed; w++)
		for (uint64_t bits = at->allowed[w]; bits; bits &= bits - 1) {
			unsigned value =
				(unsigned)(w * 64) + (unsigned)__builtin_ctzll(bits);
			f->p->steps++;
			uint32_t child = try_value(f, j, sizes, value);
			if (too_long(f) || f->part->failed)
				return PART_NONE;
			if (child != PART_NONE)
				at->edges[n++] = node_edge(value, child);
		}
	return n ? node_make(&f->made, at->edges, n) : PART_NONE;
}

/* Is it worth remembering what was met? Not where next to nothing is met again. */
static bool
pays(struct position *at)
{
	enum { ENOUGH = 1 << 14, RARE = 8 };
	if (at->merges && ++at->asked >= ENOUGH && at->found < at->asked / RARE)
		at->merges = false;
	return at->merges;
}

/* Recursion is as deep as there are parameters: at most SPEC_PARAMS_MAX. */
static uint32_t
make_node(struct filler *f, size_t j, uint32_t sizes)
{
	if (j == f->part->n_params)
		return node_end(&f->made, sizes);
	struct position *at = &f->at[j];
	bool added;
	if (!pays(at))
		return try_values(f, j, sizes);
	size_t n = key_words(f, at, sizes);
	size_t key = word_map_put(&at->met, at->words, n, &added);
	at->found += !added;
	if (!added)
		return at->nodes[key];
	uint32_t node = try_values(f, j, sizes);
	f->n_keys++;
	while (key >= at->cap_nodes)
		at->nodes = arena_regrow(f->temp, at->nodes, at->cap_nodes,
			&at->cap_nodes, sizeof *at->nodes);
	at->nodes[key] = node;
	return node;
}

void
part_fill(struct problem *p, struct part *part, unsigned share)
{
	struct arena temp = {0};
	struct filler f = {.p = p, .temp = &temp, .part = part, .code = &p->code};
	uint64_t most = p->ask->steps ? p->ask->steps : SPACE_STEPS_MAX;
	f.most_steps = p->steps + most / share;
	f.most_states = SPACE_STATES_MAX / share;
	f.made = (struct node_maker){.a = p->a, .part = part, .made = {.a = &temp}};
	plan_all(&f);
	part->root = make_node(&f, 0, part->sized ? p->sizes : 1);
	arena_release(&temp);
}
