#include "gate/gate.h"

#include "base/buf.h"
#include "gate/grid.h"
#include "gate/limits.h"
#include "gate/witness.h"
#include "ptx/lines.h"
#include "simt/condition.h"
#include "slice/pointee.h"

/* Judging again with values of arguments, see condition.h: lanes, and those that the
 * setup of one judgement is worth. */
static const uint64_t trials_max = UINT64_C(4) << 20;
enum { JUDGE_LANES = 1000 };

struct gate_kernel {
	const struct ptx_module *m;
	const struct ptx_func *entry;
	const struct cfg *cfgs;
	const struct slice *slice;
	struct followed *followed;
};

/* Slices with memory, and with mbarriers: built when a launch asks for one first. */
struct followed {
	struct arena *a;
	const struct slice *slice;
	const struct cfg *counted_cfgs;
	const struct slice *counted[SLICE_MEMORY + 1];
};

/* ---- which entry ---- */

/* "reduce" in "_Z6reducePKfPfi": the name with its length before it. */
static bool
is_mangled(struct str mangled, struct str name)
{
	char len[24];
	int n = snprintf(len, sizeof len, "%zu", name.n);

	if (!str_starts(mangled, "_Z") || n <= 0)
		return false;
	for (size_t i = 2; i + (size_t)n + name.n <= mangled.n; i++) {
		bool digit = mangled.s[i - 1] >= '0' && mangled.s[i - 1] <= '9';

		if (!digit && !memcmp(mangled.s + i, len, (size_t)n) &&
			!memcmp(mangled.s + i + n, name.s, name.n))
			return true;
	}
	return false;
}

static struct str
list_entries(struct arena *a, const struct ptx_module *m)
{
	struct buf b = {.a = a};

	for (uint32_t i = 0; i < m->n_funcs; i++) {
		if (!m->funcs[i].entry || !m->funcs[i].defined)
			continue;
		buf_adds(&b, b.n ? ", '" : "'");
		buf_addstr(&b, m->funcs[i].name);
		buf_addc(&b, '\'');
		if (b.n > 400) {
			buf_adds(&b, ", ...");
			break;
		}
	}
	return b.n ? buf_str(&b) : STR_LIT("none");
}

static const struct ptx_func *
find_entry(struct arena *a, const struct ptx_module *m, struct str name, struct str *why)
{
	const struct ptx_func *found = NULL;
	unsigned n = 0;

	for (uint32_t i = 0; i < m->n_funcs; i++) {
		const struct ptx_func *f = &m->funcs[i];

		if (!f->entry || !f->defined)
			continue;
		if (name.n && str_eq(f->name, name))
			return f;
		if (name.n && !is_mangled(f->name, name))
			continue;
		found = f;
		n++;
	}
	if (n == 1)
		return found;
	if (n > 1 && !name.n)
		*why = str_fmt(a,
			"the module has %u entries; choose one with 'entry': %.*s", n,
			STR_ARG(list_entries(a, m)));
	else if (n > 1)
		*why = str_fmt(a, "%u entries match '%.*s'; name one of %.*s", n,
			STR_ARG(name), STR_ARG(list_entries(a, m)));
	else if (name.n)
		*why = str_fmt(a, "no entry '%.*s'; the module has %.*s", STR_ARG(name),
			STR_ARG(list_entries(a, m)));
	else
		*why = STR_LIT("the module has no entry (kernel), only functions");
	return NULL;
}

struct gate_kernel *
gate_prepare(
	struct arena *a, const struct ptx_module *m, struct str entry, struct str *why)
{
	struct gate_kernel *k;
	const struct ptx_func *f = find_entry(a, m, entry, why);

	if (!f)
		return NULL;
	k = arena_new(a, struct gate_kernel);
	k->m = m;
	k->entry = f;
	k->cfgs = cfg_build(a, m, false);
	k->slice = slice_build(a, m, k->cfgs, f, SLICE_REGISTERS);
	k->followed = arena_new(a, struct followed);
	k->followed->a = a;
	return k;
}

struct str
gate_entry_name(const struct gate_kernel *k)
{
	return k->entry->name;
}

/* ---- the verdict ---- */

/* Launches that are judged with values of arguments. */
struct trials {
	const struct gate_kernel *k;
	uint64_t spent;
};

