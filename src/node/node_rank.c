/*
 * rank: everything that is known of one kernel, ordered, at each size: the champion and
 * what it ties with, what failed, what was refused, and which of the refused were faster.
 */
#include "base/arena.h"
#include "base/map.h"
#include "model/record.h"
#include "node/node.h"
#include "node/pointlist.h"
#include "node/rows.h"
#include "perf/estimate.h"
#include "perf/rank.h"

#include <math.h>

enum { KERNEL, POINTS, DEVICE, ROW, UNSAFE_ROW, UNSAFE_REASON };

static const struct node_word words[] = {
	[KERNEL] = {"kernel", NODE_PARAM, true, false},
	[POINTS] = {"points", NODE_INPUT, true, false},
	[DEVICE] = {"device", NODE_INPUT, true, false},
	[ROW] = {"row", NODE_INPUT, false, true},
	[UNSAFE_ROW] = {"unsafe-row", NODE_INPUT, false, true},
	[UNSAFE_REASON] = {"unsafe-reason", NODE_PARAM, false, false},
	{0},
};

/* Where a point is found in the rows. */
struct seen {
	const struct rows *rows; /* NULL: nowhere */
	const struct verdict *verdict;
	const struct result *result; /* NULL: it was not run */
};

struct state {
	struct arena *a;
	struct node_call *call;
	const struct device *dev;
	const struct pointlist *list;
	struct map places; /* candidate@size, in the order of the list */
	struct map names;  /* of points */
	struct seen *safe; /* per name */
	struct seen *unsafe;
	struct ranking out;
};

/* --- reading the rows ------------------------------------------------------------ */

static void
note_rows(struct state *s, const struct rows *rows, struct seen *to)
{
	for (size_t i = 0; i < rows->n_verdicts; i++) {
		long at = map_find(&s->names, rows->verdicts[i].point);
		if (at != MAP_NONE)
			to[at] = (struct seen){rows, &rows->verdicts[i], NULL};
	}
	for (size_t i = 0; i < rows->n_results; i++) {
		long at = map_find(&s->names, rows->points[i]);
		if (at != MAP_NONE && to[at].rows == rows)
			to[at].result = &rows->results[i];
	}
}

static bool
read_rows(struct state *s, size_t word, struct seen *to, struct diag *d)
{
	for (size_t i = 0; i < s->call->n[word]; i++) {
		const struct node_file *f = &s->call->file[word][i];
		struct rows *rows;
		if (!f->present)
			continue;
		rows = rows_read(s->a, f->path, f->bytes, d);
		if (!rows)
			return false;
		if (rows->unsafe != (word == UNSAFE_ROW) ||
			!str_eq(rows->kernel, s->list->kernel)) {
			diag_error(d, (struct place){0},
				"%s: these are not the %srows of kernel '%.*s'", f->path,
				word == UNSAFE_ROW ? "unsafe " : "",
				STR_ARG(s->list->kernel));
			return false;
		}
		note_rows(s, rows, to);
	}
	return true;
}

/* --- one entry ------------------------------------------------------------------- */

static void
take_result(struct rank_entry *e, const struct result *r)
{
	e->status = r->status;
	e->kind = r->kind;
	e->reason = r->reason;
	e->median_ns = r->median_ns;
	e->low_ns = r->low_ns;
	e->high_ns = r->high_ns;
	e->verified = r->verified;
	e->verified_by = r->verified_by;
	e->max_abs_error = r->max_abs_error;
	e->max_rel_error = r->max_rel_error;
	e->n_wrong = r->n_wrong;
	e->note = r->estimate_note;
}

