#include "space/space_range.h"

__extension__ typedef __int128 wide;

static void
set(struct op *o, wide low, wide high)
{
	o->sure = low >= INT64_MIN && high <= INT64_MAX;
	o->low = o->sure ? (int64_t)low : 0;
	o->high = o->sure ? (int64_t)high : 0;
}

static void
set_product(struct op *o, const struct op *x, const struct op *y)
{
	wide v[4] = {(wide)x->low * y->low, (wide)x->low * y->high,
		(wide)x->high * y->low, (wide)x->high * y->high};
	wide low = v[0], high = v[0];
	for (int i = 1; i < 4; i++) {
		low = v[i] < low ? v[i] : low;
		high = v[i] > high ? v[i] : high;
	}
	set(o, low, high);
}

static int64_t
least(int64_t x, int64_t y)
{
	return x < y ? x : y;
}

static int64_t
most(int64_t x, int64_t y)
{
	return x > y ? x : y;
}

/* Is the comparison true (1), false (0), or not known (-1)? */
static int
decide(const struct op *o, const struct op *x, const struct op *y)
{
	bool apart = x->high < y->low || y->high < x->low;
	bool same = x->low == x->high && y->low == y->high && x->low == y->low;
	if (o->code == OP_LT)
		return x->high < y->low ? 1 : x->low >= y->high ? 0 : -1;
	if (o->code == OP_LE)
		return x->high <= y->low ? 1 : x->low > y->high ? 0 : -1;
	int equal = apart ? 0 : same ? 1 : -1;
	return o->code == OP_EQ || equal < 0 ? equal : !equal;
}

/* Is x true (1), false (0), or not known (-1)? */
static int
truth(const struct op *x)
{
	return x->low > 0 || x->high < 0 ? 1 : x->low == 0 && x->high == 0 ? 0 : -1;
}

static void
set_truth(struct op *o, int t)
{
	set(o, t == 1, t != 0);
}

static void
set_either(struct op *o, const struct op *x, const struct op *y)
{
	if (x->sure && y->sure)
		set(o, least(x->low, y->low), most(x->high, y->high));
}

static void
set_call(struct op *o, const struct op *x, const struct op *y)
{
	if (o->fn == EXPR_FN_MIN)
		set(o, least(x->low, y->low), least(x->high, y->high));
	else if (o->fn == EXPR_FN_MAX)
		set(o, most(x->low, y->low), most(x->high, y->high));
}

static void
set_chosen(const struct code *c, struct op *o)
{
	const struct op *x = &c->ops[o->x], *y = &c->ops[o->y];
	int t = truth(x);
	if (o->code == OP_IF)
		set_either(o, y, &c->ops[o->z]);
	else if (t == (o->code == OP_OR))
		set(o, x->low, x->high);
	else if (t >= 0 && y->sure)
		set(o, y->low, y->high);
	else if (t < 0)
		set_either(o, x, y);
}

void
range_of(const struct code *c, struct op *o)
{
	const struct op *x = &c->ops[o->x], *y = &c->ops[o->y];
	bool two = o->code < OP_NOT || o->code == OP_CALL;
	o->sure = false;
	if (!x->sure || (two && !y->sure))
		return;
	switch (o->code) {
	case OP_ADD: set(o, (wide)x->low + y->low, (wide)x->high + y->high); break;
	case OP_SUB: set(o, (wide)x->low - y->high, (wide)x->high - y->low); break;
	case OP_MUL: set_product(o, x, y); break;
	case OP_MOD:
		if (y->low > 0) /* the sign of the divisor */
			set(o, 0, y->high - 1);
		break;
	case OP_FLOOR_DIV:
		if (y->low > 0 && x->low >= 0)
			set(o, x->low / y->high, x->high / y->low);
		break;
	case OP_LT:
	case OP_LE:
	case OP_EQ:
	case OP_NE: set_truth(o, decide(o, x, y)); break;
	case OP_NOT: set_truth(o, truth(x) < 0 ? -1 : !truth(x)); break;
	case OP_TRUTH: set_truth(o, truth(x)); break;
	case OP_AND:
	case OP_OR:
	case OP_IF: set_chosen(c, o); break;
	case OP_CALL: set_call(o, x, y); break;
	case OP_PARAM:
	case OP_CONST:
	case OP_DIV:
	case OP_POW: break;
	}
}

bool
range_any_order(const struct code *c, enum op_code code, const uint32_t *regs, size_t n)
{
	wide bound = code == OP_MUL;
	for (size_t i = 0; i < n; i++) {
		const struct op *o = &c->ops[regs[i]];
		wide size = most(o->high, o->low == INT64_MIN ? INT64_MAX : -o->low);
		if (!o->sure)
			return false;
		bound = code == OP_MUL ? bound * (size > 1 ? size : 1) : bound + size;
		if (bound > INT64_MAX)
			return false;
	}
	return true;
}
