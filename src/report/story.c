#include "report/story.h"

#include "base/arena.h"
#include "model/launch.h"
#include "model/record.h"
#include "perf/bracket.h"
#include "report/plot.h"
#include "report/reference_text.h"
#include "report/show.h"

#include <math.h>

enum { INDENT = 13 };

static void
fact(struct buf *b, const char *name, struct str text)
{
	buf_addf(b, "  %-10s ", name);
	show_wrap(b, text, INDENT, INDENT);
}

const struct rank_entry *
story_find(const struct rank_size *s, struct str name)
{
	for (size_t i = 0; i < rank_size_n(s); i++) {
		const struct rank_entry *e = &s->v[i];
		if (str_eq(name, e->candidate) || str_eq(name, e->label) ||
			str_eq(name, e->id) ||
			(str_is(name, "champion") && e->champion) ||
			(str_is(name, "baseline") && e->baseline))
			return e;
	}
	return NULL;
}

/* --- what it is ------------------------------------------------------------------ */

static struct str
parameters_text(struct arena *a, const struct rank_entry *e)
{
	struct buf b = {.a = a};

	json_each(p, e->assignment)
	{
		buf_addf(&b, "%s%.*s=", b.n ? " " : "", STR_ARG(p->key));
		if (p->kind == JSON_NUMBER)
			buf_addf(&b, "%.10g", p->number);
		else if (p->kind == JSON_BOOL)
			buf_adds(&b, p->boolean ? "true" : "false");
		else
			buf_addstr(&b, p->string);
	}
	buf_addf(&b, "%sid %.*s", b.n ? ", " : "", STR_ARG(e->id));
	if (e->baseline)
		buf_adds(&b, ", the baseline");
	else if (e->off_baseline >= 0)
		buf_addf(&b, ", %lld off the baseline", (long long)e->off_baseline);
	return buf_str(&b);
}

static struct str
count_text(struct arena *a, int64_t n, const char *of)
{
	return n < 0 ? str_fmt(a, "%s not known", of)
		     : str_fmt(a, "%lld %s", (long long)n, of);
}

static struct str
facts_text(struct arena *a, const struct rank_entry *e, struct str artifact)
{
	struct buf b = {.a = a};

	if (isnan(e->occupancy))
		return artifact.n ? str_fmt(a, "machine code %.*s", STR_ARG(artifact))
				  : STR_LIT("no machine code");
	buf_addstr(&b, count_text(a, e->registers, "registers"));
	buf_addf(&b, ", %.*s shared, ", STR_ARG(bytes_text(a, e->shared_bytes)));
	if (e->spill_bytes > 0)
		buf_addf(&b, "SPILLS %.*s", STR_ARG(bytes_text(a, e->spill_bytes)));
	else
		buf_adds(&b, e->spill_bytes < 0 ? "spills not known" : "no spills");
	buf_addf(&b, ", occupancy %.2f%s (%lld blocks an SM)", e->occupancy,
		e->registers_known ? "" : " at most", (long long)e->blocks_per_sm);
	if (artifact.n)
		buf_addf(&b, "; machine code %.*s", STR_ARG(artifact));
	return buf_str(&b);
}

static void
verdict_facts(struct buf *b, struct places *p, const struct ranking *r,
	const struct rank_entry *e)
{
	fact(b, "verdict", str_of(verdict_name(e->verdict)));
	for (size_t i = 0; i < e->n_findings; i++) {
		const struct finding *f = &e->findings[i];
		struct place_of place = places_find(p, r->kernel, e->specialization, f);
		struct str said =
			places_words(p, r->kernel, e->specialization, f->message);
		struct str at = place.line
					? str_fmt(b->a, "%.*s:%u: ", STR_ARG(place.file),
						  place.line)
					: (struct str){0};
		fact(b, "",
			str_fmt(b->a, "%.*s %.*s%.*s", STR_ARG(f->rule), STR_ARG(at),
				STR_ARG(said)));
	}
}

/* --- the screening --------------------------------------------------------------- */

