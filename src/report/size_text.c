#include "report/size_text.h"

#include "base/arena.h"
#include "base/map.h"
#include "model/launch.h"
#include "perf/rank.h"
#include "report/reference_text.h"
#include "report/report.h"
#include "report/show.h"
#include "report/table_text.h"

#include <math.h>

/* --- one size: the champion ------------------------------------------------------ */

static struct str
interval_text(struct arena *a, const struct rank_entry *e, const struct time_unit *u)
{
	if (!isfinite(e->low_ns) || !isfinite(e->high_ns))
		return (struct str){0};
	return str_fmt(a, " [%.*s, %.*s]", STR_ARG(time_number(a, u, e->low_ns)),
		STR_ARG(time_number(a, u, e->high_ns)));
}

static struct str
trust_text(struct arena *a, const struct rank_entry *e)
{
	if (e->kind == RESULT_ESTIMATED)
		return STR_LIT("ESTIMATED, never run");
	bool itself = e->verified && e->baseline && str_is(e->verified_by, "baseline");
	return str_fmt(a, "%s, %s%.*s",
		e->kind == RESULT_CACHED      ? "measured earlier (cached)"
		: e->kind == RESULT_SIMULATED ? "SIMULATED, never run"
					      : "measured",
		itself        ? "outputs NOT VERIFIED: they are what others are compared "
				"with"
		: e->verified ? "outputs verified by "
			      : "outputs NOT VERIFIED: ",
		itself ? 0 : (int)e->verified_by.n, e->verified_by.s);
}

/* "256", "16x8": as a person would write it. */
static struct str
dim_short(struct arena *a, struct dim d)
{
	unsigned long long x = d.x, y = d.y, z = d.z;

	if (z > 1)
		return str_fmt(a, "%llux%llux%llu", x, y, z);
	return y > 1 ? str_fmt(a, "%llux%llu", x, y) : str_fmt(a, "%llu", x);
}

static struct str
shape_text(struct arena *a, const struct ranking *r, const struct rank_entry *e)
{
	struct buf b = {.a = a};
	struct launch l;

	if (!launch_parse(e->launch, &l))
		return e->launch;
	/* No GPU's: the block is how many processors it may use. */
	if (!r->compute_capability.n)
		return str_fmt(a, "on %llu processor%s",
			(unsigned long long)dim_volume(l.block),
			str_plural(dim_volume(l.block)));
	buf_addf(&b, "block %.*s, grid %.*s", STR_ARG(dim_short(a, l.block)),
		STR_ARG(dim_short(a, l.grid)));
	if (dim_volume(l.cluster) > 1)
		buf_addf(&b, ", cluster %.*s", STR_ARG(dim_short(a, l.cluster)));
	buf_addf(&b, ", %.*s shared", STR_ARG(bytes_text(a, e->shared_bytes)));
	if (e->registers >= 0)
		buf_addf(&b, ", %lld registers", (long long)e->registers);
	if (e->spill_bytes > 0)
		buf_addf(&b, ", SPILLS %.*s", STR_ARG(bytes_text(a, e->spill_bytes)));
	if (!isnan(e->occupancy))
		buf_addf(&b, ", occupancy %.2f", e->occupancy);
	return buf_str(&b);
}

/* What the final says: "faster" is said of what it shows, and only then. */
static struct str
against_final(struct arena *a, const struct rank_size *s, const struct rank_entry *e)
{
	struct str ratio;

	if (!isfinite(s->speedup))
		return str_fmt(a, "the baseline %.*s did not finish the final",
			STR_ARG(e->label));
	ratio = str_fmt(a, "%.3f x its speed, %.4g %%: %.3f to %.3f", s->speedup,
		(1 - s->final.alpha) * 100, s->speedup_low, s->speedup_high);
	if (s->faster)
		return str_fmt(a, "%s faster than the baseline %.*s: %.*s",
			s->claim == CLAIM_PROVEN ? "PROVEN" : "SIMULATED",
			STR_ARG(e->label), STR_ARG(ratio));
	if (e->tie)
		return str_fmt(a, "cannot be told from the baseline %.*s: %.*s",
			STR_ARG(e->label), STR_ARG(ratio));
	return str_fmt(a, "against the baseline %.*s, %s: %.*s", STR_ARG(e->label),
		s->claim == CLAIM_NONE ? "not claimed" : "observed only", STR_ARG(ratio));
}

