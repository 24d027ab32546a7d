#include "base/arena.h"
#include "format/expr_node.h"

struct eval {
	struct arena *a;
	const struct expr *e;
	expr_lookup *lookup;
	void *env;
	struct str *why;
};

static bool eval(const struct eval *v, const struct expr_node *n, struct value *out);

static void
set_bool(struct value *out, bool b)
{
	*out = (struct value){.kind = VALUE_BOOL, .i = b};
}

static bool
eval_name(const struct eval *v, size_t slot, struct value *out)
{
	struct str name = v->e->names[slot];
	if (v->lookup && v->lookup(v->env, name, out))
		return true;
	*v->why = str_fmt(v->a, "unknown name '%.*s'", STR_ARG(name));
	return false;
}

static bool
compare(const struct eval *v, enum expr_compare op, const struct value *x,
	const struct value *y, bool *yes)
{
	int c = 0;
	if (op == EXPR_EQ || op == EXPR_NE) {
		*yes = value_same(x, y) == (op == EXPR_EQ);
		return true;
	}
	if (!value_compare(x, y, &c)) {
		*v->why = str_of("cannot compare a string with a number");
		return false;
	}
	*yes = op == EXPR_LT   ? c < 0
	       : op == EXPR_LE ? c <= 0
	       : op == EXPR_GT ? c > 0
			       : c >= 0;
	return true;
}

static bool
eval_compare(const struct eval *v, const struct expr_node *n, struct value *out)
{
	struct value x, y;
	bool yes = true;
	if (!eval(v, n->kids[0], &x))
		return false;
	for (size_t i = 1; i < n->n_kids && yes; i++) {
		if (!eval(v, n->kids[i], &y) ||
			!compare(v, n->compare[i - 1], &x, &y, &yes))
			return false;
		x = y;
	}
	set_bool(out, yes);
	return true;
}

static bool
eval_in(const struct eval *v, const struct expr_node *n, struct value *out)
{
	struct value x, y;
	bool found = false;
	if (!eval(v, n->kids[0], &x))
		return false;
	for (size_t i = 1; i < n->n_kids && !found; i++) {
		if (!eval(v, n->kids[i], &y))
			return false;
		found = value_same(&x, &y);
	}
	set_bool(out, found == (n->op == EXPR_IN));
	return true;
}

/* Two at a time: only min() and max() take more, and so no argument list is allocated. */
static bool
eval_call(const struct eval *v, const struct expr_node *n, struct value *out)
{
	struct value args[2];
	size_t n_args = n->n_kids < 2 ? n->n_kids : 2;
	for (size_t i = 0; i < n_args; i++)
		if (!eval(v, n->kids[i], &args[i]))
			return false;
	if (!value_call(v->a, n->fn, args, n_args, out, v->why))
		return false;
	for (size_t i = 2; i < n->n_kids; i++) {
		args[0] = *out;
		if (!eval(v, n->kids[i], &args[1]) ||
			!value_call(v->a, n->fn, args, 2, out, v->why))
			return false;
	}
	return true;
}

static bool
eval_two(const struct eval *v, const struct expr_node *n, struct value *out)
{
	struct value x, y;
	return eval(v, n->kids[0], &x) && eval(v, n->kids[1], &y) &&
	       value_arithmetic(v->a, n->op, &x, &y, out, v->why);
}

static bool
eval_sign(const struct eval *v, const struct expr_node *n, struct value *out)
{
	struct value zero = {.kind = VALUE_INT}, x;
	return eval(v, n->kids[0], &x) &&
	       value_arithmetic(v->a, n->op == EXPR_NEG ? EXPR_SUB : EXPR_ADD, &zero, &x,
		       out, v->why);
}

static bool
eval(const struct eval *v, const struct expr_node *n, struct value *out)
{
	switch (n->op) {
	case EXPR_CONST: *out = n->value; return true;
	case EXPR_NAME: return eval_name(v, n->slot, out);
	case EXPR_NEG:
	case EXPR_PLUS: return eval_sign(v, n, out);
	case EXPR_NOT:
		if (!eval(v, n->kids[0], out))
			return false;
		set_bool(out, !value_true(*out));
		return true;
	case EXPR_AND:
	case EXPR_OR:
		if (!eval(v, n->kids[0], out))
			return false;
		if (value_true(*out) == (n->op == EXPR_OR))
			return true;
		return eval(v, n->kids[1], out);
	case EXPR_IF:
		if (!eval(v, n->kids[0], out))
			return false;
		return eval(v, n->kids[value_true(*out) ? 1 : 2], out);
	case EXPR_COMPARE: return eval_compare(v, n, out);
	case EXPR_IN:
	case EXPR_NOT_IN: return eval_in(v, n, out);
	case EXPR_CALL: return eval_call(v, n, out);
	case EXPR_ADD:
	case EXPR_SUB:
	case EXPR_MUL:
	case EXPR_DIV:
	case EXPR_FLOOR_DIV:
	case EXPR_MOD:
	case EXPR_POW: return eval_two(v, n, out);
	}
	return false;
}

bool
expr_eval(struct arena *a, const struct expr *e, expr_lookup *lookup, void *env,
	struct value *out, struct str *why)
{
	struct eval v = {a, e, lookup, env, why};
	return eval(&v, e->root, out);
}
