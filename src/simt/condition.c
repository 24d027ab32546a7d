/* What a path assumes about kernel arguments, in words. */
#include "simt/condition.h"

#include "base/buf.h"
#include "value/known.h"

enum { NESTING_MAX = 8, TEXT_MAX = 160 };

/* The position of the scalar kernel argument that a symbol is. */
static bool
argument_of(const struct sim *s, uint32_t sym, unsigned bits, uint32_t *position)
{
	const struct sym *x = sym_of(&s->d, sym);

	if (x->op != SYM_PARAM || x->n != 3)
		return false;
	const struct ptx_var *v = &s->m->vars[x->arg[0].v];
	uint64_t bytes = x->arg[2].v >> 8;

	*position = v->param;
	return x->arg[1].v == 0 && bytes == v->bytes && bytes * 8 == bits;
}

static const char *
word_of(enum ptx_cmp cmp, bool is)
{
	switch ((int)cmp) {
	case PTX_CMP_EQ: return is ? "==" : "!=";
	case PTX_CMP_LT:
	case PTX_CMP_LO: return is ? "<" : ">=";
	case PTX_CMP_LE:
	case PTX_CMP_LS: return is ? "<=" : ">";
	case PTX_CMP_GT:
	case PTX_CMP_HI: return is ? ">" : "<=";
	case PTX_CMP_GE:
	case PTX_CMP_HS: return is ? ">=" : "<";
	default: return NULL;
	}
}

/* An integer comparison of an argument with a number. */
static bool
add_compare(struct buf *b, const struct sim *s, const struct sym *x, bool is)
{
	enum ptx_cmp cmp = (enum ptx_cmp)(x->tag >> 16);
	unsigned kind = (unsigned)(x->tag & 0xffff), bits = kind >> 1;
	const char *word = word_of(cmp, is);
	uint32_t position;

	if (kind & 0x8000 || !word || !x->arg[0].s || x->arg[1].s ||
		!argument_of(s, x->arg[0].s, bits, &position))
		return false;
	bool sign = kind & 1 || cmp == PTX_CMP_EQ;
	int64_t v = known_sext(x->arg[1].v, bits);
	/* "> 960" rather than ">= 961" */
	if (sign && !strcmp(word, ">=") && v > INT64_MIN) {
		word = ">";
		v--;
	}
	buf_addf(b, "argument %u %s ", (unsigned)position, word);
	if (sign)
		buf_addf(b, "%lld", (long long)v);
	else
		buf_addf(b, "%llu as unsigned", (unsigned long long)x->arg[1].v);
	return true;
}

static bool
add_fact(struct buf *b, const struct sim *s, uint32_t sym, bool is, unsigned depth)
{
	const struct sym *x = sym_of(&s->d, sym);

	if (depth > NESTING_MAX || b->n > TEXT_MAX)
		return false;
	if (x->op == SYM_CMP)
		return add_compare(b, s, x, is);
	if (x->op == SYM_NOT)
		return x->arg[0].s && add_fact(b, s, x->arg[0].s, !is, depth + 1);
	if (x->op != SYM_AND && x->op != SYM_OR)
		return false;
	bool all = (x->op == SYM_AND) == is;
	if (!all)
		buf_addc(b, '(');
	for (uint32_t i = 0; i < x->n; i++) {
		if (i)
			buf_adds(b, all ? " and " : " or ");
		if (!x->arg[i].s || !add_fact(b, s, x->arg[i].s, is, depth + 1))
			return false;
	}
	if (!all)
		buf_addc(b, ')');
	return true;
}

struct str
condition_of_path(struct sim *s, const struct world *w)
{
	struct buf b = {.a = s->out};

	for (uint32_t i = 0; i < w->n_path; i++) {
		if (i)
			buf_adds(&b, " and ");
		if (!add_fact(&b, s, w->path[i].sym, w->path[i].is, 0))
			return (struct str){0};
	}
	return w->n_path ? buf_str(&b) : (struct str){0};
}