static void
take_facts(struct state *s, struct rank_entry *e, const struct point *p,
	const struct rows *rows)
{
	const struct facts *f = rows && rows->has_facts ? &rows->facts : NULL;
	struct occupancy o = occupancy_of(s->dev, f, &p->launch);
	int64_t fixed = f      ? f->static_shared_bytes
			: rows ? rows->static_shared_bytes
			       : -1;
	uint64_t threads = dim_volume(p->launch.block);

	e->threads = threads > (uint64_t)INT32_MAX ? INT32_MAX : (int64_t)threads;
	e->registers = f ? f->registers : -1;
	e->spill_bytes = -1;
	if (f && f->spill_load_bytes >= 0 && f->spill_store_bytes >= 0)
		e->spill_bytes = f->spill_load_bytes + f->spill_store_bytes;
	e->shared_bytes = fixed > 0 ? fixed : 0;
	if (p->launch.shared_bytes < (uint64_t)RECORD_MAX_I64 / 2)
		e->shared_bytes += (int64_t)p->launch.shared_bytes;
	e->blocks_per_sm = o.blocks_per_sm;
	e->occupancy = o.fraction;
	e->registers_known = o.registers_known;
}

static const struct json *
baseline_assignment(const struct pointlist *list)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->baseline.n && str_eq(list->v[i].candidate, list->baseline))
			return list->v[i].assignment;
	return NULL;
}

static bool
same(const struct json *x, const struct json *y)
{
	return x && y && x->kind == y->kind && x->number == y->number &&
	       x->boolean == y->boolean && str_eq(x->string, y->string);
}

static int64_t
off_baseline(struct state *s, const struct json *assignment, const struct json *base)
{
	int64_t n = 0;

	if (!base)
		return -1;
	json_each(p, assignment)
	{
		n += !same(p, json_get(base, str_c(s->a, p->key)));
	}
	return n;
}

/* A gate that could not judge: the candidate failed, as if it had not compiled. */
static void
take_error(struct arena *a, struct rank_entry *e)
{
	const struct finding *f = e->n_findings ? &e->findings[0] : NULL;

	e->status =
		f && str_is(f->rule, "lower") ? RESULT_COMPILE_FAILED : RESULT_TROUBLE;
	if (!f)
		e->reason = STR_LIT("the gate could not judge it");
	else if (f->line)
		e->reason = str_fmt(a, "%.*s:%u: %.*s", STR_ARG(f->file), f->line,
			STR_ARG(f->message));
	else
		e->reason = f->message;
}

static void
take_unsafe(struct rank_entry *e, const struct seen *u)
{
	e->status = RESULT_REFUSED;
	if (!u->result)
		return;
	if (u->result->status != RESULT_OK || u->result->kind == RESULT_ESTIMATED) {
		e->reason = str_of(result_status_name(u->result->status));
		return;
	}
	take_result(e, u->result);
	e->status = RESULT_REFUSED;
	e->unsafe = true;
}

static struct rank_entry
entry_of(struct state *s, size_t i, const struct json *base)
{
	const struct point *p = &s->list->v[i];
	const struct seen *at = &s->safe[map_find(&s->names, p->name)];
	const struct seen *unsafe = &s->unsafe[map_find(&s->names, p->name)];
	struct rank_entry e = {
		.candidate = p->candidate,
		.label = p->label,
		.id = p->id,
		.specialization = p->specialization,
		.assignment = p->assignment,
		.launch = p->launch_text,
		.bytes = p->bytes,
		.flops = p->flops,
		.off_baseline = off_baseline(s, p->assignment, base),
		.baseline =
			s->list->baseline.n && str_eq(p->candidate, s->list->baseline),
		.verdict = at->verdict ? at->verdict->kind : VERDICT_ERROR,
		.estimate_ns = (double)NAN,
		.champion_estimate_ns = (double)NAN,
	};
	struct result none = result_none();

	take_result(&e, &none);
	take_facts(s, &e, p,
		unsafe->rows && unsafe->rows->has_facts ? unsafe->rows : at->rows);
	e.findings = at->verdict ? at->verdict->findings : NULL;
	e.n_findings = at->verdict ? at->verdict->n_findings : 0;
	if (e.verdict == VERDICT_ERROR) {
		take_error(s->a, &e);
	} else if (!rows_admit(at->rows, at->verdict)) {
		take_unsafe(&e, unsafe);
	} else if (at->result) {
		take_result(&e, at->result);
	} else {
		e.status = RESULT_TROUBLE;
		e.reason = STR_LIT("it was admitted, but there is no result");
	}
	return e;
}