static struct str
result_text(struct arena *a, const struct result *r)
{
	struct buf b = {.a = a};
	struct time_unit u = time_unit_for(r->median_ns);

	buf_adds(&b, result_status_name(r->status));
	if (r->reason.n)
		buf_addf(&b, ": %.*s", STR_ARG(r->reason));
	if (isfinite(r->median_ns))
		buf_addf(&b, "; median %s%.*s %s%s", result_kind_mark(r->kind),
			STR_ARG(time_number(a, &u, r->median_ns)), u.name,
			result_kind_shout(r->kind));
	if (isfinite(r->low_ns))
		buf_addf(&b, ", 95 %%: %.*s to %.*s",
			STR_ARG(time_number(a, &u, r->low_ns)),
			STR_ARG(time_number(a, &u, r->high_ns)));
	if (r->kind == RESULT_CACHED)
		buf_adds(&b, ", measured earlier");
	if (r->unsafe)
		buf_addf(&b, ", %s THOUGH REFUSED",
			r->kind == RESULT_SIMULATED ? "SIMULATED" : "MEASURED");
	if (r->window.noisy)
		buf_adds(&b, ", noisy: the budget was spent before the interval was "
			     "narrow");
	return buf_str(&b);
}

static struct str
readings_text(struct arena *a, const struct result *r)
{
	size_t n[N_READING_VOIDS] = {0};
	struct buf b = {.a = a};

	for (size_t i = 0; i < r->n_readings; i++)
		n[r->readings[i].cause]++;
	buf_addf(&b, "%zu of %lld launches each, oldest first; x: void", r->n_readings,
		(long long)r->launches_per_batch);
	for (int v = 1; v < N_READING_VOIDS; v++)
		if (n[v])
			buf_addf(&b, ", %zu %s", n[v],
				reading_void_name((enum reading_void)v));
	return buf_str(&b);
}

static struct str
singles_text(struct arena *a, const struct result *r)
{
	struct buf b = {.a = a};

	buf_adds(&b, "alone, by the host's clock:");
	for (size_t i = 0; i < r->n_singles; i++)
		buf_addf(&b, "%s %.*s", i ? "," : "",
			STR_ARG(time_text(a, r->singles[i].host_ns)));
	return buf_str(&b);
}

static struct str
window_text(struct arena *a, const struct window *w)
{
	struct bracket bracket = {.before_ns = w->before_ns, .after_ns = w->after_ns};
	struct buf b = {.a = a};

	buf_addf(&b, "%s launches, %s cache", launch_mode_name(w->launch),
		cache_mode_name(w->cache));
	if (isfinite(w->floor_ns))
		buf_addf(&b, ", an empty kernel takes %.*s",
			STR_ARG(time_text(a, w->floor_ns)));
	if (w->sharing.n)
		buf_addf(&b, ", device %.*s", STR_ARG(w->sharing));
	if (w->anchor.n && isfinite(w->before_ns) && isfinite(w->after_ns))
		buf_addf(&b,
			"; bracket %.*s: %.*s before, %.*s after, drift %.2f %% (%s)",
			STR_ARG(w->anchor), STR_ARG(time_text(a, w->before_ns)),
			STR_ARG(time_text(a, w->after_ns)), bracket_drift(&bracket) * 100,
			bracket_class_name(bracket_class(bracket_drift(&bracket))));
	if (w->screened_out)
		buf_addf(&b,
			"; SCREENED OUT by %.*s (%.*s there), more than %.1f %% slower",
			STR_ARG(w->incumbent), STR_ARG(time_text(a, w->incumbent_ns)),
			w->race_margin * 100);
	return buf_str(&b);
}

static struct str
verified_text(struct arena *a, const struct result *r)
{
	struct buf b = {.a = a};

	if (!r->verified && r->status != RESULT_OK)
		buf_adds(&b, r->n_wrong > 0 ? "NOT VERIFIED: outputs differ"
					    : "NOT VERIFIED: it failed");
	else
		buf_addf(&b, "%s%.*s",
			r->verified ? "outputs agree with: " : "NOT VERIFIED: ",
			STR_ARG(r->verified_by));
	if (r->n_wrong >= 0 && isfinite(r->max_abs_error))
		buf_addf(&b, "; largest error %.4g, relative %.4g", r->max_abs_error,
			r->max_rel_error);
	if (r->n_wrong >= 0)
		buf_addf(&b, "; %lld elements off", (long long)r->n_wrong);
	return buf_str(&b);
}

/* The report's time, where it is not the one that was read. */
static void
common_window(struct buf *b, const struct rank_entry *e, const struct result *r)
{
	double ns = rank_screening_ns(e);

	if (e->status == RESULT_OK && isfinite(ns) && isfinite(r->median_ns) &&
		ns != r->median_ns)
		fact(b, "",
			str_fmt(b->a,
				"brought to the common window: %.*s, which the report "
				"ranks it by",
				STR_ARG(time_text(b->a, ns))));
}

