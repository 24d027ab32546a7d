#include "gate/witness.h"

#include "base/buf.h"
#include "simt/simt.h"

enum { SAME_ROWS_MAX = 2 }; /* warps shown for each distinct picture */

static char
lane_letter(const struct breach *r, unsigned t, unsigned threads)
{
	if (t >= threads)
		return ' ';
	if (lmask_has(&r->reads, t))
		return 'u';
	if (!lmask_empty(&r->reads))
		return '-';
	if (lmask_has(&r->unsure, t))
		return '?';
	if (lmask_has(&r->waits, t))
		return 'W';
	if (lmask_has(&r->elsewhere, t))
		return 'o';
	if (lmask_has(&r->exited, t))
		return 'x';
	return '.';
}

static bool
warp_matters(const struct breach *r, unsigned warp)
{
	return (lmask_warp(&r->waits, warp) | lmask_warp(&r->elsewhere, warp) |
		       lmask_warp(&r->absent, warp) | lmask_warp(&r->exited, warp) |
		       lmask_warp(&r->unsure, warp) | lmask_warp(&r->reads, warp)) != 0;
}

static void
fill_map(struct lane_map *l, const struct breach *r, unsigned warp, unsigned threads)
{
	l->warp = warp;
	for (unsigned i = 0; i < 32; i++) {
		unsigned t = warp * 32 + i;

		l->lanes[i] = lane_letter(r, t, threads);
	}
	l->lanes[32] = '\0';
}

static void
add_maps(struct arena *a, struct witness *w, const struct breach *r, unsigned threads)
{
	unsigned warps = (threads + 31) / 32;

	w->warps = arena_news(a, warps, struct lane_map);
	for (unsigned i = 0; i < warps; i++) {
		struct lane_map *l = &w->warps[w->n_warps];
		unsigned same = 0;

		if (!warp_matters(r, i))
			continue;
		fill_map(l, r, i, threads);
		for (size_t k = 0; k < w->n_warps; k++)
			same += strcmp(w->warps[k].lanes, l->lanes) == 0;
		if (same < SAME_ROWS_MAX)
			w->n_warps++;
	}
}

static void
add_clause(struct buf *b, struct sim *s, const struct lmask *m, const char *one,
	const char *many)
{
	if (lmask_empty(m))
		return;
	if (b->n)
		buf_adds(b, "; ");
	const char *who = breach_lanes_text(s, m);
	buf_addf(b, "%s %s", who, breach_verb(who, one, many));
}

static struct str
note_of(struct arena *a, const struct breach *r, unsigned threads)
{
	struct buf b = {.a = a};
	struct arena tmp = {0};
	struct sim *s = arena_new(&tmp, struct sim);

	s->out = a;
	s->full = lmask_first_n(threads);
	s->n_warps = (threads + 31) / 32;
	const char *at = breach_place(a, r->ins, &r->at);
	struct lmask waits = lmask_minus(r->waits, r->unsure);
	add_clause(&b, s, &waits, str_c(a, str_fmt(a, "waits at %s", at)),
		str_c(a, str_fmt(a, "wait at %s", at)));
	add_clause(&b, s, &r->elsewhere, "waits elsewhere", "wait elsewhere");
	add_clause(&b, s, &r->absent, "never comes", "never come");
	add_clause(&b, s, &r->exited, "has exited", "have exited");
	add_clause(&b, s, &r->unsure, "may or may not come", "may or may not come");
	add_clause(&b, s, &r->reads, "uses an undefined value", "use an undefined value");
	arena_release(&tmp);
	return buf_str(&b);
}

struct witness
witness_make(struct arena *a, const struct grid_finding *f, unsigned threads)
{
	struct witness w = {.present = f->r.has_lanes};

	if (!w.present)
		return w;
	for (int i = 0; i < 3; i++)
		w.cta[i] =
			(uint64_t)(f->first.rank[i] + f->first.step[i] * f->first.lo[i]);
	w.n_blocks = f->r.sev == SEV_CAVEAT && f->r.conditional ? 0 : f->n_blocks;
	add_maps(a, &w, &f->r, threads);
	w.note = note_of(a, &f->r, threads);
	return w;
}