/* --- one size -------------------------------------------------------------------- */

enum group { RANKED, FAILED, REFUSED, N_GROUPS };

/* Estimates beside measurements would be compared with them, so they fail there. */
static void
drop_estimates(struct rank_entry *v, size_t n)
{
	bool measured = false;

	for (size_t i = 0; i < n; i++)
		measured |= v[i].status == RESULT_OK && v[i].kind != RESULT_ESTIMATED;
	for (size_t i = 0; i < n && measured; i++)
		if (v[i].status == RESULT_OK && v[i].kind == RESULT_ESTIMATED) {
			v[i].status = RESULT_TROUBLE;
			v[i].reason =
				STR_LIT("only estimated, while others were measured");
		}
}

static enum group
group_of(const struct rank_entry *e)
{
	return e->status == RESULT_OK        ? RANKED
	       : e->status == RESULT_REFUSED ? REFUSED
					     : FAILED;
}

static void
count(struct rank_counts *c, const struct rank_entry *e)
{
	c->points++;
	c->clean += e->verdict == VERDICT_CLEAN;
	c->caveat += e->verdict == VERDICT_CAVEAT;
	c->refused += e->verdict == VERDICT_REFUSED;
	c->error += e->verdict == VERDICT_ERROR;
	c->ok += group_of(e) == RANKED;
	c->failed += group_of(e) == FAILED;
	c->unverified += group_of(e) == RANKED && !e->verified;
}

/* Stable: ranked, failed, refused, each in the order of the spec. */
static void
group(struct state *s, struct rank_size *z, const struct rank_entry *v, size_t n)
{
	size_t count_of[N_GROUPS] = {0}, at = 0;

	z->v = arena_news(s->a, n, struct rank_entry);
	for (int g = RANKED; g < N_GROUPS; g++)
		for (size_t i = 0; i < n; i++)
			if ((int)group_of(&v[i]) == g) {
				z->v[at++] = v[i];
				count_of[g]++;
			}
	z->n_ranked = count_of[RANKED];
	z->n_failed = count_of[FAILED];
	z->n_refused = count_of[REFUSED];
	z->any = z->n_ranked > 0;
	z->kind = z->any ? z->v[0].kind : RESULT_MEASURED;
	for (size_t i = 0; i < z->n_ranked; i++)
		if (z->v[i].kind == RESULT_CACHED)
			z->kind = RESULT_CACHED;
}

/* --- faster, but refused --------------------------------------------------------- */

/* Candidate and size as one key of s->places. */
static struct str
place_key(struct arena *a, struct str candidate, struct str size)
{
	return str_fmt(a, "%.*s@%.*s", STR_ARG(candidate), STR_ARG(size));
}

static const struct point *
point_of(const struct state *s, const struct rank_entry *e, struct str size)
{
	long at = map_find(&s->places, place_key(s->a, e->candidate, size));

	if (at == MAP_NONE)
		BUG("a ranked candidate that is not in the list");
	return &s->list->v[at];
}

