/* What a path assumes about kernel arguments, in words. */
#include "simt/condition.h"

#include "base/buf.h"
#include "value/known.h"

enum { NESTING_MAX = 8, TEXT_MAX = 160, VALUES_MAX = 48, TRIES_MAX = 2500 };

/* One side of a comparison: an argument as wide as it is compared, or a number. */
struct side {
	bool is_argument;
	unsigned at; /* in reader.arg */
	bool is_signed;
	unsigned from; /* bits of the argument */
	uint64_t number;
};

/* An argument of a path, and values of it that the path may ask for. */
struct candidate {
	uint32_t position;
	unsigned bytes, n;
	uint64_t v[VALUES_MAX];
};

struct reader {
	const struct sim *s;
	struct buf b;
	struct candidate arg[CONDITION_ARGUMENTS];
	unsigned n;
};

/* The scalar kernel argument that a symbol is; false: it is none, or one too many. */
static bool
argument_of(struct reader *r, uint32_t sym, struct side *x)
{
	const struct sym *p = sym_of(&r->s->d, sym);

	if (p->op != SYM_PARAM || p->n != 3)
		return false;
	const struct ptx_var *v = &r->s->m->vars[p->arg[0].v];
	uint64_t bytes = p->arg[2].v >> 8;

	if (p->arg[1].v != 0 || bytes != v->bytes || bytes > 8)
		return false;
	*x = (struct side){.is_argument = true, .from = (unsigned)bytes * 8};
	while (x->at < r->n && r->arg[x->at].position != v->param)
		x->at++;
	if (x->at == CONDITION_ARGUMENTS)
		return false;
	if (x->at == r->n)
		r->arg[r->n++] = (struct candidate){
			.position = v->param, .bytes = (unsigned)bytes};
	return true;
}