static void
screening(struct buf *b, const struct rank_entry *e, const struct result *r)
{
	fact(b, r->kind == RESULT_ESTIMATED ? "estimate" : "screening",
		result_text(b->a, r));
	if (r->kind == RESULT_ESTIMATED) {
		fact(b, "", r->estimate_note);
		return;
	}
	common_window(b, e, r);
	if (r->n_readings) {
		fact(b, "readings", readings_text(b->a, r));
		plot_readings(b, 1, r->readings, r->n_readings);
	}
	if (r->n_singles)
		fact(b, "single", singles_text(b->a, r));
	if (r->status == RESULT_OK)
		fact(b, "window", window_text(b->a, &r->window));
	if (r->verified_by.n || r->n_wrong >= 0)
		fact(b, "verified", verified_text(b->a, r));
}

/* --- the final, and the place ---------------------------------------------------- */

static struct str
final_text(struct arena *a, const struct rank_size *s, const struct rank_entry *e)
{
	const struct rank_entry *c = rank_champion(s);
	struct buf b = {.a = a};

	if (!s->final.ran)
		return s->claim_why;
	if (!e->standing.n)
		return STR_LIT("it was not in it");
	buf_addf(&b, "%zu rounds, standing: %.*s", s->final.n_rounds,
		STR_ARG(e->standing));
	if (c != e && isfinite(e->ratio))
		buf_addf(&b, "; its time over the champion's %.4f, %.4g %%: %.4f to %.4f",
			e->ratio, (1 - s->final.alpha) * 100, e->ratio_low,
			e->ratio_high);
	if (isfinite(e->p))
		buf_addf(&b, ", p = %.2g of all comparisons", e->p);
	if (isfinite(e->joules))
		buf_addf(&b, "; %.4g J a launch, +- %.2g", e->joules, e->joules_error);
	return buf_str(&b);
}

static struct str
place_text(struct arena *a, const struct rank_size *s, const struct rank_entry *e)
{
	size_t i = (size_t)(e - s->v);

	if (e->status == RESULT_REFUSED)
		return STR_LIT("refused: no place");
	if (i >= s->n_ranked)
		return str_fmt(a, "failed: %s%s%.*s", result_status_name(e->status),
			e->reason.n ? ": " : "", STR_ARG(e->reason));
	return str_fmt(a, "%zu of %zu%s; claim: %s, %.*s", i + 1, s->n_ranked,
		e->champion ? ": CHAMPION"
		: e->tie    ? ": cannot be told from the fastest"
			    : "",
		rank_claim_name(s->claim), STR_ARG(s->claim_why));
}

/* --- the whole ------------------------------------------------------------------- */

/* The member of an array whose keys have these values. */
static const struct json *
find(const struct json *array, const char *key, struct str value, const char *key2,
	struct str value2)
{
	if (array)
		json_each(v, array)
		{
			if (str_eq(json_get_str(v, key), value) &&
				(!key2 || str_eq(json_get_str(v, key2), value2)))
				return v;
		}
	return NULL;
}

bool
story_text(struct buf *b, const struct ranking *r, const struct rank_size *s,
	const struct rank_entry *e, const struct json *results, struct places *places,
	struct diag *d)
{
	struct record top = record_open(results, "lanewise/results.v1", d);
	const struct json *points = record_array(&top, "points", JSON_OBJECT);
	const struct json *all = record_array(&top, "specializations", JSON_OBJECT);
	const struct json *point =
		find(points, "candidate", e->candidate, "size", s->name);
	const struct json *code =
		find(all, "specialization", e->specialization, NULL, (struct str){0});
	const struct json *result = json_get(point, "result");
	struct result taken;

	if (!top.ok)
		return false;
	show_rule(b, '-',
		str_fmt(b->a, "%.*s at %.*s: %.*s", STR_ARG(r->kernel), STR_ARG(s->name),
			STR_ARG(e->label)));
	fact(b, "parameters", parameters_text(b->a, e));
	fact(b, "launch", e->launch);
	fact(b, "arguments", json_get_str(point, "args"));
	verdict_facts(b, places, r, e);
	fact(b, "facts", facts_text(b->a, e, json_get_str(code, "artifact")));
	if (result && result->kind == JSON_OBJECT) {
		if (!result_get(b->a, result, &taken, d))
			return false;
		screening(b, e, &taken);
		if (taken.kind != RESULT_ESTIMATED)
			fact(b, "final", final_text(b->a, s, e));
		if (s->reference.exists)
			fact(b, "beside it", reference_text(b->a, s));
	}
	fact(b, "place", place_text(b->a, s, e));
	return true;
}
