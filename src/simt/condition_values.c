/* Which values of an argument decide a launch: they are tried. */
#include "base/buf.h"
#include "simt/condition.h"

enum {
	ARGUMENTS_MAX = 3, /* each is tried alone */
	RANGE_MIN = 64,    /* all values 0..range are tried */
	RANGE_MAX = 1024,
	USELESS_MAX = 6, /* first values that decide nothing */
	SAMPLES_MAX = 16,
	NAMED_MAX = 4, /* values that a message names */
};

struct sample {
	uint32_t value;
	enum verdict_kind kind;
};

struct trial {
	struct arena *a;
	const struct gate_query *q;
	condition_judge *judge;
	void *ctx;
	uint32_t position;
	struct sample v[SAMPLES_MAX];
	unsigned n;
	enum verdict_kind all[RANGE_MAX + 1];
	unsigned range;
};

static enum verdict_kind
judge_value(struct trial *t, uint32_t value)
{
	size_t n = t->q->n_args > t->position ? t->q->n_args : t->position + 1u;
	struct gate_arg *args = arena_news(t->a, n, struct gate_arg);
	unsigned char bytes[4];
	struct gate_query q = *t->q;

	for (size_t i = 0; i < t->q->n_args; i++)
		args[i] = t->q->args[i];
	for (int i = 0; i < 4; i++)
		bytes[i] = (unsigned char)(value >> (8 * i));
	args[t->position] = (struct gate_arg){GATE_ARG_BYTES, bytes, sizeof bytes};
	q.args = args;
	q.n_args = n;
	return t->judge(t->ctx, &q);
}

/* False: nothing more may be asked. */
static bool
sample(struct trial *t, uint64_t value)
{
	if (value > INT32_MAX || t->n == SAMPLES_MAX)
		return true;
	for (unsigned i = 0; i < t->n; i++)
		if (t->v[i].value == value)
			return true;
	struct sample x = {(uint32_t)value, judge_value(t, (uint32_t)value)};
	if (x.kind == VERDICT_ERROR)
		return false;
	t->v[t->n++] = x;
	return true;
}

static bool
any(const struct trial *t, enum verdict_kind kind)
{
	for (unsigned i = 0; i < t->n; i++)
		if (t->v[i].kind == kind)
			return true;
	return false;
}

/* Values at which kernels change: around the block, the grid and a warp. */
static void
sample_all(struct trial *t)
{
	uint64_t x = t->q->launch.block.x, all = x * t->q->launch.grid.x;
	const uint64_t v[] = {0, 1, x, all, x - 1, all - 1, 2 * all, x + 1, all + 1, 32,
		31, 2 * x, 1000003};

	for (size_t i = 0; i < sizeof v / sizeof v[0]; i++) {
		if (!sample(t, v[i]))
			return;
		if (t->n >= USELESS_MAX && !any(t, VERDICT_CLEAN) &&
			!any(t, VERDICT_REFUSED))
			return;
	}
}

/* True: every value of the range is decided. */
static bool
try_range(struct trial *t)
{
	uint64_t all = (uint64_t)t->q->launch.block.x * t->q->launch.grid.x;

	t->range = all * 2 < RANGE_MIN   ? RANGE_MIN
		   : all * 2 > RANGE_MAX ? RANGE_MAX
					 : (unsigned)(all * 2);
	for (unsigned i = 0; i <= t->range; i++) {
		t->all[i] = judge_value(t, i);
		if (t->all[i] != VERDICT_CLEAN && t->all[i] != VERDICT_REFUSED)
			return false;
	}
	return true;
}

/* Clean exactly at the multiples of the result; 0: no such number. */
static unsigned
clean_period(const struct trial *t)
{
	unsigned m = 1;

	while (m <= t->range && t->all[m] != VERDICT_CLEAN)
		m++;
	if (m == 1 || m > t->range / 2)
		return 0;
	for (unsigned i = 0; i <= t->range; i++)
		if ((t->all[i] == VERDICT_CLEAN) != (i % m == 0))
			return 0;
	return m;
}

