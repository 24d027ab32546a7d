/* Which values of an argument decide a launch: they are tried. */
#include "base/buf.h"
#include "simt/condition.h"

enum {
	ARGUMENTS_MAX = 4, /* each is tried alone */
	RANGE_MIN = 64,    /* all values 0..range are tried */
	RANGE_MAX = 1024,
	USELESS_MAX = 6, /* first values that decide nothing */
	SAMPLES_MAX = 24,
	CONSTANTS_MAX = 4, /* that the kernel compares something with */
	HELD_MAX = 3,      /* values at which another argument is held */
	RUNS_MAX = 6,      /* of clean values in a range */
	NAMED_MAX = 4,     /* values that a message names */
};

/* A scalar argument that matters and was not given, or a value of it. */
struct argument {
	uint32_t position;
	unsigned bytes;
};

/* What is tried. */
struct question {
	struct arena *a;
	const struct gate_query *q;
	condition_judge *judge;
	void *ctx;
	uint32_t constant[CONSTANTS_MAX];
	unsigned n_constants;
	struct argument arg[ARGUMENTS_MAX];
	unsigned n_args;
};

struct sample {
	uint32_t value;
	enum verdict_kind kind;
};

/* Values of one argument, perhaps with another held. */
struct trial {
	const struct question *of;
	struct argument arg;
	struct argument_value held;
	bool holds;
	struct sample v[SAMPLES_MAX];
	unsigned n;
	enum verdict_kind all[RANGE_MAX + 1];
	unsigned range;
};

/* What a launch is when, in addition, arguments have these values. */
static enum verdict_kind
condition_try(struct arena *a, const struct gate_query *q, const struct argument_value *v,
	size_t n, condition_judge *judge, void *ctx)
{
	struct gate_query own = *q;
	size_t n_args = q->n_args;

	for (size_t i = 0; i < n; i++)
		if (n_args <= v[i].position)
			n_args = v[i].position + 1u;
	struct gate_arg *args = arena_news(a, n_args, struct gate_arg);
	for (size_t i = 0; i < q->n_args; i++)
		args[i] = q->args[i];
	for (size_t i = 0; i < n; i++) {
		unsigned char *bytes = arena_alloc(a, v[i].bytes);

		for (unsigned k = 0; k < v[i].bytes; k++)
			bytes[k] = (unsigned char)(v[i].value >> (8 * k));
		args[v[i].position] =
			(struct gate_arg){GATE_ARG_BYTES, bytes, v[i].bytes};
	}
	own.args = args;
	own.n_args = n_args;
	own.no_conditions = true;
	return judge(ctx, &own);
}

bool
condition_confirmed(const struct condition *c, const struct gate_query *q,
	condition_judge *judge, void *ctx)
{
	struct arena a = {0};
	enum verdict_kind kind = VERDICT_REFUSED;
	unsigned n = 0;

	while (n < c->n_cases && kind == VERDICT_REFUSED) {
		kind = condition_try(&a, q, c->cases[n], c->n_values, judge, ctx);
		n += kind == VERDICT_REFUSED;
	}
	arena_release(&a);
	return n && (kind == VERDICT_REFUSED || kind == VERDICT_ERROR);
}

/* The largest value that is the same number for a signed and an unsigned argument. */
static uint64_t
largest(unsigned bytes)
{
	return bytes >= 4 ? INT32_MAX : bytes == 2 ? INT16_MAX : INT8_MAX;
}

static enum verdict_kind
judge_value(struct trial *t, uint32_t value)
{
	const struct question *q = t->of;
	struct argument_value v[2] = {{t->arg.position, t->arg.bytes, value}, t->held};

	return condition_try(q->a, q->q, v, t->holds ? 2 : 1, q->judge, q->ctx);
}

