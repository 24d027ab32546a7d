/*
 * rank: everything that is known of one kernel, ordered, at each size: the champion and
 * what it ties with, what failed, what was refused, and which of the refused were faster.
 */
#include "base/arena.h"
#include "node/joined.h"
#include "perf/estimate.h"
#include "perf/rank.h"
#include "perf/rank_final.h"
#include "perf/rank_reference.h"

#include <math.h>

enum { UNSAFE_ROW = JOINED_ROW + 1, UNSAFE_REASON, FINAL, MARGIN, OBJECTIVE };

static const struct node_word words[] = {
	JOINED_WORDS,
	[UNSAFE_ROW] = {"unsafe-row", NODE_INPUT, false, true},
	[UNSAFE_REASON] = {"unsafe-reason", NODE_PARAM, false, false},
	[FINAL] = {"final", NODE_INPUT, false, true},
	[MARGIN] = {"margin", NODE_PARAM, false, false},
	[OBJECTIVE] = {"objective", NODE_PARAM, false, false},
	{0},
};

struct state {
	struct arena *a;
	struct node_call *call;
	struct joined j;
	struct final_record **finals;
	double margin;
	struct ranking out;
};

/* --- faster, but refused --------------------------------------------------------- */

/* The estimate of a point; blind: as if nothing had been compiled. */
static double
estimate_ns(struct state *s, const struct point *p, bool blind)
{
	const struct joined_at *at = joined_at(&s->j, p);
	const struct joined_at *unsafe = &s->j.unsafe[map_find(&s->j.names, p->name)];
	const struct rows *rows =
		unsafe->rows && unsafe->rows->has_facts ? unsafe->rows : at->rows;
	struct facts f = facts_none();
	struct estimate_query q = {.dev = s->j.dev,
		.facts = &f,
		.launch = p->launch,
		.bytes = p->bytes,
		.flops = p->flops};

	if (rows)
		f.static_shared_bytes = rows->static_shared_bytes;
	if (rows && rows->has_facts && !blind)
		f = rows->facts;
	return estimate_of(&q).ns;
}

static void
judge_refused(struct state *s, struct rank_size *z, struct rank_entry *e,
	const struct rank_entry *champion, const struct point *own)
{
	bool blind = !e->registers_known || !champion->registers_known;
	struct rank_entry x = {.kind = RESULT_ESTIMATED}, y = {.kind = RESULT_ESTIMATED};

	/* It was run, and hung or failed: no estimate of its speed means anything. */
	if (!e->unsafe && e->reason.n)
		return;
	e->estimate_ns = estimate_ns(s, joined_point(&s->j, e, z->name), blind);
	e->champion_estimate_ns = estimate_ns(s, own, blind);
	if (e->unsafe && champion->kind != RESULT_ESTIMATED) {
		e->faster = rank_faster(e, champion);
		return;
	}
	x.median_ns = e->estimate_ns;
	y.median_ns = e->champion_estimate_ns;
	e->faster = rank_faster(&x, &y);
}

static void
judge_all(struct state *s, struct rank_size *z)
{
	const struct rank_entry *champion = rank_champion(z);
	const struct point *own;

	if (!champion)
		return;
	own = joined_point(&s->j, champion, z->name);
	for (size_t i = z->n_ranked + z->n_failed; i < rank_size_n(z); i++)
		judge_refused(s, z, &z->v[i], champion, own);
}

static bool
read_finals(struct state *s, struct diag *d)
{
	struct node_call *c = s->call;

	s->finals = arena_news(s->a, c->n[FINAL], struct final_record *);
	for (size_t i = 0; i < c->n[FINAL]; i++) {
		struct source *src = arena_new(s->a, struct source);
		*src = (struct source){c->file[FINAL][i].path, c->file[FINAL][i].bytes};
		s->finals[i] = final_record_read(s->a, json_parse(s->a, src, d), d);
		if (!s->finals[i])
			return false;
		if (str_eq(s->finals[i]->kernel, s->j.list->kernel))
			continue;
		diag_error(d, (struct place){0}, "%s: this is a final of kernel '%.*s'",
			src->name, STR_ARG(s->finals[i]->kernel));
		return false;
	}
	if (!c->n[MARGIN] ||
		(str_to_f64(node_word(c, MARGIN), &s->margin) && s->margin >= 0))
		return true;
	diag_error(d, (struct place){0}, "rank: malformed '--margin %.*s'",
		STR_ARG(node_word(c, MARGIN)));
	return false;
}