/* A side of a comparison of so many bits, which reads it as a signed number or not. */
static bool
side_of(struct reader *r, struct cell c, unsigned bits, bool is_signed, struct side *x)
{
	if (!c.s) {
		*x = (struct side){.number = c.v, .is_signed = is_signed};
		return true;
	}
	const struct sym *p = sym_of(&r->s->d, c.s);
	if (p->op != SYM_EXT) {
		if (!argument_of(r, c.s, x) || x->from != bits)
			return false;
		x->is_signed = is_signed;
		return true;
	}
	if (p->n != 1 || !p->arg[0].s || !argument_of(r, p->arg[0].s, x) ||
		p->tag >> 16 != bits || (p->tag >> 8 & 255) != x->from || x->from >= bits)
		return false;
	x->is_signed = p->tag & 1;
	/* a negative number read as a huge one is not worth the words */
	return is_signed || !x->is_signed;
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

static void
suggest_value(struct candidate *c, uint64_t v)
{
	v &= UINT64_MAX >> (64 - 8 * c->bytes);
	for (unsigned i = 0; i < c->n; i++)
		if (c->v[i] == v)
			return;
	if (c->n < VALUES_MAX)
		c->v[c->n++] = v;
}

/* A number or its neighbours may be the argument. */
static void
suggest(struct candidate *c, uint64_t v)
{
	suggest_value(c, v);
	suggest_value(c, v + 1);
	suggest_value(c, v - 1);
}

struct compared {
	struct side x, y;
	enum ptx_cmp cmp;
	bool equality;
};

static bool
read_compare(struct reader *r, const struct sym *x, struct compared *c)
{
	unsigned kind = (unsigned)(x->tag & 0xffff), bits = kind >> 1;

	*c = (struct compared){.cmp = (enum ptx_cmp)(x->tag >> 16)};
	c->equality = c->cmp == PTX_CMP_EQ;
	bool sign = kind & 1 || c->equality;
	return !(kind & 0x8000) && x->n == 2 && word_of(c->cmp, true) &&
	       side_of(r, x->arg[0], bits, sign, &c->x) &&
	       side_of(r, x->arg[1], bits, sign, &c->y) && c->x.is_argument;
}

/* An integer comparison of an argument with a number or another argument. */
static bool
add_compare(struct reader *r, const struct sym *x, bool is)
{
	struct compared c;

	if (!read_compare(r, x, &c))
		return false;
	const char *word = word_of(c.cmp, is);
	bool sign = c.x.is_signed;
	buf_addf(&r->b, "argument %u ", (unsigned)r->arg[c.x.at].position);
	if (c.y.is_argument) {
		if (c.x.is_signed != c.y.is_signed || c.x.from != c.y.from)
			return false;
		buf_addf(&r->b, "%s argument %u%s", word,
			(unsigned)r->arg[c.y.at].position,
			sign || c.equality ? "" : " as unsigned");
		return true;
	}
	int64_t v = known_sext(c.y.number, (unsigned)(x->tag & 0xffff) >> 1);
	suggest(&r->arg[c.x.at], c.y.number);
	/* "> 960" rather than ">= 961" */
	if (sign && !strcmp(word, ">=") && v > INT64_MIN) {
		word = ">";
		v--;
	}
	buf_addf(&r->b, "%s ", word);
	if (sign)
		buf_addf(&r->b, "%lld", (long long)v);
	else
		buf_addf(&r->b, "%llu as unsigned", (unsigned long long)c.y.number);
	return true;
}

static bool
add_fact(struct reader *r, uint32_t sym, bool is, unsigned depth)
{
	const struct sym *x = sym_of(&r->s->d, sym);

	if (depth > NESTING_MAX || r->b.n > TEXT_MAX)
		return false;
	if (x->op == SYM_CMP)
		return add_compare(r, x, is);
	if (x->op == SYM_NOT)
		return x->arg[0].s && add_fact(r, x->arg[0].s, !is, depth + 1);
	if (x->op != SYM_AND && x->op != SYM_OR)
		return false;
	bool all = (x->op == SYM_AND) == is;
	if (!all)
		buf_addc(&r->b, '(');
	for (uint32_t i = 0; i < x->n; i++) {
		if (i)
			buf_adds(&r->b, all ? " and " : " or ");
		if (!x->arg[i].s || !add_fact(r, x->arg[i].s, is, depth + 1))
			return false;
	}
	if (!all)
		buf_addc(&r->b, ')');
	return true;
}

/* ---- values that meet the path ---- */

static uint64_t
number_of(const struct side *x, const uint64_t *v)
{
	uint64_t n = x->is_argument ? v[x->at] : x->number;

	if (!x->is_argument || x->from == 64)
		return n;
	return x->is_signed ? (uint64_t)known_sext(n, x->from)
			    : n & ((UINT64_C(1) << x->from) - 1);
}

/* Of a symbol that add_fact() has read. */
static bool
fact_holds(struct reader *r, uint32_t sym, const uint64_t *v)
{
	const struct sym *x = sym_of(&r->s->d, sym);
	struct compared c;

	if (x->op == SYM_NOT)
		return !fact_holds(r, x->arg[0].s, v);
	if (x->op != SYM_CMP) {
		for (uint32_t i = 0; i < x->n; i++)
			if (fact_holds(r, x->arg[i].s, v) != (x->op == SYM_AND))
				return x->op == SYM_OR;
		return x->op == SYM_AND;
	}
	read_compare(r, x, &c);
	unsigned bits = (unsigned)(x->tag & 0xffff) >> 1;
	bool sign = x->tag & 1;
	uint64_t a = number_of(&c.x, v), b = number_of(&c.y, v);
	uint64_t mask = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
	uint64_t flip = sign ? UINT64_C(1) << (bits - 1) : 0;
	a = (a & mask) ^ flip;
	b = (b & mask) ^ flip;
	switch ((int)c.cmp) {
	case PTX_CMP_EQ: return a == b;
	case PTX_CMP_LT:
	case PTX_CMP_LO: return a < b;
	case PTX_CMP_LE:
	case PTX_CMP_LS: return a <= b;
	case PTX_CMP_GT:
	case PTX_CMP_HI: return a > b;
	default: return a >= b;
	}
}

static bool
path_holds(struct reader *r, const struct world *w, const uint64_t *v)
{
	for (uint32_t i = 0; i < w->n_path; i++)
		if (fact_holds(r, w->path[i].sym, v) != w->path[i].is)
			return false;
	return true;
}

/* Cases that meet the path: the first, and some that differ from it. */
static void
find_cases(struct reader *r, const struct world *w, struct condition *c)
{
	unsigned at[CONDITION_ARGUMENTS] = {0}, tries = 0, i = 0;
	uint64_t v[CONDITION_ARGUMENTS] = {0};

	while (i < r->n && c->n_cases < CONDITION_CASES && tries++ < TRIES_MAX) {
		for (i = 0; i < r->n; i++)
			v[i] = r->arg[i].v[at[i]];
		if (path_holds(r, w, v)) {
			for (i = 0; i < r->n; i++)
				c->cases[c->n_cases][i] = (struct argument_value){
					r->arg[i].position, r->arg[i].bytes, v[i]};
			c->n_cases++;
		}
		for (i = 0; i < r->n && ++at[i] == r->arg[i].n; i++)
			at[i] = 0;
	}
	c->n_values = r->n;
}

/* Values that make comparisons of other arguments come true as well. */
static void
suggest_more(struct reader *r)
{
	static const uint64_t far[] = {0, 100, UINT64_C(1) << 62};
	uint64_t all[VALUES_MAX];
	unsigned n = 0;

	for (unsigned i = 0; i < r->n; i++)
		for (unsigned k = 0; k < r->arg[i].n && n < VALUES_MAX / 2; k++)
			all[n++] = r->arg[i].v[k];
	for (unsigned i = 0; i < r->n; i++) {
		struct candidate *c = &r->arg[i];

		for (unsigned k = 0; k < sizeof far / sizeof far[0]; k++)
			suggest_value(c, far[k]);
		for (unsigned k = 0; k < n; k++)
			suggest_value(c, all[k]);
	}
}

const struct condition *
condition_of_path(struct sim *s, const struct world *w)
{
	struct reader *r = arena_new(s->mem, struct reader);
	struct condition *c = arena_new(s->out, struct condition);

	*r = (struct reader){.s = s, .b.a = s->out};
	for (uint32_t i = 0; i < w->n_path; i++) {
		if (i)
			buf_adds(&r->b, " and ");
		if (!add_fact(r, w->path[i].sym, w->path[i].is, 0))
			return NULL;
	}
	if (!r->n)
		return NULL;
	suggest_more(r);
	find_cases(r, w, c);
	c->text = buf_str(&r->b);
	return c->n_cases ? c : NULL;
}