static condition_judge try_query;

struct builder {
	struct arena *a;
	const struct gate_kernel *k;
	struct verdict *v;
	size_t cap;
	uint64_t spent, in_vain;
	bool argument;           /* a finding depends on arguments that were not given */
	struct trials confirmed; /* of conditions */
};

static struct finding *
add_finding(struct builder *b, enum gate_rule rule, enum verdict_kind kind,
	const struct ptx_ins *ins, const struct ptx_where *at, struct str message)
{
	const struct gate_rule_info *info = &gate_rules[rule];
	struct finding f = {.rule = str_of(info->id),
		.klass = str_of(info->klass),
		.kind = kind,
		.message = message};

	if (ins) {
		struct ptx_where own = at ? *at : ptx_where_of(b->k->m, ins);

		f.file = own.line ? own.file : (struct str){0};
		f.line = own.line;
		f.ptx_line = ins->line;
	}
	arena_grow(b->a, b->v->findings, b->v->n_findings, b->cap);
	b->v->findings[b->v->n_findings] = f;
	if (kind > b->v->kind)
		b->v->kind = kind;
	return &b->v->findings[b->v->n_findings++];
}

static enum verdict_kind
kind_of(const struct breach *r, const struct gate_query *q)
{
	return gate_refuses(q, r->sev) ? VERDICT_REFUSED : VERDICT_CAVEAT;
}

static bool
confirmed(struct builder *b, const struct gate_query *q, const struct condition *c)
{
	return !q->no_conditions && b->spent < trials_max / 8 &&
	       condition_confirmed(c, q, try_query, &b->confirmed);
}

static struct str
message_of(struct builder *b, const struct breach *r, const struct gate_query *q)
{
	enum gate_severity sev = gate_rules[r->rule].severity;
	bool would = r->sev == SEV_CAVEAT && sev != SEV_CAVEAT;
	unsigned t = r->taint &
		     (SYM_TAINT_ARG | SYM_TAINT_CTAID | SYM_TAINT_MEM | SYM_TAINT_LOOP);

	if (!would)
		return r->message;
	if (r->when && gate_refuses(q, sev) && confirmed(b, q, r->when))
		return str_fmt(b->a, "%.*s; refused if %.*s", STR_ARG(r->message),
			STR_ARG(r->when->text));
	if (t == SYM_TAINT_ARG)
		return str_fmt(b->a,
			"%.*s; whether that happens depends on kernel arguments that "
			"were not given",
			STR_ARG(r->message));
	return str_fmt(b->a, "%.*s; whether that happens depends on %s",
		STR_ARG(r->message), t & SYM_TAINT_MEM ? "data" : "what is not known");
}

static void
add_reports(struct builder *b, const struct grid_result *r, const struct gate_query *q)
{
	unsigned threads = (unsigned)dim_volume(q->launch.block);

	for (size_t i = 0; i < r->n; i++) {
		const struct grid_finding *g = &r->v[i];
		b->argument =
			b->argument ||
			(g->r.taint & (SYM_TAINT_ARG | SYM_TAINT_MEM)) == SYM_TAINT_ARG;
		struct finding *f = add_finding(b, g->r.rule, kind_of(&g->r, q), g->r.ins,
			&g->r.at, message_of(b, &g->r, q));

		f->witness = witness_make(b->a, g, threads);
	}
}

/* What the machine does not model makes a clean answer a caveat. */
static void
add_unmodelled(struct builder *b, const struct grid_result *r)
{
	const struct slice *s = b->k->slice;

	if (s->not_sync)
		add_finding(b, RULE_NOT_SYNC, VERDICT_CAVEAT, s->not_sync, NULL,
			STR_LIT("a shuffle or vote without .sync names no lanes: which "
				"take part "
				"is not defined on compute capability 7.0 and above"));
	if (s->too_big)
		add_finding(b, RULE_BUDGET, VERDICT_CAVEAT, NULL, NULL,
			str_fmt(b->a, "the control flow is too large to slice (%s)",
				s->too_big));
	if (r->cap_hit)
		add_finding(b, RULE_BUDGET, VERDICT_CAVEAT, NULL, NULL,
			str_fmt(b->a,
				"the budget for %s was spent after %u classes of blocks, "
				"at block "
				"%lld,%lld,%lld",
				r->cap_hit, r->classes, (long long)r->where.lo[0],
				(long long)r->where.lo[1], (long long)r->where.lo[2]));
}

