#include "base/arena.h"
#include "model/candidate.h"
#include "model/spec_reader.h"

/* --- names in expressions ----------------------------------------------------------- */

struct names {
	struct str *v;
	size_t n, cap;
};

/* What "did you mean" offers; device_value() knows more. */
static const char *const device_hints[] = {"device.max_shared", "device.max_threads",
	"device.sm_count", "device.cc", "device.warp_size", "device.max_registers",
	"device.max_threads_per_sm", "device.max_blocks_per_sm", "device.shared_per_sm",
	"device.registers_per_sm", "device.l2", "device.max_cluster_blocks"};

static void
add_name(struct arena *a, struct names *names, struct str name)
{
	arena_grow(a, names->v, names->n, names->cap);
	names->v[names->n++] = name;
}

static struct names
known_names(struct arena *a, const struct kernel *k)
{
	struct names names = {0};
	for (size_t i = 0; i < k->n_params; i++)
		add_name(a, &names, k->params[i].name);
	for (size_t i = 0; i < k->sizes[0].n; i++)
		add_name(a, &names, k->sizes[0].keys[i]);
	for (size_t i = 0; i < sizeof device_hints / sizeof *device_hints; i++)
		add_name(a, &names, str_of(device_hints[i]));
	return names;
}

static bool
is_known(const struct names *known, struct str name)
{
	for (size_t i = 0; i < known->n; i++)
		if (str_eq(known->v[i], name))
			return true;
	static const struct device none;
	struct value v;
	return str_starts(name, "device.") && device_value(&none, name, &v);
}

static void
report_name(struct spec_reader *r, const struct names *known, struct place at,
	struct str name)
{
	static const struct str words[] = {{"true", 4}, {"false", 5}};
	for (size_t i = 0; i < 2; i++)
		if (str_distance(name, words[i], 0) == 0) { /* it ignores case */
			spec_unknown(r, at, "name", name, &words[i], 1);
			return;
		}
	spec_unknown(r, at, "name", name, known->v, known->n);
}

static void
check_expr(struct spec_reader *r, const struct names *known, const struct expr *e)
{
	const struct str *names;
	size_t n = e ? expr_names(e, &names) : 0;
	for (size_t i = 0; i < n && spec_goes_on(r); i++)
		if (!is_known(known, names[i]))
			report_name(r, known, expr_name_place(e, i), names[i]);
}

/* What is the same for all candidates depends on no parameter. */
static void
check_by_size(struct spec_reader *r, const struct kernel *k, const struct expr *e,
	const char *what)
{
	const struct str *names;
	size_t n = e ? expr_names(e, &names) : 0;
	for (size_t i = 0; i < n; i++)
		if (kernel_param(k, names[i]) >= 0)
			diag_error(r->d, expr_name_place(e, i),
				"%s the same for all candidates: it depends on sizes, "
				"not on '%.*s'",
				what, STR_ARG(names[i]));
}

