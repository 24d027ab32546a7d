#include "graph/restore_parts.h"

#include "base/arena.h"
#include "base/fs.h"
#include "base/hash.h"
#include "base/proc.h"
#include "cache/remote.h"
#include "graph/edge.h"
#include "graph/printer.h"

#include <unistd.h>

/* What a worker does in one pass. */
struct part {
	unsigned worker, workers;
	struct arena *lasting; /* what is on the arena of restore is popped */
	struct buf said;
	struct remote_names lacking; /* of the last walk */
	size_t *lacked_by;           /* statements, by index in `lacking` */
	size_t cap_lacked;
	struct remote *remote;
};

/* Does the .dd of the gate that judged it name it? */
static bool
is_wanted(struct restore *r, const struct ninja_statement *s)
{
	if (!restore_is_when_wanted(s))
		return true;
	for (size_t i = s->n_explicit_ins; i < s->n_ins; i++) {
		long m = restore_maker(r, s->ins[i]);
		if (m >= 0 && restore_is_rule(&r->g.v[m], "gate") && r->done[m])
			dyndep_read(&r->dd, r->g.v[m].outs[0]);
	}
	return dyndep_wants(&r->dd, s->outs[0]);
}

/* A leaf, or done: its outputs do not change any more. */
static bool
is_settled(const struct restore *r, size_t i)
{
	return (!r->g.v[i].rule && r->g.v[i].n_ins == 0) || r->done[i];
}

/* Where the time of a path is kept. */
static int64_t *
mtime_of(struct restore *r, struct str path, long out)
{
	if (out >= 0)
		return &r->mtime[out];
	size_t n = r->leaves.n, i = map_put(&r->leaves, path, NULL);
	if (i == n)
		arena_grow(r->leaves.a, r->leaf_mtime, n, r->cap_leaves);
	return &r->leaf_mtime[i];
}

/* False when it is not there as it will be; *newest grows. */
static bool
is_current(struct restore *r, struct str path, int64_t *newest)
{
	long out = map_find(&r->g.outs, path);
	if (out >= 0 && !is_settled(r, r->g.maker[out]))
		return false;
	int64_t *t = mtime_of(r, path, out);
	if (!*t) {
		struct arena_mark mark = arena_mark(r->a);
		*t = fs_mtime_ns(str_c(r->a, path));
		arena_pop(r->a, mark);
	}
	if (*t > *newest)
		*newest = *t;
	return *t != 0;
}

static bool
inputs_current(struct restore *r, const struct ninja_statement *s, int64_t *newest)
{
	int64_t any = 0;
	size_t normal = s->n_ins - s->n_order_ins;
	for (size_t i = 0; i < s->n_ins; i++)
		if (!is_current(r, s->ins[i], i < normal ? newest : &any))
			return false;
	struct str dd = ninja_get(r->a, s, "dyndep"), more, in;
	if (!dd.n)
		return true;
	dyndep_read(&r->dd, str_dup(r->dd.a, dd));
	if (!dyndep_inputs(&r->dd, s->outs[0], &more))
		return false;
	while (str_split(&more, ' ', &in))
		if (in.n && !is_current(r, in, newest))
			return false;
	return true;
}

static bool
restore_edge(struct restore *r, const struct ninja_statement *s, int64_t *newest,
	struct str *key)
{
	struct edge_call c;
	return is_wanted(r, s) && inputs_current(r, s, newest) &&
	       edge_call(r->a, s, &c) &&
	       node_recall(r->a, &r->recalls, c.n, c.words, &c.list, key);
}

static void
take_lack(struct part *p, size_t i, struct str key)
{
	arena_grow(p->lasting, p->lacked_by, p->lacking.n, p->cap_lacked);
	p->lacked_by[p->lacking.n] = i;
	remote_names_add(
		p->lasting, &p->lacking, hash_short(p->lasting, key, HASH_HEX), false);
}

static void
walk(struct restore *r, struct part *p)
{
	p->lacking.n = 0;
	for (size_t i = 0; i < r->g.n; i++) {
		const struct ninja_statement *s = &r->g.v[i];
		int64_t newest = 0;
		struct str key = {0};
		if (!restore_is_open(r, i) || r->worker[i] != p->worker)
			continue;
		struct arena_mark m = arena_mark(r->a);
		r->done[i] = restore_edge(r, s, &newest, &key);
		if (r->done[i])
			buf_addf(&p->said, "done %zu %lld\n", i, (long long)newest);
		else if (key.n)
			take_lack(p, i, key);
		arena_pop(r->a, m);
	}
	sums_queue_flush(&r->recalls.sums);
}

/* What the last walk lacked, from the remote; false when there is none of it. */
static bool
fetch(struct restore *r, struct part *p)
{
	size_t n = 0;
	if (p->lacking.n && !p->remote)
		p->remote = remote_open(p->lasting, REMOTE_DIR, p->workers);
	if (p->lacking.n && p->remote)
		n = remote_fetch(p->remote, node_cache(CACHE_DIR), &p->lacking).fetched;
	for (size_t k = 0; k < p->lacking.n; k++) {
		if (p->lacking.v[k].done)
			continue;
		r->absent[p->lacked_by[k]] = true;
		buf_addf(&p->said, "absent %zu\n", p->lacked_by[k]);
	}
	buf_addf(&p->said, "fetched %zu\n", n);
	return n > 0;
}

/*
 * A key follows from the bytes of its inputs, so the remote is asked for one generation
 * of the graph after the other, for all of it at once.
 */
void
restore_work(struct restore *r, unsigned worker, unsigned workers, int to)
{
	struct arena lasting = {0};
	struct part p = {.worker = worker, .workers = workers};
	proc_die_with_parent();
	r->a = arena_new(r->a, struct arena); /* grows and is popped an edge */
	p.lasting = p.said.a = r->recalls.sums.lines.a = &lasting;
	do
		walk(r, &p);
	while (fetch(r, &p));
	remote_close(p.remote);
	FILE *out = fdopen(to, "w");
	bool ok = out && fwrite(p.said.s, 1, p.said.n, out) == p.said.n;
	_exit(ok && fclose(out) == 0 ? 0 : 1);
}