static const struct final_record *
final_at(const struct state *s, struct str size)
{
	for (size_t i = 0; i < s->call->n[FINAL]; i++)
		if (str_eq(s->finals[i]->size, size))
			return s->finals[i];
	return NULL;
}

static void
rank_one(struct state *s, struct rank_size *z, const struct json *size)
{
	const struct final_record *f = final_at(s, json_get_str(size, "name"));

	joined_size(&s->j, size, f, z);
	rank_speedup(z);
	rank_final(s->a, z, f, s->margin, &s->j.objective);
	rank_reference(s->a, z, f, s->margin);
	judge_all(s, z);
	rank_final_times(s->a, z, f, s->margin, &s->j.objective);
}

/* --- the node -------------------------------------------------------------------- */

static void
fill_head(struct state *s)
{
	struct ranking *out = &s->out;

	out->kernel = s->j.list->kernel;
	out->device = s->j.dev->name;
	out->device_uuid = s->j.dev->uuid;
	out->driver = s->j.dev->driver;
	out->described = s->j.dev->described;
	out->backend = s->j.dev->backend;
	if (s->j.dev->cc_major)
		out->compute_capability =
			str_fmt(s->a, "%d.%d", s->j.dev->cc_major, s->j.dev->cc_minor);
	out->sources = s->j.list->sources;
	out->params = s->j.list->params;
	out->pins = s->j.list->pins;
	out->search = s->j.list->search;
	out->baseline = s->j.list->baseline;
	out->objective = s->j.objective.text;
	out->unsafe_reason = node_word(s->call, UNSAFE_REASON);
	if (!out->unsafe_reason.n)
		out->unsafe_reason = s->j.list->unsafe_reason;
}

static struct str
detail_of(struct arena *a, const struct ranking *r)
{
	struct buf b = {.a = a};

	for (size_t i = 0; i < r->n_sizes; i++) {
		const struct rank_entry *c = rank_champion(&r->sizes[i]);
		buf_addf(&b, "%s%.*s: %.*s", i ? "; " : "", STR_ARG(r->sizes[i].name),
			c ? (int)c->label.n : 4, c ? c->label.s : "none");
	}
	return buf_str(&b);
}

static bool
compute(struct node_call *c, struct diag *d)
{
	struct state s = {.a = c->a, .call = c};

	if (!joined_read(&s.j, c, UNSAFE_ROW, d) || !read_finals(&s, d) ||
		!objective_parse(c->a, node_word(c, OBJECTIVE), &s.j.objective, d))
		return false;
	fill_head(&s);
	s.out.sizes = arena_news(c->a, s.j.list->sizes->n, struct rank_size);
	json_each(size, s.j.list->sizes)
	{
		rank_one(&s, &s.out.sizes[s.out.n_sizes++], size);
	}
	buf_addstr(&c->out, ranking_write(c->a, &s.out));
	c->detail = detail_of(c->a, &s.out);
	return true;
}

static bool
recalled(struct node_call *c)
{
	struct diag d = {.quiet = true};
	struct source src = {c->main_out, buf_str(&c->out)};

	return ranking_read(c->a, json_parse(c->a, &src, &d), &d) != NULL;
}

const struct node node_rank = {
	.name = "rank",
	.about = "rank the candidates of one kernel",
	.revision = 7,
	.words = words,
	.brief = true,
	.compute = compute,
	.recalled = recalled,
};
