/* What a run found, in words. */
#include "base/buf.h"
#include "ptx/lines.h"
#include "ptx/loctab.h"
#include "simt/condition.h"

struct places {
	struct ptx_line l;
	size_t cap;
};

static void
add_place(struct sim *s, struct places *p, struct ptx_where at)
{
	arena_grow(s->out, p->l.at, p->l.n, p->cap);
	p->l.at[p->l.n++] = at;
}

static struct ptx_where
outermost(const struct ptx_module *m, uint32_t i)
{
	while (m->locs[i].up)
		i = m->locs[i].up;
	return (struct ptx_where){
		loctab_name(m->files, m->n_files, &m->locs[i]), m->locs[i].line};
}

/*
 * The places of an instruction of f, innermost first.  With -G, and of clang 14, what was
 * inlined does not say where to: the line of f's own file that comes before it is taken,
 * which is the call's or near it.
 */
static void
add_places(struct sim *s, struct places *p, const struct ptx_func *f,
	const struct ptx_ins *ins)
{
	struct ptx_line l = ptx_line_of(s->out, s->m, ins);
	struct str home = outermost(s->m, f->loc).file;

	for (uint32_t i = 0; i < l.n; i++)
		if (l.at[i].line)
			add_place(s, p, l.at[i]);
	if (l.n != 1 || (l.at[0].line && str_eq(l.at[0].file, home)))
		return;
	for (size_t i = (size_t)(ins - f->ins); i-- > 0;) {
		struct ptx_where at = outermost(s->m, f->ins[i].loc);

		if (at.line && str_eq(at.file, home)) {
			add_place(s, p, at);
			return;
		}
	}
}

struct ptx_where
breach_where(struct sim *s, const struct ptx_ins *ins, uint32_t frame)
{
	struct places all = {0};

	while (ins) {
		const struct frame *f = &s->frame[frame];

		add_places(s, &all, s->s->funcs[f->func].f, ins);
		ins = f->ins;
		frame = f->up;
	}
	return ptx_line_shown(&all.l);
}

const char *
breach_place(struct arena *a, const struct ptx_ins *ins, const struct ptx_where *at)
{
	if (!ins)
		return "?";
	if (at->line)
		return str_c(
			a, str_fmt(a, "%.*s:%u", STR_ARG(at->file), (unsigned)at->line));
	return str_c(a, str_fmt(a, "PTX line %u", (unsigned)ins->line));
}

static void
add_range(struct buf *b, const char *one, const char *many, unsigned from, unsigned to)
{
	if (b->n)
		buf_adds(b, ", ");
	if (from == to)
		buf_addf(b, "%s %u", one, from);
	else
		buf_addf(b, "%s %u..%u", many, from, to);
}

static void
add_part(struct buf *b, unsigned warp, uint32_t lanes)
{
	bool first = true;

	if (b->n)
		buf_adds(b, ", ");
	bool one = (lanes & (lanes - 1)) == 0;
	buf_addf(b, "warp %u lane%s ", warp, one ? "" : "s");
	for (unsigned l = 0; l < 32; l++) {
		unsigned end = l;

		if (!(lanes >> l & 1))
			continue;
		while (end < 31 && lanes >> (end + 1) & 1)
			end++;
		buf_adds(b, first ? "" : "+");
		if (end > l)
			buf_addf(b, "%u..%u", l, end);
		else
			buf_addf(b, "%u", l);
		first = false;
		l = end;
	}
}

const char *
breach_lanes_text(struct sim *s, const struct lmask *m)
{
	struct buf b = {.a = s->out};
	unsigned parts = 0;

	for (unsigned i = 0; i < s->n_warps; i++) {
		uint32_t x = lmask_warp(m, i), all = lmask_warp(&s->full, i);
		unsigned end = i;

		if (!x)
			continue;
		if (++parts > 6) {
			buf_adds(&b, ", ...");
			break;
		}
		if (x != all) {
			add_part(&b, i, x);
			continue;
		}
		while (end + 1 < s->n_warps && lmask_warp(m, end + 1) &&
			lmask_warp(m, end + 1) == lmask_warp(&s->full, end + 1))
			end++;
		add_range(&b, "warp", "warps", i, end);
		i = end;
	}
	return b.n ? buf_c(&b) : "no thread";
}

