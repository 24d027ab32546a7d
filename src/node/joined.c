#include "node/joined.h"

#include "base/arena.h"
#include "model/record.h"
#include "perf/bracket.h"
#include "perf/normal.h"
#include "perf/occupancy.h"
#include "perf/rank.h"
#include "perf/rank_final.h"
#include "perf/stats.h"

#include <math.h>

/* --- reading the rows ------------------------------------------------------------ */

static void
note_rows(struct joined *j, const struct rows *rows, struct joined_at *to)
{
	for (size_t i = 0; i < rows->n_verdicts; i++) {
		long at = map_find(&j->names, rows->verdicts[i].point);
		if (at != MAP_NONE)
			to[at] = (struct joined_at){rows, &rows->verdicts[i], NULL};
	}
	for (size_t i = 0; i < rows->n_results; i++) {
		long at = map_find(&j->names, rows->points[i]);
		if (at != MAP_NONE && to[at].rows == rows)
			to[at].result = &rows->results[i];
	}
}

static bool
read_rows(struct joined *j, struct node_call *c, size_t word, bool unsafe, struct diag *d)
{
	struct joined_at *to = unsafe ? j->unsafe : j->safe;

	for (size_t i = 0; i < c->n[word]; i++) {
		const struct node_file *f = &c->file[word][i];
		struct rows *rows;
		if (!f->present)
			continue;
		rows = rows_read(j->a, f->path, f->bytes, d);
		if (!rows)
			return false;
		if (rows->unsafe != unsafe || !str_eq(rows->kernel, j->list->kernel)) {
			diag_error(d, (struct place){0},
				"%s: these are not the %srows of kernel '%.*s'", f->path,
				unsafe ? "unsafe " : "", STR_ARG(j->list->kernel));
			return false;
		}
		note_rows(j, rows, to);
	}
	return true;
}

/* --- one entry ------------------------------------------------------------------- */

static double
single_ns(struct arena *a, const struct result *r)
{
	double *v = arena_news(a, r->n_singles + 1, double);

	for (size_t i = 0; i < r->n_singles; i++)
		v[i] = r->singles[i].host_ns;
	return stats_median(a, v, r->n_singles);
}

static void
take_result(struct arena *a, struct rank_entry *e, const struct result *r)
{
	e->status = r->status;
	e->kind = r->kind;
	e->reason = r->reason;
	e->median_ns = r->median_ns;
	e->low_ns = r->low_ns;
	e->high_ns = r->high_ns;
	e->single_ns = single_ns(a, r);
	e->verified = r->verified;
	e->verified_by = r->verified_by;
	e->max_abs_error = r->max_abs_error;
	e->max_rel_error = r->max_rel_error;
	e->n_wrong = r->n_wrong;
	e->note = r->estimate_note;
}