static struct str
baseline_text(struct arena *a, const struct rank_size *s)
{
	const struct rank_entry *c = rank_champion(s), *e = rank_baseline(s);

	if (!e)
		return (struct str){0};
	if (e == c)
		return STR_LIT("it is the baseline");
	if (e->status != RESULT_OK)
		return str_fmt(a, "the baseline %.*s is no help to compare with: %s",
			STR_ARG(e->label), result_status_name(e->status));
	if (s->final.ran)
		return against_final(a, s, e);
	if (rank_tie(c, e))
		return str_fmt(a, "cannot be told from the baseline %.*s (%s%.*s%s)",
			STR_ARG(e->label), result_kind_mark(e->kind),
			STR_ARG(time_text(a, e->median_ns)), result_kind_shout(e->kind));
	if (c->kind == RESULT_ESTIMATED)
		return str_fmt(a,
			"%.2f x the speed of the baseline %.*s (~%.*s), estimated",
			s->speedup, STR_ARG(e->label),
			STR_ARG(time_text(a, e->median_ns)));
	return str_fmt(a,
		"%.2f x the speed of the baseline %.*s (%.*s); 95 %%: %.2f to %.2f",
		s->speedup, STR_ARG(e->label), STR_ARG(time_text(a, e->median_ns)),
		s->speedup_low, s->speedup_high);
}

static struct str
claim_text(struct arena *a, const struct rank_size *s)
{
	static const char *const words[N_RANK_CLAIMS] = {
		[CLAIM_NONE] = "NO CLAIM",
		[CLAIM_SIMULATED] = "claim: SIMULATED",
		[CLAIM_OBSERVED] = "claim: observed",
		[CLAIM_PROVEN] = "claim: PROVEN",
	};

	if (!words[s->claim])
		return (struct str){0};
	return str_fmt(a, "%s: %.*s", words[s->claim], STR_ARG(s->claim_why));
}

static struct str
ties_text(struct arena *a, const struct rank_size *s)
{
	const struct rank_entry *c = rank_champion(s), *first = NULL;
	struct buf b = {.a = a};
	size_t n = 0;

	for (size_t i = 0; i < s->n_ranked; i++) {
		if (!s->v[i].tie || s->v[i].champion)
			continue;
		if (n < 6)
			buf_addf(&b, "%s%.*s", n ? " " : "", STR_ARG(s->v[i].label));
		first = first ? first : &s->v[i];
		n++;
	}
	if (!n)
		return (struct str){0};
	if (n > 6)
		buf_addf(&b, " and %zu more", n - 6);
	return str_fmt(a, "ties with %zu: %.*s; chosen before %s: %s", n,
		STR_ARG(buf_str(&b)), n > 1 ? "the first of them" : "it",
		rank_why(c, first));
}

/* What is made small, when it is not the time. */
static struct str
objective_text(struct arena *a, const struct ranking *r, const struct rank_entry *c)
{
	struct buf b = {.a = a};

	if (!r->objective.n)
		return (struct str){0};
	buf_addf(&b, "objective %.*s", STR_ARG(r->objective));
	if (c->cost > 0)
		buf_addf(&b, " = %.4g [%.4g, %.4g]", c->cost, c->cost_low, c->cost_high);
	if (isfinite(c->joules))
		buf_addf(&b, ", %.4g J a launch, +- %.2g", c->joules, c->joules_error);
	return buf_str(&b);
}

static void
champion_text(struct buf *b, const struct ranking *r, const struct rank_size *s)
{
	const struct rank_entry *c = rank_champion(s);
	struct time_unit u = time_unit_for(c->median_ns);
	struct str claim = claim_text(b->a, s), none = {0};
	/* Before any speed: it would be read as a claim. */
	struct str more[] = {objective_text(b->a, r, c), shape_text(b->a, r, c),
		s->claim == CLAIM_NONE ? claim : none, baseline_text(b->a, s),
		reference_text(b->a, s), ties_text(b->a, s),
		s->claim == CLAIM_NONE ? none : claim};
	struct str time = str_fmt(b->a, "%s%.*s %s%.*s   %.*s", result_kind_mark(c->kind),
		STR_ARG(time_number(b->a, &u, c->median_ns)), u.name,
		STR_ARG(interval_text(b->a, c, &u)), STR_ARG(trust_text(b->a, c)));

	buf_adds(b, "  CHAMPION ");
	show_wrap(b, c->label, 11, 11);
	show_line(b, 11, time);
	for (size_t i = 0; i < sizeof more / sizeof *more; i++)
		if (more[i].n)
			show_line(b, 11, more[i]);
	if (c->verdict == VERDICT_CAVEAT)
		show_line(b, 11, STR_LIT("admitted with a caveat: see CAVEATS below"));
	if (c->note.n)
		show_line(b, 11, c->note);
}

/* --- one size -------------------------------------------------------------------- */

static struct str
size_title(struct arena *a, const struct ranking *r, const struct rank_size *s)
{
	struct buf b = {.a = a};

	buf_addf(&b, "%.*s at %.*s", STR_ARG(r->kernel), STR_ARG(s->name));
	json_each(v, s->values)
	{
		buf_addf(&b, "%s%.*s=", v == s->values->child ? ": " : ", ",
			STR_ARG(v->key));
		if (v->kind == JSON_NUMBER)
			buf_addf(&b, "%.17g", v->number);
		else
			buf_addstr(&b, v->string);
	}
	return buf_str(&b);
}