const char *
breach_verb(const char *who, const char *one, const char *many)
{
	bool several = strstr(who, "..") || strchr(who, ',') || strchr(who, '+') ||
		       strstr(who, "lanes");
	return several ? many : one;
}

bool
breach_same_place(const struct breach *a, const struct breach *b)
{
	return a->at.line == b->at.line && str_eq(a->at.file, b->at.file);
}

/* placed: r->at is known. */
static bool
reported(const struct sim *s, const struct breach *r, bool placed)
{
	for (size_t i = 0; i < s->n_breaches; i++) {
		const struct breach *b = &s->breach[i];

		if (b->rule == r->rule && b->ins == r->ins && b->sev >= r->sev &&
			(b->frame == r->frame || (placed && breach_same_place(b, r))))
			return true;
	}
	return false;
}

/* Lanes that may have gone already, or are only possibly here, prove nothing. */
static bool
is_certain(const struct world *w, const struct group *g)
{
	if (g && g->unc)
		return false;
	return !w ||
	       (!w->n_path && !w->partial && !lmask_exceeds(&w->may_exit, &w->exited));
}

/* The lanes of such a finding go on as if they had met nobody, and others may wait for
 * them though they came. */
static bool
loses_lanes(enum gate_rule rule)
{
	switch ((int)rule) {
	case RULE_DATA_BARRIER:
	case RULE_BAR_UNKNOWN:
	case RULE_DATA_COLLECTIVE:
	case RULE_MASK_UNKNOWN:
	case RULE_DATA_SWITCH:
	case RULE_CALL_UNKNOWN:
	case RULE_RECURSION:
	case RULE_LOOP_STATE:
	case RULE_JUDGED_NOT: return true;
	default: return false;
	}
}

/* True of an instruction by itself, whoever comes. */
static bool
counts_nobody(enum gate_rule rule)
{
	return rule == RULE_BAR_ID_RANGE || rule == RULE_BAR_COUNT ||
	       rule == RULE_MASK_CALLER;
}

/* True only in the order in which the machine ran. */
static bool
is_of_order(enum gate_rule rule)
{
	return rule == RULE_BAR_OVERSUBSCRIBED || rule == RULE_BAR_PHASE_RACE ||
	       rule == RULE_BAR_DOUBLE_ARRIVE || rule == RULE_BAR_COUNT_MISMATCH ||
	       rule == RULE_MBAR_OVERRUN;
}

/* An mbarrier that is not modelled, or a flag in memory, might forbid that order. */
static bool
hangs_on_order(const struct sim *s, enum gate_rule rule)
{
	bool free = s->s->mbarrier_wait && !s->s->mbarriers;

	return (free || s->s->flag_read) && is_of_order(rule);
}

/* Some of m only wait for others to come to where they meet, and may come then. */
static bool
waits_at_join(const struct world *w, const struct lmask *m)
{
	for (uint32_t i = 0; i < w->n_join; i++)
		for (uint32_t k = 0; k < w->join[i].n; k++)
			if (lmask_meets(m, &w->join[i].arrived[k].mask))
				return true;
	return false;
}

/* The world has a hazard whatever its path leaves open. */
static bool
is_enough(const struct sim *s, const struct world *w, const struct group *g,
	enum gate_rule rule)
{
	enum gate_severity sev = gate_rules[rule].severity;
	bool counts = gate_refuses(s->q, sev);

	return w && counts && !(g && g->unc) && rule != RULE_SHFL_ABSENT &&
	       !is_of_order(rule) && !lmask_exceeds(&w->may_exit, &w->exited);
}

