/* Whether all blocks of a cluster, or of the grid, meet as often. */
#include "gate/grid_parts.h"

static int64_t
block_of(const struct grid_class *c, int axis, int64_t number)
{
	return c->rank[axis] + c->step[axis] * number;
}

/* The first cluster that both classes have blocks in; false if there is none. */
static bool
common_cluster(const struct grid_class *a, const struct grid_class *b, int64_t at[3])
{
	for (int i = 0; i < 3; i++) {
		at[i] = a->lo[i] > b->lo[i] ? a->lo[i] : b->lo[i];
		if (at[i] > a->hi[i] || at[i] > b->hi[i])
			return false;
	}
	return true;
}

static struct str
block_text(struct arena *a, const struct grid_class *c, const int64_t at[3])
{
	return str_fmt(a, "%lld,%lld,%lld", (long long)block_of(c, 0, at[0]),
		(long long)block_of(c, 1, at[1]), (long long)block_of(c, 2, at[2]));
}

static bool
is_known(const struct sync *c)
{
	return c->least == c->most;
}

static void
add(struct grid_result *r, struct arena *out, enum gate_rule rule, enum gate_severity sev,
	const struct ptx_module *m, const struct ptx_ins *ins,
	const struct sync_record *x, unsigned taint, struct str message)
{
	struct grid_finding f = {.first = x->c, .n_blocks = 1};

	f.r.rule = rule;
	f.r.sev = sev;
	f.r.ins = ins;
	f.r.frame = PTX_NONE;
	f.r.at = ins ? ptx_where_of(m, ins) : (struct ptx_where){0};
	f.r.taint = taint;
	f.r.conditional = sev == SEV_CAVEAT;
	f.r.message = message;
	arena_grow(out, r->v, r->n, r->cap);
	r->v[r->n++] = f;
}

/* How two records differ: 0 not at all, 1 perhaps, 2 certainly. */
static int
difference(const struct sync_record *a, const struct sync_record *b, int kind)
{
	const struct sync *x = &a->sync[kind], *y = &b->sync[kind];

	if (is_known(x) && is_known(y))
		return x->least != y->least ? 2 : 0;
	/* unknown, but the same for blocks that do the same with the same arguments */
	return x->least != y->least || x->most != y->most || a->block_read ||
	       b->block_read ||
	       ((a->taint | b->taint) & (SYM_TAINT_MEM | SYM_TAINT_CTAID)) != 0;
}

static const char *
times(struct arena *a, unsigned n)
{
	if (n > 1)
		return str_c(a, str_fmt(a, "%u times", n));
	return n ? "once" : "never";
}

static void
compare(struct grid_result *r, struct arena *out, const struct slice *sl, int kind,
	const struct sync_record *a, const struct sync_record *b, int how)
{
	int64_t at[3] = {a->c.lo[0], a->c.lo[1], a->c.lo[2]},
		bt[3] = {b->c.lo[0], b->c.lo[1], b->c.lo[2]};
	bool cluster = kind == SYNC_CLUSTER;
	/* blocks may differ in barriers that are not the grid's */
	how = !cluster && sl->grid_guess ? 1 : how;
	const struct ptx_ins *ins = cluster ? (a->cat ? a->cat : b->cat) : sl->grid_sync;

	if (cluster && common_cluster(&a->c, &b->c, at))
		memcpy(bt, at, sizeof bt);
	if (how == 1) {
		add(r, out, cluster ? RULE_CLUSTER_PARTIAL : RULE_GRID_BARRIER,
			SEV_CAVEAT, sl->m, ins, a, a->taint | b->taint,
			str_fmt(out,
				"blocks of one %s may execute its barrier a "
				"different number of times",
				cluster ? "cluster" : "grid"));
		return;
	}
	add(r, out, cluster ? RULE_BAR_EXITED : RULE_GRID_BARRIER,
		cluster ? SEV_EXIT : SEV_REFUSE, sl->m, ins, a, 0,
		str_fmt(out,
			"the %s's barrier is completed %s by block %.*s and %s by block "
			"%.*s",
			cluster ? "cluster" : "grid",
			times(out, (unsigned)a->sync[kind].least),
			STR_ARG(block_text(out, &a->c, at)),
			times(out, (unsigned)b->sync[kind].least),
			STR_ARG(block_text(out, &b->c, bt))));
}

void
grid_compare_sync(struct grid_result *r, struct arena *out, const struct slice *sl,
	const struct sync_record *v, size_t n)
{
	int64_t at[3];

	for (int kind = 0; kind < SYNC_KINDS; kind++) {
		const struct sync_record *a = NULL, *b = NULL;
		int worst = 0;

		for (size_t i = 0; i < n; i++)
			for (size_t k = i; k < n && worst < 2; k++) {
				int how = difference(&v[i], &v[k], kind);

				if (how <= worst ||
					(kind == SYNC_CLUSTER &&
						!common_cluster(&v[i].c, &v[k].c, at)))
					continue;
				worst = how;
				a = &v[i];
				b = &v[k];
			}
		if (worst)
			compare(r, out, sl, kind, a, b, worst);
	}
}