static struct str
counts_text(struct arena *a, const struct rank_counts *c)
{
	struct buf b = {.a = a};

	buf_addf(&b, "%lld candidates: %lld clean", (long long)c->points,
		(long long)c->clean);
	if (c->caveat)
		buf_addf(&b, ", %lld with a caveat", (long long)c->caveat);
	buf_addf(&b, ", %lld refused", (long long)c->refused);
	if (c->error)
		buf_addf(&b, ", %lld could not be judged", (long long)c->error);
	buf_addf(
		&b, "; %lld ranked, %lld failed", (long long)c->ok, (long long)c->failed);
	return buf_str(&b);
}

/* Where not all candidates are here: who chose them, and whether that has ended. */
static void
add_search(struct buf *b, const struct json *search, struct str size)
{
	const struct json *over = json_get(search, "over");
	struct str why = over ? json_get_str(over, str_c(b->a, size)) : (struct str){0};
	const struct json *of = json_get(search, "candidates");
	const struct json *seed = json_get(search, "seed");
	struct str budget = json_get_str(search, "budget");

	show_line(b, 2,
		str_fmt(b->a, "of %.0f, chosen by '%.*s' (budget %.*s, seed %.0f): %.*s",
			of ? of->number : 0, STR_ARG(json_get_str(search, "strategy")),
			STR_ARG(budget), seed ? seed->number : 0,
			STR_ARG(why.n ? why
				      : STR_LIT("NOT OVER, 'lanewise tune' goes on"))));
}

/* "wrong: 3 of 1024 elements differ": candidates that say the same are one entry. */
static struct str
failure_text(struct arena *a, const struct rank_entry *e)
{
	struct str rest = e->reason, first = {0};

	/* A compiler's log has many lines; the first says it. */
	str_line(&rest, &first);
	return str_fmt(a, "%s%s%.*s", result_status_name(e->status), first.n ? ": " : "",
		STR_ARG(first));
}

static void
failure_cases(struct buf *b, struct str labels, size_t n)
{
	enum { SHOWN = 8 };
	struct buf t = {.a = b->a};
	struct str label;

	buf_addf(&t, "%zu candidate%s:", n, str_plural(n));
	for (size_t i = 0; i < SHOWN && str_line(&labels, &label); i++)
		buf_addf(&t, " %.*s", STR_ARG(label));
	if (n > SHOWN)
		buf_addf(&t, " and %zu more (all in report.json)", n - SHOWN);
	show_line(b, 9, buf_str(&t));
}

static void
failed_text(struct buf *b, const struct rank_size *s)
{
	struct map seen = {.a = b->a};
	struct buf *labels = arena_news(b->a, s->n_failed + 1, struct buf);
	size_t *n = arena_news(b->a, s->n_failed + 1, size_t);

	for (size_t i = s->n_ranked; i < s->n_ranked + s->n_failed; i++) {
		const struct rank_entry *e = &s->v[i];
		if (e->verdict == VERDICT_ERROR)
			continue; /* told with its source line under safety */
		size_t at = map_put(&seen, failure_text(b->a, e), NULL);
		labels[at].a = b->a;
		buf_addf(&labels[at], "%.*s\n", STR_ARG(e->label));
		n[at]++;
	}
	if (seen.n)
		buf_adds(b, "\n  FAILED\n");
	for (size_t i = 0; i < seen.n; i++) {
		show_line(b, 5, seen.keys[i]);
		failure_cases(b, buf_str(&labels[i]), n[i]);
	}
}

/* Measured on several devices? A size without a result was on none. */
static bool
spread(const struct ranking *r)
{
	struct str first = {0};

	for (size_t i = 0; i < r->n_sizes; i++) {
		struct str uuid = r->sizes[i].device_uuid;
		if (first.n && uuid.n && !str_eq(first, uuid))
			return true;
		if (uuid.n)
			first = uuid;
	}
	return false;
}

void
size_text(struct buf *b, const struct ranking *r, const struct rank_size *s, size_t top)
{
	buf_addc(b, '\n');
	show_rule(b, '-', size_title(b->a, r, s));
	show_line(b, 2, counts_text(b->a, &s->counts));
	if (r->search)
		add_search(b, r->search, s->name);
	if (spread(r) && s->device_uuid.n)
		show_line(b, 2,
			str_fmt(b->a, "on %.*s %.*s", STR_ARG(s->device),
				STR_ARG(s->device_uuid)));
	buf_addc(b, '\n');
	if (s->n_ranked) {
		champion_text(b, r, s);
		table_text(b, s, top);
	} else {
		show_line(b, 2,
			STR_LIT("NO CHAMPION: no candidate is both admitted and "
				"working"));
	}
	failed_text(b, s);
}