static void
take_facts(struct joined *j, struct rank_entry *e, const struct point *p,
	const struct rows *rows)
{
	const struct facts *f = rows && rows->has_facts ? &rows->facts : NULL;
	struct occupancy o = occupancy_of(j->dev, f, &p->launch);
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
	/* Only a GPU has it, and what OpenCL runs on may be none. */
	if (!j->dev->cc_major || str_is(j->dev->backend, "opencl")) {
		e->blocks_per_sm = 0;
		e->occupancy = (double)NAN;
	}
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
off_baseline(struct joined *j, const struct json *assignment, const struct json *base)
{
	int64_t n = 0;

	if (!base)
		return -1;
	json_each(p, assignment)
	{
		n += !same(p, json_get(base, str_c(j->a, p->key)));
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
take_unsafe(struct arena *a, struct rank_entry *e, const struct joined_at *u)
{
	e->status = RESULT_REFUSED;
	if (!u->result)
		return;
	if (u->result->status != RESULT_OK || u->result->kind == RESULT_ESTIMATED) {
		e->reason = str_of(result_status_name(u->result->status));
		return;
	}
	take_result(a, e, u->result);
	e->status = RESULT_REFUSED;
	e->unsafe = true;
}

static struct rank_entry
entry_of(struct joined *j, size_t i, const struct json *base)
{
	const struct point *p = &j->list->v[i];
	const struct joined_at *at = &j->safe[map_find(&j->names, p->name)];
	const struct joined_at *unsafe = &j->unsafe[map_find(&j->names, p->name)];
	struct rank_entry e = {
		.candidate = p->candidate,
		.label = p->label,
		.id = p->id,
		.specialization = p->specialization,
		.assignment = p->assignment,
		.launch = p->launch_text,
		.artifact = at->rows ? at->rows->artifact : (struct str){0},
		.bytes = p->bytes,
		.flops = p->flops,
		.off_baseline = off_baseline(j, p->assignment, base),
		.baseline =
			j->list->baseline.n && str_eq(p->candidate, j->list->baseline),
		.verdict = at->verdict ? at->verdict->kind : VERDICT_ERROR,
		.estimate_ns = (double)NAN,
		.champion_estimate_ns = (double)NAN,
		.ratio = (double)NAN,
		.ratio_low = (double)NAN,
		.ratio_high = (double)NAN,
		.p = (double)NAN,
		.joules = (double)NAN,
		.joules_error = (double)NAN,
	};
	struct result none = result_none();

	take_result(j->a, &e, &none);
	take_facts(j, &e, p,
		unsafe->rows && unsafe->rows->has_facts ? unsafe->rows : at->rows);
	e.findings = at->verdict ? at->verdict->findings : NULL;
	e.n_findings = at->verdict ? at->verdict->n_findings : 0;
	if (e.verdict == VERDICT_ERROR) {
		take_error(j->a, &e);
	} else if (!rows_admit(at->rows, at->verdict)) {
		take_unsafe(j->a, &e, unsafe);
	} else if (at->result) {
		take_result(j->a, &e, at->result);
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
group(struct joined *j, struct rank_size *z, const struct rank_entry *v, size_t n)
{
	size_t count_of[N_GROUPS] = {0}, at = 0;

	z->v = arena_news(j->a, n, struct rank_entry);
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

/* --- all sizes ------------------------------------------------------------------- */

/* Candidate and size as one key of j->places. */
static struct str
place_key(struct arena *a, struct str candidate, struct str size)
{
	return str_fmt(a, "%.*s@%.*s", STR_ARG(candidate), STR_ARG(size));
}

const struct point *
joined_point(const struct joined *j, const struct rank_entry *e, struct str size)
{
	long at = map_find(&j->places, place_key(j->a, e->candidate, size));

	if (at == MAP_NONE)
		BUG("a ranked candidate that is not in the list");
	return &j->list->v[at];
}

const struct joined_at *
joined_at(const struct joined *j, const struct point *p)
{
	return &j->safe[map_find(&j->names, p->name)];
}

static const struct result *
result_of(const struct joined *j, const struct rank_entry *e, struct str size)
{
	const struct joined_at *at = joined_at(j, joined_point(j, e, size));

	return e->status == RESULT_OK ? at->result : NULL;
}

/* Times of different windows are brought to one before anything is compared. */
static void
normalise(struct joined *j, struct rank_entry *v, size_t n, struct str size)
{
	const struct result **results = arena_news(j->a, n, const struct result *);
	double *factor = arena_news(j->a, n, double);

	for (size_t i = 0; i < n; i++)
		results[i] = result_of(j, &v[i], size);
	normal_factors(j->a, results, n, factor);
	for (size_t i = 0; i < n; i++) {
		v[i].median_ns *= factor[i];
		v[i].low_ns *= factor[i];
		v[i].high_ns *= factor[i];
	}
}

/*
 * Who lost a race lost it against this one.  When that is gone, or was edited since and
 * is no longer faster, the race says nothing; nor does it when time is not what is made
 * small.
 */
static void
check_races(struct joined *j, struct rank_entry *v, size_t n, struct str size)
{
	bool by_time = !j->objective.expr && !j->objective.joules;
	struct map finished = {.a = j->a};
	double *median_ns = arena_news(j->a, n, double);

	for (size_t i = 0; i < n; i++) {
		const struct result *r = result_of(j, &v[i], size);
		if (r && !r->window.screened_out)
			median_ns[map_put(&finished, joined_point(j, &v[i], size)->name,
				NULL)] = v[i].median_ns;
	}
	for (size_t i = 0; i < n; i++) {
		const struct result *r = result_of(j, &v[i], size);
		long winner = by_time && r && r->window.screened_out
				      ? map_find(&finished, r->window.incumbent)
				      : MAP_NONE;
		v[i].screened_out =
			winner != MAP_NONE && median_ns[winner] < v[i].median_ns;
	}
}

/* What the device was like while it was screened. */
static void
note_state(struct joined *j, struct rank_size *z)
{
	struct rank_state *s = &z->state;

	s->drift = (double)NAN;
	for (size_t i = 0; i < z->n_ranked; i++) {
		const struct result *r = result_of(j, &z->v[i], z->name);
		if (!r)
			continue;
		const struct window *w = &r->window;
		struct bracket b = {.before_ns = w->before_ns, .after_ns = w->after_ns};
		double drift = bracket_drift(&b);
		z->device = r->device;
		z->device_uuid = r->device_uuid;
		rank_state_add(s, r->readings, r->n_readings);
		s->sharing = rank_sharing(s->sharing, w->sharing);
		if (!w->anchor.n || !isfinite(drift))
			continue;
		s->n_windows++;
		s->n_drifted += w->drifted;
		s->drift = fmax(s->drift, drift); /* of NaN: the other */
	}
}

/* It passed the screening and failed later: that it may do so is enough. */
static void
take_final(struct joined *j, struct rank_entry *e, struct str size,
	const struct final_record *f)
{
	struct str name = place_key(j->a, e->candidate, size);

	for (size_t i = 0; f && i < f->n_members; i++) {
		const struct final_member *m = &f->members[i];
		if (m->status == RESULT_OK || m->status == RESULT_PENDING ||
			e->status != RESULT_OK || !str_eq(m->point, name))
			continue;
		e->status = m->status;
		e->reason = str_fmt(j->a, "in the final: %.*s", STR_ARG(m->reason));
	}
}

static void
take_joules(struct rank_entry *e, struct str name, const struct final_record *f)
{
	for (size_t i = 0; f && i < f->n_members; i++)
		if (f->members[i].role != FINAL_CONTROL &&
			str_eq(f->members[i].point, name)) {
			e->joules = f->members[i].joules;
			e->joules_error = f->members[i].joules_error;
		}
}

/* Who has no value of the objective cannot be ranked by it. */
static void
fill_costs(struct joined *j, struct rank_entry *v, size_t n, const struct final_record *f)
{
	for (size_t i = 0; i < n; i++) {
		struct str why;
		if (v[i].status != RESULT_OK)
			continue;
		if (f)
			take_joules(&v[i], place_key(j->a, v[i].candidate, f->size), f);
		if (objective_fill(j->a, &j->objective, &v[i], &why))
			continue;
		v[i].status = RESULT_TROUBLE;
		v[i].reason = str_fmt(j->a, "the objective '%.*s': %.*s",
			STR_ARG(j->objective.text), STR_ARG(why));
	}
}

void
joined_size(struct joined *j, const struct json *size, const struct final_record *f,
	struct rank_size *z)
{
	struct rank_entry *v = arena_news(j->a, j->list->n, struct rank_entry);
	const struct json *base = baseline_assignment(j->list);
	size_t n = 0;

	z->name = json_get_str(size, "name");
	z->values = json_get(size, "values");
	for (size_t i = 0; i < j->list->n; i++)
		if (str_eq(j->list->v[i].size, z->name)) {
			v[n] = entry_of(j, i, base);
			take_final(j, &v[n++], z->name, f);
		}
	drop_estimates(v, n);
	normalise(j, v, n, z->name);
	check_races(j, v, n, z->name);
	fill_costs(j, v, n, f);
	for (size_t i = 0; i < n; i++)
		count(&z->counts, &v[i]);
	group(j, z, v, n);
	rank_order(z->v, z->n_ranked);
	note_state(j, z);
}

/* The indices of both maps are those of the list, so nothing may be twice in it. */
static bool
index_points(struct joined *j, const char *path, struct diag *d)
{
	for (size_t i = 0; i < j->list->n; i++) {
		const struct point *p = &j->list->v[i];
		bool name, place;
		map_put(&j->names, p->name, &name);
		map_put(&j->places, place_key(j->a, p->candidate, p->size), &place);
		if (name && place)
			continue;
		diag_error(d, (struct place){0}, "%s: point '%.*s' is listed twice", path,
			STR_ARG(p->name));
		return false;
	}
	return true;
}

bool
joined_read(struct joined *j, struct node_call *c, long unsafe_row, struct diag *d)
{
	const struct node_file *points = node_file(c, JOINED_POINTS);

	*j = (struct joined){.a = c->a, .places.a = c->a, .names.a = c->a};
	j->dev = device_read(c->a, node_file(c, JOINED_DEVICE)->path, d);
	j->list = pointlist_read(c->a, points->path, points->bytes, d);
	if (!j->dev || !j->list)
		return false;
	if (!str_eq(j->list->kernel, node_word(c, JOINED_KERNEL))) {
		diag_error(d, (struct place){0},
			"%s: these are the points of kernel '%.*s'", points->path,
			STR_ARG(j->list->kernel));
		return false;
	}
	if (!index_points(j, points->path, d))
		return false;
	j->safe = arena_news(c->a, j->list->n, struct joined_at);
	j->unsafe = arena_news(c->a, j->list->n, struct joined_at);
	return read_rows(j, c, JOINED_ROW, false, d) &&
	       (unsafe_row < 0 || read_rows(j, c, (size_t)unsafe_row, true, d));
}