static int
finding_order(const void *pa, const void *pb)
{
	const struct finding *a = pa, *b = pb;

	if (a->kind != b->kind)
		return a->kind > b->kind ? -1 : 1;
	/* where the user reads, whatever the order in which the compiler put its blocks
	 */
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	if (a->ptx_line != b->ptx_line)
		return a->ptx_line < b->ptx_line ? -1 : 1;
	int c = str_cmp(a->rule, b->rule);
	return c ? c : str_cmp(a->message, b->message);
}

/* A cluster shape written in the kernel is the one that is launched. */
static struct launch
effective(const struct launch *l, const struct ptx_func *f)
{
	struct launch r = *l;
	bool given = l->cluster.x > 1 || l->cluster.y > 1 || l->cluster.z > 1;

	if (!given && f->cluster.v[0])
		r.cluster =
			(struct dim){f->cluster.v[0], f->cluster.v[1], f->cluster.v[2]};
	if (!r.cluster.x || !r.cluster.y || !r.cluster.z)
		r.cluster = (struct dim){1, 1, 1};
	return r;
}

static bool
check_limits(struct builder *b, const struct gate_query *q)
{
	struct limit_break v[LIMIT_BREAKS_MAX];
	size_t n = limits_check(b->a, b->k->m, b->k->entry, q, v);

	for (size_t i = 0; i < n; i++)
		add_finding(b, v[i].rule, VERDICT_REFUSED, NULL, NULL, v[i].message);
	return n == 0;
}

static bool
refuses_but_undefined(const struct grid_result *r, const struct gate_query *q)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->v[i].r.rule != RULE_SHFL_ABSENT &&
			kind_of(&r->v[i].r, q) == VERDICT_REFUSED)
			return true;
	return false;
}

/*
 * A shuffle that reads an absent lane gives an undefined value, which is a hazard only if
 * it is used.  When nothing else refuses the launch, it is run again, whole, to see.
 */
static void
judge_undefined(struct builder *b, struct grid_result *r, const struct gate_query *q)
{
	bool found = false, other = refuses_but_undefined(r, q);
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++)
		found = found || r->v[i].r.rule == RULE_SHFL_ABSENT;
	/* it may well be that nobody uses the value */
	for (size_t i = 0; i < r->n && other; i++)
		if (r->v[i].r.rule == RULE_SHFL_ABSENT)
			r->v[i].r.sev = SEV_CAVEAT;
	if (!found || other)
		return;
	const struct slice *whole =
		slice_build(b->a, b->k->m, b->k->cfgs, b->k->entry, SLICE_WHOLE);
	struct grid_result t = {0};
	if (!whole->too_big)
		t = grid_run(b->a, whole, q, true);
	/* lanes that did not come to the end the second time were not followed there */
	bool followed = !whole->too_big && !t.cap_hit && !refuses_but_undefined(&t, q);
	for (size_t i = 0; i < r->n; i++) {
		if (r->v[i].r.rule != RULE_SHFL_ABSENT)
			r->v[n++] = r->v[i];
		else if (!followed) {
			r->v[i].r.sev = SEV_CAVEAT;
			r->v[n++] = r->v[i];
		}
	}
	r->n = n;
	r->cap = n;
	for (size_t i = 0; i < t.n; i++)
		if (t.v[i].r.rule == RULE_SHFL_ABSENT) {
			arena_grow(b->a, r->v, r->n, r->cap);
			r->v[r->n++] = t.v[i];
		}
}

/* What stands in the way of an answer, where, and what it depends on. */
struct obstacle {
	struct str why;
	const struct ptx_ins *at;
	unsigned taint;
};

static struct obstacle
obstacle_of(struct builder *b, const struct grid_result *r, const struct gate_query *q)
{
	struct obstacle o = {.at = r->unmodelled_at, .taint = r->unmodelled_taint};

	if (r->unmodelled)
		o.why = str_of(r->unmodelled);
	else if (r->cap_hit)
		o.why = str_fmt(b->a,
			"how often loops run is not known, or too often (the budget for "
			"%s was spent)",
			r->cap_hit);
	for (size_t i = 0; i < r->n && !o.why.n; i++)
		if (kind_of(&r->v[i].r, q) == VERDICT_CAVEAT) {
			o.why = message_of(b, &r->v[i].r, q);
			o.at = r->v[i].r.ins;
			o.taint = r->v[i].r.taint;
		}
	return o;
}