static bool
is_objective_name(const struct kernel *k, struct str name)
{
	static const char *const names[] = {"time_s", "joules", "bytes", "flops"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (str_is(name, names[i]))
			return true;
	return kernel_param(k, name) >= 0;
}

static void
check_objective(struct spec_reader *r, const struct kernel *k)
{
	const struct str *names;
	if (!k->objective.s.n || str_is(k->objective.s, "time") ||
		str_is(k->objective.s, "energy"))
		return;
	const struct expr *e = expr_parse(r->a, k->objective.s, k->objective.at, r->d);
	size_t n = e ? expr_names(e, &names) : 0;
	for (size_t i = 0; i < n; i++) {
		if (!is_objective_name(k, names[i]))
			diag_error(r->d, expr_name_place(e, i),
				"'%.*s' is not known to an objective: time_s, joules, "
				"bytes, flops, and parameters are",
				STR_ARG(names[i]));
		else if ((str_is(names[i], "bytes") && !k->work_bytes) ||
			 (str_is(names[i], "flops") && !k->work_flops))
			diag_error(r->d, expr_name_place(e, i),
				"'%.*s' is not declared in 'work'", STR_ARG(names[i]));
	}
}

void
spec_check_names(struct spec_reader *r, const struct kernel *k)
{
	struct names known = known_names(r->a, k);
	for (size_t i = 0; i < k->n_constraints; i++)
		check_expr(r, &known, k->constraints[i]);
	for (int i = 0; i < 3; i++) {
		check_expr(r, &known, k->block[i]);
		check_expr(r, &known, k->grid[i]);
		check_expr(r, &known, k->cluster[i]);
	}
	check_expr(r, &known, k->shared);
	for (size_t i = 0; i < k->n_args; i++) {
		check_expr(r, &known, k->args[i].count);
		check_expr(r, &known, k->args[i].value);
	}
	check_expr(r, &known, k->verify.reduction);
	check_by_size(r, k, k->verify.reduction, "'reduction' makes inputs, which are");
	const struct expr *const gemm[] = {
		k->reference.m, k->reference.n, k->reference.k};
	for (size_t i = 0; i < 3; i++) {
		check_expr(r, &known, gemm[i]);
		check_by_size(r, k, gemm[i], "the reference is");
	}
	check_expr(r, &known, k->work_bytes);
	check_expr(r, &known, k->work_flops);
	check_objective(r, k);
}

/* --- the baseline ------------------------------------------------------------------- */

static bool
find_value(const struct param *p, struct value v, uint16_t *choice)
{
	for (size_t i = 0; i < p->n_values; i++)
		if (value_eq(p->values[i], v)) {
			*choice = (uint16_t)i;
			return true;
		}
	return false;
}

static void
report_value(struct spec_reader *r, const struct param *p, const struct binding *b)
{
	enum { FEW = 12 };
	if (!p->n_values)
		return; /* the values are wrong themselves */
	struct buf list = {.a = r->a};
	for (size_t i = 0; i < p->n_values && i < FEW; i++) {
		buf_adds(&list, i ? ", " : "");
		buf_addstr(&list, value_text(r->a, p->values[i]));
	}
	struct str text = value_text(r->a, b->value);
	diag_error(r->d, b->at, "%.*s is not among the values of '%.*s': %s%s",
		STR_ARG(text), STR_ARG(p->name), buf_c(&list),
		p->n_values > FEW ? ", ..." : "");
}

/* Parameter order, and each value as the parameter writes it. */
static bool
order_baseline(struct spec_reader *r, struct kernel *k, uint16_t *choice)
{
	struct binding *sorted = arena_news(r->a, k->n_params + 1, struct binding);
	struct str names[SPEC_PARAMS_MAX];
	unsigned before = r->d->errors;
	bool all = true;
	for (size_t i = 0; i < k->n_params; i++)
		names[i] = k->params[i].name;
	const struct binding *b = k->baseline;
	for (; b->name.s; b++) {
		long i = kernel_param(k, b->name);
		if (i < 0) {
			spec_unknown(r, b->at, "parameter", b->name, names, k->n_params);
			continue;
		}
		sorted[i] = *b;
		all = all && k->params[i].n_values;
		if (find_value(&k->params[i], b->value, &choice[i]))
			sorted[i].value = k->params[i].values[choice[i]];
		else
			report_value(r, &k->params[i], b);
	}
	for (size_t i = 0; i < k->n_params; i++)
		if (!sorted[i].name.s)
			diag_error(r->d, b->at, "the baseline has no value for '%.*s'",
				STR_ARG(names[i]));
	k->baseline = sorted;
	return all && r->d->errors == before;
}

static bool
needs_device(const struct expr *e)
{
	const struct str *names;
	size_t n = expr_names(e, &names);
	for (size_t i = 0; i < n; i++)
		if (str_starts(names[i], "device."))
			return true;
	return false;
}

/* The constraint that the baseline breaks at a size, or NULL; why is its error, if any.
 */
static const struct expr *
broken_constraint(struct spec_reader *r, const struct scope *s, struct str *why)
{
	for (size_t i = 0; i < s->k->n_constraints; i++) {
		const struct expr *e = s->k->constraints[i];
		struct scope env = *s;
		struct value v;
		*why = (struct str){0};
		/* What depends on the device is judged when the device is known. */
		if (needs_device(e))
			continue;
		if (!expr_eval(r->a, e, scope_lookup, &env, &v, why) || !value_true(v))
			return e;
	}
	return NULL;
}

void
spec_check_baseline(struct spec_reader *r, struct kernel *k)
{
	uint16_t choice[SPEC_PARAMS_MAX] = {0};
	struct candidate c = {.choice = choice};
	const struct expr *broken = NULL;
	struct str why = {0};
	struct place at = k->baseline[0].at;
	if (!order_baseline(r, k, choice))
		return;
	for (size_t i = 0; i < k->n_sizes; i++) {
		struct scope s = {k, &c, &k->sizes[i], NULL};
		broken = broken_constraint(r, &s, &why);
		if (!broken)
			return;
	}
	diag_error(r->d, at, "the baseline is no candidate: it breaks '%.*s'%s%.*s",
		STR_ARG(expr_text(broken)), why.n ? ": " : "", STR_ARG(why));
	diag_note(r->d, expr_place(broken), "the constraint is here");
}