/* False: nothing more may be asked. */
static bool
sample(struct trial *t, uint64_t value)
{
	if (value > largest(t->arg.bytes) || t->n == SAMPLES_MAX)
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

static bool
decides(const struct trial *t)
{
	return any(t, VERDICT_CLEAN) && any(t, VERDICT_REFUSED);
}

/* Values at which kernels change: around the block, the grid, a warp and what the kernel
 * compares with. */
static void
sample_all(struct trial *t)
{
	const struct gate_query *q = t->of->q;
	uint64_t x = q->launch.block.x, all = x * q->launch.grid.x;
	const uint64_t v[] = {0, 1, x, all, x - 1, all - 1, 2 * all, x + 1, all + 1, 32,
		31, 2 * x, 1000003};
	unsigned useless = USELESS_MAX;

	for (size_t i = 0; i < 2; i++)
		if (!sample(t, v[i]))
			return;
	for (unsigned i = 0; i < t->of->n_constants; i++) {
		uint64_t c = t->of->constant[i];

		if (!sample(t, c) || !sample(t, c + 1) || (c && !sample(t, c - 1)))
			return;
		useless = t->n + USELESS_MAX - 2;
	}
	for (size_t i = 2; i < sizeof v / sizeof v[0]; i++) {
		if (!sample(t, v[i]))
			return;
		if (t->n >= useless && !any(t, VERDICT_CLEAN) && !any(t, VERDICT_REFUSED))
			return;
	}
}

/* Every value of the range is decided; the range ends where no more may be asked. */
static bool
try_range(struct trial *t)
{
	const struct launch *l = &t->of->q->launch;
	uint64_t all = (uint64_t)l->block.x * l->grid.x, end = all * 2;

	end = end < RANGE_MIN ? RANGE_MIN : end > RANGE_MAX ? RANGE_MAX : end;
	end = end < largest(t->arg.bytes) ? end : largest(t->arg.bytes);
	t->range = (unsigned)end;
	for (unsigned i = 0; i <= t->range; i++) {
		t->all[i] = judge_value(t, i);
		if (t->all[i] == VERDICT_ERROR && i > 2 * l->block.x && i > RANGE_MIN)
			t->range = (unsigned)((i - 1) / l->block.x * l->block.x);
		else if (t->all[i] != VERDICT_CLEAN && t->all[i] != VERDICT_REFUSED)
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
		if (++runs > RUNS_MAX)
			return false;
		buf_addf(b, runs > 1 ? ", %u" : "%u", i);
		if (end > i)
			buf_addf(b, "..%u", end);
		i = end;
	}
	return runs > 0;
}

/* "argument 3 == 1 and argument 2". */
static struct str
subject(const struct trial *t)
{
	if (!t->holds)
		return str_fmt(t->of->a, "argument %u", (unsigned)t->arg.position);
	return str_fmt(t->of->a, "argument %u == %u and argument %u",
		(unsigned)t->held.position, (unsigned)t->held.value,
		(unsigned)t->arg.position);
}

static bool
add_range(struct buf *b, const struct trial *t)
{
	unsigned m = clean_period(t);
	struct buf runs = {.a = t->of->a};

	buf_addf(b, "; with %.*s in 0..%u: ", STR_ARG(subject(t)), t->range);
	if (m) {
		buf_addf(b, "clean iff argument %u %% %u == 0, refused otherwise",
			(unsigned)t->arg.position, m);
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
	const char *lead = "; with ";

	for (int k = 0; k < 2; k++) {
		unsigned n = 0;

		for (unsigned i = 0; i < t->n && n < NAMED_MAX; i++) {
			if (t->v[i].kind != kinds[k])
				continue;
			if (n++)
				buf_addf(b, " or %u", (unsigned)t->v[i].value);
			else
				buf_addf(b, "%s%.*s == %u", lead, STR_ARG(subject(t)),
					(unsigned)t->v[i].value);
		}
		if (!n)
			continue;
		buf_addf(b, " %s", verdict_name(kinds[k]));
		lead = ", with ";
	}
}

static void
add_trial(struct buf *b, struct trial *t)
{
	struct buf range = {.a = t->of->a};

	if (decides(t) && try_range(t) && add_range(&range, t))
		buf_addstr(b, buf_str(&range));
	else
		add_samples(b, t);
}

/* One argument with another held, where that decides. */
static bool
try_held(struct buf *b, const struct question *q, struct argument arg,
	struct argument held)
{
	uint32_t v[2 + CONSTANTS_MAX] = {0, 1};

	for (unsigned i = 0; i < q->n_constants; i++)
		v[2 + i] = q->constant[i];
	for (unsigned i = 0; i < 2 + q->n_constants && i < HELD_MAX; i++) {
		struct trial *t = arena_new(q->a, struct trial);

		*t = (struct trial){.of = q,
			.arg = arg,
			.held = {held.position, held.bytes, v[i]},
			.holds = true};
		if (v[i] > largest(held.bytes))
			continue;
		sample_all(t);
		if (!decides(t))
			continue;
		add_trial(b, t);
		return true;
	}
	return false;
}

static bool
try_pairs(struct buf *b, const struct question *q)
{
	for (unsigned i = 0; i < q->n_args; i++)
		for (unsigned k = 0; k < q->n_args; k++)
			if (i != k && try_held(b, q, q->arg[i], q->arg[k]))
				return true;
	return false;
}

/* ---- what is tried ---- */

static void
add_argument(struct question *q, uint32_t position, unsigned bytes)
{
	unsigned i = q->n_args;

	for (unsigned k = 0; k < q->n_args; k++)
		if (q->arg[k].position == position)
			return;
	/* by position; the last ones give way */
	while (i > 0 && q->arg[i - 1].position > position) {
		if (i < ARGUMENTS_MAX)
			q->arg[i] = q->arg[i - 1];
		i--;
	}
	if (i == ARGUMENTS_MAX)
		return;
	q->arg[i] = (struct argument){position, bytes};
	q->n_args += q->n_args < ARGUMENTS_MAX;
}

static bool
is_scalar(const struct ptx_var *v)
{
	char class = ptx_type_class(v->type);

	return !v->array && !v->ptr && class != 'f' && v->vec <= 1 &&
	       (v->bytes == 1 || v->bytes == 2 || v->bytes == 4 || v->bytes == 8);
}

static void
find_arguments(struct question *q, const struct slice *s)
{
	const struct slice_func *f = &s->funcs[s->entry->body];
	uint32_t var, bytes;
	int64_t off;

	for (uint32_t i = 0; i < f->first[f->c->n]; i++) {
		if (!slice_param_access(&f->f->ins[f->list[i]], &var, &off, &bytes))
			continue;
		const struct ptx_var *v = &s->m->vars[var];
		bool given = v->param < q->q->n_args &&
			     q->q->args[v->param].kind != GATE_ARG_UNKNOWN;

		if (v->func == f->f->index && v->param != PTX_NONE && !v->ret && !given &&
			is_scalar(v) && bytes == v->bytes)
			add_argument(q, v->param, bytes);
	}
}

static void
find_constants(struct question *q, const struct slice *s)
{
	const struct slice_func *f = &s->funcs[s->entry->body];

	for (uint32_t i = 0; i < f->first[f->c->n]; i++) {
		const struct ptx_ins *ins = &f->f->ins[f->list[i]];
		const struct ptx_operand *o = ins->form->op == PTX_SETP && ins->n_ops > 2
						      ? ptx_operand(ins, 2)
						      : NULL;
		bool known = !o || o->kind != PTX_O_INT || o->i < 2 || o->i >= INT32_MAX;

		for (unsigned k = 0; !known && k < q->n_constants; k++)
			known = q->constant[k] == (uint32_t)o->i;
		if (!known && q->n_constants < CONSTANTS_MAX)
			q->constant[q->n_constants++] = (uint32_t)o->i;
	}
}

struct str
condition_of_values(struct arena *a, const struct slice *s, const struct gate_query *q,
	condition_judge *judge, void *ctx)
{
	struct question own = {.a = a, .q = q, .judge = judge, .ctx = ctx};
	struct buf b = {.a = a};
	bool decided = false;

	find_arguments(&own, s);
	find_constants(&own, s);
	for (unsigned i = 0; i < own.n_args; i++) {
		struct trial *t = arena_new(a, struct trial);

		*t = (struct trial){.of = &own, .arg = own.arg[i]};
		sample_all(t);
		decided = decided || decides(t);
		add_trial(&b, t);
	}
	if (!decided)
		try_pairs(&b, &own);
	return b.n ? buf_str(&b) : (struct str){0};
}