static bool
refuses(const struct grid_result *r, const struct gate_query *q)
{
	for (size_t i = 0; i < r->n; i++)
		if (kind_of(&r->v[i].r, q) == VERDICT_REFUSED)
			return true;
	return false;
}

/* Undefined values are followed by judge_undefined: what it said stays. */
static void
keep_undefined(struct builder *b, const struct grid_result *from, struct grid_result *to)
{
	size_t n = 0;

	for (size_t i = 0; i < to->n; i++)
		if (to->v[i].r.rule != RULE_SHFL_ABSENT)
			to->v[n++] = to->v[i];
	to->n = n;
	for (size_t i = 0; i < from->n; i++)
		if (from->v[i].r.rule == RULE_SHFL_ABSENT) {
			arena_grow(b->a, to->v, to->n, to->cap);
			to->v[to->n++] = from->v[i];
		}
}

/* The slice in which what is done to mbarriers is a site. */
static const struct slice *
counted(const struct gate_kernel *k, enum slice_extent depth)
{
	struct followed *f = k->followed;

	if (!f->counted_cfgs)
		f->counted_cfgs = cfg_build(f->a, k->m, true);
	if (!f->counted[depth])
		f->counted[depth] =
			slice_build(f->a, k->m, f->counted_cfgs, k->entry, depth);
	return f->counted[depth];
}

/*
 * The launch was run as if every wait for an mbarrier ended.  If nothing certain came of
 * that, it is run with arrivals and waits counted.  That is the answer if all of it is
 * known; if not, the first one stays, with the reason.
 */
static void
judge_mbarriers(struct builder *b, struct grid_result *r, const struct gate_query *q)
{
	struct grid_result t = {0};
	struct obstacle o = {.why = STR_LIT("the control flow is too large")};

	for (int depth = SLICE_REGISTERS; depth <= SLICE_MEMORY; depth++) {
		const struct slice *sl = counted(b->k, (enum slice_extent)depth);

		if (sl->remote && dim_volume(q->launch.cluster) > 1) {
			o.why = STR_LIT("they may come from other blocks of the cluster");
			o.taint = SYM_TAINT_MEM;
			break;
		}
		if (sl->too_big || (depth && !(sl->points && sl->points->any)))
			break;
		t = grid_run(b->a, sl, q, false);
		keep_undefined(b, r, &t);
		o = obstacle_of(b, &t, q);
		/* what it took to find out that something is missing says nothing of
		 * what it takes with all arguments known */
		*(o.why.n ? &b->in_vain : &b->spent) += t.spent;
		if (!o.why.n || refuses(&t, q)) {
			*r = t;
			return;
		}
		if (t.cap_hit || !sl->loads ||
			!(o.taint & (SYM_TAINT_MEM | SYM_TAINT_LOOP)))
			break;
	}
	b->argument = b->argument || !(o.taint & SYM_TAINT_MEM);
	struct str at = STR_LIT("");
	if (o.at) {
		struct ptx_where x = ptx_where_of(b->k->m, o.at);

		at = str_fmt(b->a, " (%s)", breach_place(b->a, o.at, &x));
	}
	add_finding(b, RULE_MBARRIER, VERDICT_CAVEAT, b->k->slice->mbarrier_wait, NULL,
		str_fmt(b->a,
			"waits on mbarriers are assumed to end, everything else is "
			"judged; their "
			"arrivals could not be counted: %.*s%.*s",
			STR_ARG(o.why), STR_ARG(at)));
}

/* What was loaded from memory that can be followed may decide the launch. */
static bool
hangs_on_memory(
	const struct builder *b, const struct grid_result *r, const struct gate_query *q)
{
	bool any = false;

	if (!b->k->slice->loads || r->cap_hit)
		return false;
	for (size_t i = 0; i < r->n; i++) {
		if (kind_of(&r->v[i].r, q) == VERDICT_REFUSED)
			return false;
		any = any || r->v[i].r.taint & (SYM_TAINT_MEM | SYM_TAINT_LOOP);
	}
	return any;
}

