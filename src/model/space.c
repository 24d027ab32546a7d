#include "model/space.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/die.h"

#include <inttypes.h>

/*
 * Nested loops over the parameters; a constraint is checked at the loop that binds the
 * last of its parameters, so that a failing prefix is never extended.
 */
struct rule {
	const struct expr *e;
	size_t index;  /* in the kernel */
	bool per_size; /* mentions names of sizes */
	size_t n_sets; /* the sizes, or 1 */
	const struct value **slots[SPEC_SIZES_MAX];
};

struct build {
	struct arena *a;
	const struct kernel *k;
	const struct device *dev;
	struct diag *d;
	struct space *out;
	size_t cap;
	struct rule *rules; /* sorted by level */
	/* Rules of level l: first[l] up to first[l + 1]. */
	size_t first[SPEC_PARAMS_MAX + 2];
	struct value cell[SPEC_PARAMS_MAX]; /* the current value of each parameter */
	struct value device[SPEC_LIST_MAX]; /* device names, where slots point to */
	size_t n_device;
	uint16_t choice[SPEC_PARAMS_MAX];
	uint64_t below[SPEC_PARAMS_MAX +
		       1]; /* assignments of the parameters after a level */
	uint16_t *store;   /* where choices go; a slab at a time */
	size_t n_store;
	uint64_t n_checks;
};

static uint64_t
times(uint64_t x, uint64_t y)
{
	uint64_t r;
	return __builtin_mul_overflow(x, y, &r) ? UINT64_MAX : r;
}

/* --- binding ------------------------------------------------------------------------ */

static const struct value *
bind_device(struct build *b, const struct expr *e, size_t i, struct str name)
{
	struct value *v = &b->device[b->n_device % SPEC_LIST_MAX];
	if (!b->dev) {
		diag_error(b->d, expr_name_place(e, i),
			"'%.*s' needs a device: name one with --device", STR_ARG(name));
		return NULL;
	}
	if (b->n_device == SPEC_LIST_MAX || !device_value(b->dev, name, v)) {
		diag_error(b->d, expr_name_place(e, i), "unknown name '%.*s'",
			STR_ARG(name));
		return NULL;
	}
	b->n_device++;
	return v;
}

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

/* Points the slots of a rule at cells; *level is the number of parameters it waits for.
 */
static bool
bind_rule(struct build *b, struct rule *r, size_t *level)
{
	const struct kernel *k = b->k;
	const struct str *names;
	size_t n = expr_names(r->e, &names);
	*level = 0;
	for (size_t i = 0; i < n; i++)
		r->per_size = r->per_size || size_key(k, names[i]) >= 0;
	r->n_sets = r->per_size ? k->n_sizes : 1;
	for (size_t s = 0; s < r->n_sets; s++)
		r->slots[s] = arena_news(b->a, n, const struct value *);
	for (size_t i = 0; i < n; i++) {
		long p = kernel_param(k, names[i]);
		bool sized = size_key(k, names[i]) >= 0;
		const struct value *v = p >= 0  ? &b->cell[p]
					: sized ? NULL
						: bind_device(b, r->e, i, names[i]);
		if (!v && !sized)
			return false;
		if (p >= 0 && (size_t)p >= *level)
			*level = (size_t)p + 1;
		for (size_t s = 0; s < r->n_sets; s++)
			r->slots[s][i] = sized ? size_value(&k->sizes[s], names[i]) : v;
	}
	return true;
}

static bool
bind_all(struct build *b)
{
	const struct kernel *k = b->k;
	struct rule *all = arena_news(b->a, k->n_constraints, struct rule);
	size_t *level = arena_news(b->a, k->n_constraints, size_t), n = 0;
	b->rules = arena_news(b->a, k->n_constraints, struct rule);
	for (size_t i = 0; i < k->n_constraints; i++) {
		all[i] = (struct rule){.e = k->constraints[i], .index = i};
		if (!bind_rule(b, &all[i], &level[i]))
			return false;
	}
	for (size_t l = 0; l <= k->n_params; l++) {
		b->first[l] = n;
		for (size_t i = 0; i < k->n_constraints; i++)
			if (level[i] == l)
				b->rules[n++] = all[i];
	}
	b->first[k->n_params + 1] = n;
	b->below[k->n_params] = 1;
	for (size_t l = k->n_params; l--;)
		b->below[l] = times(b->below[l + 1], k->params[l].n_values);
	b->out->raw = b->below[0];
	b->out->removed = arena_news(b->a, k->n_constraints, uint64_t);
	return true;
}

/* --- checking ----------------------------------------------------------------------- */

static bool
report_failure(struct build *b, const struct rule *r, size_t size, struct str why)
{
	struct buf at = {.a = b->a};
	const struct str *names;
	size_t n = expr_names(r->e, &names);
	for (size_t i = 0; i < n; i++) {
		struct str v = value_text(b->a, *r->slots[size][i]);
		buf_addf(&at, "%s%.*s=%.*s", i ? "," : " at ", STR_ARG(names[i]),
			STR_ARG(v));
	}
	diag_error(b->d, expr_place(r->e), "constraint '%.*s' has no value%s: %.*s",
		STR_ARG(expr_text(r->e)), buf_c(&at), STR_ARG(why));
	return false;
}