/* "0..3, 7": at most a few runs of clean values, else false. */
static bool
add_runs(struct buf *b, const struct trial *t)
{
	unsigned runs = 0;

	for (unsigned i = 0; i <= t->range; i++) {
		unsigned end = i;

		if (t->all[i] != VERDICT_CLEAN)
			continue;
		while (end < t->range && t->all[end + 1] == VERDICT_CLEAN)
			end++;
		if (++runs > NAMED_MAX)
			return false;
		buf_addf(b, runs > 1 ? ", %u" : "%u", i);
		if (end > i)
			buf_addf(b, "..%u", end);
		i = end;
	}
	return runs > 0;
}

static bool
add_range(struct buf *b, const struct trial *t)
{
	unsigned m = clean_period(t);
	struct buf runs = {.a = t->a};

	buf_addf(b, "; with argument %u in 0..%u: ", (unsigned)t->position, t->range);
	if (m) {
		buf_addf(b, "clean iff argument %u %% %u == 0, refused otherwise",
			(unsigned)t->position, m);
		return true;
	}
	if (!add_runs(&runs, t))
		return false;
	buf_addf(b, "clean for %.*s, refused otherwise", STR_ARG(buf_str(&runs)));
	return true;
}

static void
add_samples(struct buf *b, const struct trial *t)
{
	const enum verdict_kind kinds[] = {VERDICT_CLEAN, VERDICT_REFUSED};
	const char *lead = "; with argument";

	for (int k = 0; k < 2; k++) {
		unsigned n = 0;

		for (unsigned i = 0; i < t->n && n < NAMED_MAX; i++) {
			if (t->v[i].kind != kinds[k])
				continue;
			if (n++)
				buf_addf(b, " or %u", (unsigned)t->v[i].value);
			else
				buf_addf(b, "%s %u == %u", lead, (unsigned)t->position,
					(unsigned)t->v[i].value);
		}
		if (!n)
			continue;
		buf_addf(b, " %s", verdict_name(kinds[k]));
		lead = ", with argument";
	}
}

static void
try_argument(struct buf *b, struct trial *t)
{
	struct buf range = {.a = t->a};

	sample_all(t);
	bool clean = any(t, VERDICT_CLEAN), bad = any(t, VERDICT_REFUSED);
	if (!clean && !bad)
		return;
	if (clean && bad && try_range(t) && add_range(&range, t))
		buf_addstr(b, buf_str(&range));
	else
		add_samples(b, t);
}

/* The next 32-bit integer argument after position *at that matters and is not known. */
static bool
next_unknown(const struct slice *s, const struct gate_query *q, uint32_t *at)
{
	const struct slice_func *f = &s->funcs[s->entry->body];
	uint32_t best = PTX_NONE, var, bytes;
	int64_t off;

	for (uint32_t i = 0; i < f->first[f->c->n]; i++) {
		const struct ptx_ins *ins = &f->f->ins[f->list[i]];

		if (!slice_param_access(ins, &var, &off, &bytes))
			continue;
		const struct ptx_var *v = &s->m->vars[var];
		bool given = v->param < q->n_args &&
			     q->args[v->param].kind != GATE_ARG_UNKNOWN;
		char class = ptx_type_class(v->type);

		if (v->func == f->f->index && v->param != PTX_NONE && !v->ret &&
			v->bytes == 4 && bytes == 4 && class != 'f' && !given &&
			(*at == PTX_NONE || v->param > *at) && v->param < best)
			best = v->param;
	}
	*at = best;
	return best != PTX_NONE;
}

struct str
condition_of_values(struct arena *a, const struct slice *s, const struct gate_query *q,
	condition_judge *judge, void *ctx)
{
	struct buf b = {.a = a};
	uint32_t at = PTX_NONE;

	for (int i = 0; i < ARGUMENTS_MAX && next_unknown(s, q, &at); i++) {
		struct trial *t = arena_new(a, struct trial);

		*t = (struct trial){
			.a = a, .q = q, .judge = judge, .ctx = ctx, .position = at};
		try_argument(&b, t);
	}
	return b.n ? buf_str(&b) : (struct str){0};
}