/* The estimate of a point; blind: as if nothing had been compiled. */
static double
estimate_ns(struct state *s, const struct point *p, bool blind)
{
	const struct seen *at = &s->safe[map_find(&s->names, p->name)];
	const struct seen *unsafe = &s->unsafe[map_find(&s->names, p->name)];
	const struct rows *rows =
		unsafe->rows && unsafe->rows->has_facts ? unsafe->rows : at->rows;
	struct facts f = facts_none();
	struct estimate_query q = {.dev = s->dev,
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
	e->estimate_ns = estimate_ns(s, point_of(s, e, z->name), blind);
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
	own = point_of(s, champion, z->name);
	for (size_t i = z->n_ranked + z->n_failed; i < rank_size_n(z); i++)
		judge_refused(s, z, &z->v[i], champion, own);
}

static void
rank_one(struct state *s, struct rank_size *z, const struct json *size)
{
	struct rank_entry *v = arena_news(s->a, s->list->n, struct rank_entry);
	const struct json *base = baseline_assignment(s->list);
	size_t n = 0;

	z->name = json_get_str(size, "name");
	z->values = json_get(size, "values");
	for (size_t i = 0; i < s->list->n; i++)
		if (str_eq(s->list->v[i].size, z->name))
			v[n++] = entry_of(s, i, base);
	drop_estimates(v, n);
	for (size_t i = 0; i < n; i++)
		count(&z->counts, &v[i]);
	group(s, z, v, n);
	rank_order(z->v, z->n_ranked);
	rank_speedup(z);
	judge_all(s, z);
}

/* --- the node -------------------------------------------------------------------- */

static void
fill_head(struct state *s)
{
	struct ranking *out = &s->out;

	out->kernel = s->list->kernel;
	out->device = s->dev->name;
	out->device_uuid = s->dev->uuid;
	out->driver = s->dev->driver;
	out->described = s->dev->described;
	out->compute_capability =
		str_fmt(s->a, "%d.%d", s->dev->cc_major, s->dev->cc_minor);
	out->sources = s->list->sources;
	out->params = s->list->params;
	out->pins = s->list->pins;
	out->baseline = s->list->baseline;
	out->unsafe_reason = node_word(s->call, UNSAFE_REASON);
	if (!out->unsafe_reason.n)
		out->unsafe_reason = s->list->unsafe_reason;
}

/* The indices of both maps are those of the list, so nothing may be twice in it. */
static bool
index_points(struct state *s, const char *path, struct diag *d)
{
	for (size_t i = 0; i < s->list->n; i++) {
		const struct point *p = &s->list->v[i];
		bool name, place;
		map_put(&s->names, p->name, &name);
		map_put(&s->places, place_key(s->a, p->candidate, p->size), &place);
		if (name && place)
			continue;
		diag_error(d, (struct place){0}, "%s: point '%.*s' is listed twice", path,
			STR_ARG(p->name));
		return false;
	}
	return true;
}

static bool
read_inputs(struct state *s, struct diag *d)
{
	const struct node_file *points = node_file(s->call, POINTS);

	s->dev = device_read(s->a, node_file(s->call, DEVICE)->path, d);
	s->list = pointlist_read(s->a, points->path, points->bytes, d);
	if (!s->dev || !s->list)
		return false;
	if (!str_eq(s->list->kernel, node_word(s->call, KERNEL))) {
		diag_error(d, (struct place){0},
			"%s: these are the points of kernel '%.*s'", points->path,
			STR_ARG(s->list->kernel));
		return false;
	}
	if (!index_points(s, points->path, d))
		return false;
	s->safe = arena_news(s->a, s->list->n, struct seen);
	s->unsafe = arena_news(s->a, s->list->n, struct seen);
	return read_rows(s, ROW, s->safe, d) && read_rows(s, UNSAFE_ROW, s->unsafe, d);
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
	struct state s = {
		.a = c->a, .call = c, .names = {.a = c->a}, .places = {.a = c->a}};

	if (!read_inputs(&s, d))
		return false;
	fill_head(&s);
	s.out.sizes = arena_news(c->a, s.list->sizes->n, struct rank_size);
	json_each(size, s.list->sizes)
	{
		rank_one(&s, &s.out.sizes[s.out.n_sizes++], size);
	}
	buf_addstr(&c->out, ranking_write(c->a, &s.out));
	c->detail = detail_of(c->a, &s.out);
	return true;
}

const struct node node_rank = {
	.name = "rank",
	.about = "rank the candidates of one kernel",
	.revision = 1,
	.words = words,
	.compute = compute,
};