/* Clears the bits of the sizes whose constraint does not hold. */
static bool
check_rule(struct build *b, const struct rule *r, uint32_t *sizes)
{
	struct value v;
	struct str why = {0};
	for (size_t s = 0; s < r->n_sets; s++) {
		if (r->per_size && !(*sizes >> s & 1))
			continue;
		b->n_checks += 1 + expr_text(r->e).n / 16;
		if (b->n_checks > SPACE_CHECKS_MAX) {
			diag_error(b->d, b->k->at,
				"the space of '%.*s' is too large to enumerate: write "
				"constraints "
				"over its first parameters, or fewer values",
				STR_ARG(b->k->name));
			return false;
		}
		if (!expr_eval_slots(b->a, r->e, r->slots[s], &v, &why))
			return report_failure(b, r, s, why);
		if (!value_true(v))
			*sizes &= r->per_size ? ~(1u << s) : 0;
	}
	return true;
}

/* The rules of a level; *sizes is 0 when the prefix is to be left. */
static bool
check_level(struct build *b, size_t level, uint32_t *sizes)
{
	for (size_t i = b->first[level]; i < b->first[level + 1] && *sizes; i++) {
		const struct rule *r = &b->rules[i];
		uint64_t *removed = &b->out->removed[r->index];
		if (!check_rule(b, r, sizes))
			return false;
		if (!*sizes && __builtin_add_overflow(*removed, b->below[level], removed))
			*removed = UINT64_MAX;
	}
	return true;
}

/* --- enumeration -------------------------------------------------------------------- */

static bool
keep(struct build *b, uint32_t sizes)
{
	enum { SLAB = 1 << 16 };
	struct space *out = b->out;
	size_t n = b->k->n_params;
	if (out->n == SPACE_CANDIDATES_MAX) {
		diag_error(b->d, b->k->at,
			"'%.*s' has more than %d candidates: add constraints or drop "
			"values",
			STR_ARG(b->k->name), SPACE_CANDIDATES_MAX);
		return false;
	}
	if (!b->store || b->n_store < n) {
		b->store = arena_news(b->a, SLAB, uint16_t);
		b->n_store = SLAB;
	}
	if (n)
		memcpy(b->store, b->choice, n * sizeof *b->store);
	arena_grow(b->a, out->v, out->n, b->cap);
	out->v[out->n++] = (struct candidate){b->store, sizes};
	b->store += n;
	b->n_store -= n;
	return true;
}

/* Recursion is as deep as there are parameters: at most SPEC_PARAMS_MAX. */
static bool
enumerate(struct build *b, size_t level, uint32_t sizes)
{
	if (!check_level(b, level, &sizes))
		return false;
	if (!sizes)
		return true;
	if (level == b->k->n_params)
		return keep(b, sizes);
	const struct param *p = &b->k->params[level];
	for (size_t i = 0; i < p->n_values; i++) {
		b->choice[level] = (uint16_t)i;
		b->cell[level] = p->values[i];
		if (!enumerate(b, level + 1, sizes))
			return false;
	}
	return true;
}

static void
report_empty(const struct build *b)
{
	const struct kernel *k = b->k;
	diag_error(b->d, k->at,
		"no candidate of '%.*s' satisfies its constraints (%" PRIu64
		" assignments)",
		STR_ARG(k->name), b->out->raw);
	for (size_t i = 0; i < b->first[k->n_params + 1]; i++) {
		const struct rule *r = &b->rules[i];
		if (b->out->removed[r->index])
			diag_note(b->d, expr_place(r->e), "'%.*s' removes %" PRIu64,
				STR_ARG(expr_text(r->e)), b->out->removed[r->index]);
	}
}

struct space *
space_build(
	struct arena *a, const struct kernel *k, const struct device *dev, struct diag *d)
{
	struct build *b = arena_new(a, struct build);
	*b = (struct build){.a = a, .k = k, .dev = dev, .d = d};
	b->out = arena_new(a, struct space);
	b->out->kernel = k;
	if (!bind_all(b) || !enumerate(b, 0, (uint32_t)((UINT64_C(1) << k->n_sizes) - 1)))
		return NULL;
	if (b->out->n)
		return b->out;
	report_empty(b);
	return NULL;
}

const struct candidate *
space_find(struct arena *a, const struct space *s, struct str name)
{
	for (size_t i = 0; i < s->n; i++) {
		struct arena_mark m = arena_mark(a);
		bool found = str_eq(candidate_label(a, s->kernel, &s->v[i]), name) ||
			     str_eq(candidate_id(a, s->kernel, &s->v[i]), name);
		arena_pop(a, m);
		if (found)
			return &s->v[i];
	}
	return NULL;
}