void
breach_whatever(struct sim *s)
{
	struct breach *first = NULL;
	unsigned n = 0;

	for (size_t i = 0; i < s->n_breaches; i++) {
		struct breach *r = &s->breach[i];

		n += r->enough;
		if (r->enough && (!first || gate_rules[r->rule].severity >
						    gate_rules[first->rule].severity))
			first = r;
	}
	if (!first || first->sev != SEV_CAVEAT)
		return;
	first->sev = gate_rules[first->rule].severity;
	first->conditional = false;
	first->taint = 0;
	first->when = NULL;
	if (n > 1)
		first->message = str_fmt(s->out,
			"%.*s; where that does not happen, another of these hazards does",
			STR_ARG(first->message));
}

/* It happens if what the world's path assumes is so. */
static bool
hangs_on_path(const struct sim *s, const struct world *w, const struct group *g,
	const struct breach *r)
{
	return w && !w->partial && !(g && g->unc) && !s->may_trap &&
	       r->rule != RULE_SHFL_ABSENT &&
	       !(r->taint & (SYM_TAINT_CTAID | SYM_TAINT_MEM | SYM_TAINT_LOOP)) &&
	       !lmask_exceeds(&w->may_exit, &w->exited);
}

struct breach *
breach_add(struct sim *s, struct world *w, const struct group *g, enum gate_rule rule,
	const struct ptx_ins *ins, unsigned taint, const struct breach_lanes *lanes,
	const char *fmt, ...)
{
	enum gate_severity sev = gate_rules[rule].severity;
	bool lost = s->lost && !counts_nobody(rule);
	bool maybe = lanes && lanes->unsure_here;
	bool free = hangs_on_order(s, rule);
	bool certain = is_certain(w, g) && !lost && !maybe && !free;
	struct breach r = {.rule = rule, .ins = ins, .taint = taint};
	struct buf b = {.a = s->out};
	va_list ap;

	if (w) {
		r.taint |= w->taint;
		for (uint32_t i = 0; i < w->n_path; i++)
			r.taint |= sym_flags(&s->d, w->path[i].sym) & SYM_TAINTS;
	}
	r.conditional = !certain;
	r.sev = certain ? sev : SEV_CAVEAT;
	bool by_path = !certain && !maybe && !free && !lost && hangs_on_path(s, w, g, &r);
	/* whether an undefined value matters is decided later (gate.c) */
	if (w && !lost && !maybe && is_enough(s, w, g, rule) &&
		!(lanes && waits_at_join(w, &lanes->absent)))
		w->sure = r.enough = true;
	s->lost = s->lost || (loses_lanes(rule) && !(lanes && lanes->all_or_none));
	bool dooms = sev != SEV_EXIT && gate_refuses(s->q, sev);
	if (dooms && w && !(g && g->unc) && !lost && rule != RULE_SHFL_ABSENT)
		s->doomed = true;
	g = g ? g : lanes ? lanes->by : NULL;
	r.frame = g ? g->frame : PTX_NONE;
	if (reported(s, &r, false))
		return NULL;
	if (ins)
		r.at = g ? breach_where(s, ins, g->frame) : ptx_where_of(s->m, ins);
	if (reported(s, &r, true))
		return NULL;
	if (by_path)
		r.when = condition_of_path(s, w);
	va_start(ap, fmt);
	buf_vaddf(&b, fmt, ap);
	va_end(ap);
	r.message = buf_str(&b);
	if (lanes) {
		r.has_lanes = true;
		r.waits = lanes->waits;
		r.elsewhere = lanes->elsewhere;
		r.absent = lanes->absent;
		r.exited = lanes->exited;
		r.unsure = lanes->unsure;
		r.reads = lanes->reads;
	}
	arena_grow(s->out, s->breach, s->n_breaches, s->cap_breaches);
	s->breach[s->n_breaches] = r;
	return &s->breach[s->n_breaches++];
}