/*
 * Most launches are decided by registers alone.  Where one is not, it is judged again
 * with the words of shared and local memory; a spent budget leaves the first answer.
 */
static void
judge_memory(struct builder *b, struct grid_result *r, const struct gate_query *q)
{
	struct followed *f = b->k->followed;
	struct grid_result again;

	if (!hangs_on_memory(b, r, q))
		return;
	if (!f->slice)
		f->slice =
			slice_build(f->a, b->k->m, b->k->cfgs, b->k->entry, SLICE_MEMORY);
	if (f->slice->too_big || !f->slice->points->any)
		return;
	again = grid_run(b->a, f->slice, q, false);
	judge_undefined(b, &again, q);
	b->spent += again.spent;
	if (!again.cap_hit)
		*r = again;
}

static void
run(struct builder *b, const struct gate_query *q)
{
	const struct dim *g = &q->launch.grid;
	uint64_t threads = dim_volume(q->launch.block);
	struct grid_result r = {0};

	if (threads == 0 || threads > LANES_MAX || g->x == 0 || g->y == 0 || g->z == 0 ||
		g->x > INT32_MAX || g->y > INT32_MAX || g->z > INT32_MAX) {
		add_finding(b, RULE_JUDGED_NOT, VERDICT_CAVEAT, NULL, NULL,
			str_fmt(b->a, "blocks of more than %d threads are not modelled",
				LANES_MAX));
		return;
	}
	if (b->k->slice->has_site && !b->k->slice->too_big)
		r = grid_run(b->a, b->k->slice, q, false);
	judge_undefined(b, &r, q);
	b->spent += r.spent;
	judge_memory(b, &r, q);
	if (b->k->slice->mbarrier_wait && !b->k->slice->too_big && !refuses(&r, q))
		judge_mbarriers(b, &r, q);
	add_reports(b, &r, q);
	add_unmodelled(b, &r);
}

static struct verdict
judge(struct arena *a, const struct gate_kernel *k, const struct gate_query *q,
	uint64_t *spent, bool *argument)
{
	struct verdict v = {.kind = VERDICT_CLEAN, .launch = q->launch};
	struct builder b = {.a = a, .k = k, .v = &v, .confirmed = {k, 0}};

	if (check_limits(&b, q))
		run(&b, q);
	if (v.n_findings)
		qsort(v.findings, v.n_findings, sizeof *v.findings, finding_order);
	*spent += b.spent + JUDGE_LANES + (q->no_conditions ? b.in_vain : 0);
	*argument = b.argument;
	return v;
}

static enum verdict_kind
try_query(void *ctx, const struct gate_query *q)
{
	struct trials *t = ctx;
	struct arena a = {0};
	bool argument;

	if (t->spent > trials_max)
		return VERDICT_ERROR;
	enum verdict_kind kind = judge(&a, t->k, q, &t->spent, &argument).kind;
	arena_release(&a);
	return kind;
}

/* A verdict that depends on arguments says for which of their values it is what. */
static void
add_conditions(struct arena *a, const struct gate_kernel *k, const struct gate_query *q,
	struct verdict *v)
{
	struct trials t = {.k = k};
	struct arena own = {0};
	const struct slice *sl =
		k->slice->mbarrier_wait ? counted(k, SLICE_REGISTERS) : k->slice;
	struct str text = condition_of_values(&own, sl, q, try_query, &t);

	if (text.n)
		v->findings[0].message = str_fmt(
			a, "%.*s%.*s", STR_ARG(v->findings[0].message), STR_ARG(text));
	arena_release(&own);
}

struct verdict
gate_check(struct arena *a, const struct gate_kernel *k, const struct gate_query *q)
{
	struct gate_query own = *q;
	struct device dev = {0};
	uint64_t spent = 0;
	bool argument = false;

	own.launch = effective(&q->launch, k->entry);
	if (!own.limits) {
		device_of_cc(a, 9, 0, &dev);
		own.limits = &dev;
	}
	struct verdict v = judge(a, k, &own, &spent, &argument);
	v.launch = q->launch;
	if (v.kind == VERDICT_CAVEAT && argument && !q->no_conditions &&
		spent < trials_max / 8)
		add_conditions(a, k, &own, &v);
	return v;
}
