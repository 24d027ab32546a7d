#include "perf/rank_final.h"

#include "base/arena.h"
#include "base/map.h"
#include "perf/final_input.h"
#include "perf/rank.h"
#include "perf/stats.h"

#include <math.h>
#include <stdlib.h>

#define NONE ((double)NAN)

/* --- the state of the device ----------------------------------------------------- */

void
rank_state_add(struct rank_state *s, const struct reading *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		s->n_readings++;
		s->n_slow_clock += v[i].cause == READING_SLOW_CLOCK;
		s->n_throttled += v[i].cause == READING_THROTTLED;
		s->n_shared += v[i].cause == READING_SHARED;
		s->n_taken_again += v[i].cause == READING_DRIFTED;
	}
}

static int
sharing_rank(struct str s)
{
	static const char *const order[] = {
		"exclusive", "unknown", "mig", "mps", "shared"};
	int rank = 0;

	for (size_t i = 0; i < sizeof order / sizeof *order; i++)
		if (str_starts(s, order[i]))
			rank = (int)i + 1;
	return rank;
}

struct str
rank_sharing(struct str x, struct str y)
{
	return sharing_rank(y) > sharing_rank(x) ? y : x;
}

/* Somebody else may run at the same time: no time is the device's own. */
static bool
is_shared(struct str sharing)
{
	return str_starts(sharing, "mps") || str_starts(sharing, "shared");
}

/* --- who is who ------------------------------------------------------------------ */

struct contest {
	struct arena *a;
	struct rank_size *s;
	const struct final_record *f;
	struct final_readings r;
	struct final_decision *d;
	const struct objective *objective;
	size_t *entry; /* of each member of r: index in s->v, or s->n_ranked */
};

static size_t
find_entry(const struct rank_size *s, struct str point)
{
	size_t i = 0;
	/* "CANDIDATE@SIZE" */
	for (; i < s->n_ranked; i++)
		if (str_eq(str_sub(point, 0, s->v[i].candidate.n), s->v[i].candidate) &&
			str_eq(str_sub(point, s->v[i].candidate.n + 1, point.n), s->name))
			break;
	return i;
}

static void
find_entries(struct contest *c)
{
	c->entry = arena_news(c->a, c->r.n_members, size_t);
	for (size_t i = 0; i < c->r.n_members; i++)
		c->entry[i] = find_entry(c->s, c->r.members[i].label);
}

static struct rank_entry *
entry_of(const struct contest *c, size_t member)
{
	bool known = c->entry[member] < c->s->n_ranked &&
		     c->r.members[member].role != FINAL_CONTROL;

	return known ? &c->s->v[c->entry[member]] : NULL;
}

/* How the device was. */
static void
note_members(struct contest *c)
{
	for (size_t i = 0; i < c->f->n_members; i++) {
		const struct final_member *m = &c->f->members[i];
		if (m->status == RESULT_OK)
			rank_state_add(&c->s->state, m->visits, 2 * c->f->n_rounds);
	}
	c->s->state.sharing = rank_sharing(c->s->state.sharing, c->f->sharing);
}

/* --- the choice ------------------------------------------------------------------ */

/* The member that is chosen: of the set, the one that is preferred. */
static size_t
choose(const struct contest *c)
{
	size_t chosen = c->r.n_members;

	for (size_t i = 0; i < c->r.n_members; i++) {
		const struct rank_entry *e = entry_of(c, i);
		if (e && c->d->v[i].in_set &&
			(chosen == c->r.n_members ||
				rank_prefer(e, entry_of(c, chosen)) < 0))
			chosen = i;
	}
	return chosen;
}

static void
stand(struct contest *c, size_t champion)
{
	for (size_t i = 0; i < c->r.n_members; i++) {
		struct rank_entry *e = entry_of(c, i);
		const struct final_pair *p = final_pair(c->d, i, champion);
		if (!e)
			continue;
		e->standing = str_of(final_verdict_name(c->d->v[i].verdict));
		e->tie = c->d->v[i].in_set;
		e->ratio = p->ratio;
		e->ratio_low = p->low;
		e->ratio_high = p->high;
		e->p = i == champion ? NONE : p->adjusted;
	}
}

/* Those for whom the final had no place may still be as fast; all others are slower. */
static void
place_others(struct rank_size *s, double best)
{
	for (size_t i = 0; i < s->n_ranked; i++) {
		struct rank_entry *e = &s->v[i];
		e->champion = false;
		if (!e->standing.n)
			e->tie = e->tie && rank_cost(e) <= best * (1 + RANK_NEAR);
	}
}

struct placed {
	double cost;
	struct rank_entry e;
};

static int
by_place(const void *p, const void *q)
{
	const struct placed *x = p, *y = q;
	/* Who met the final was measured to the end there: the race says nothing more. */
	bool x_out = x->e.screened_out && !x->e.standing.n;
	bool y_out = y->e.screened_out && !y->e.standing.n;

	if (x_out != y_out)
		return x_out ? 1 : -1;
	if (x->cost != y->cost)
		return x->cost < y->cost ? -1 : 1;
	return rank_prefer(&x->e, &y->e);
}

/* By the final's ratios among its members, by the screening's times for the rest. */
static void
reorder(struct arena *a, struct rank_size *s, double champion)
{
	struct placed *v = arena_news(a, s->n_ranked, struct placed);

	for (size_t i = 0; i < s->n_ranked; i++) {
		const struct rank_entry *e = &s->v[i];
		v[i] = (struct placed){
			isnan(e->ratio) ? rank_cost(e) : champion * e->ratio, *e};
	}
	qsort(v, s->n_ranked, sizeof *v, by_place);
	for (size_t i = 0; i < s->n_ranked; i++)
		s->v[i] = v[i].e;
}

/* Faster means: shown by the readings, beyond what the control differs by. */
static void
compare_baseline(struct contest *c, size_t champion)
{
	struct rank_size *s = c->s;

	for (size_t i = 0; i < c->r.n_members; i++) {
		const struct final_pair *p = final_pair(c->d, i, champion);
		if (c->r.members[i].role != FINAL_BASELINE)
			continue;
		s->speedup = p->ratio;
		s->speedup_low = p->low;
		s->speedup_high = p->high;
		s->faster = i != champion && !c->d->v[i].in_set && p->low > 1 &&
			    p->adjusted <= c->d->alpha && p->ratio > c->d->floor;
	}
}

/* --- the claim ------------------------------------------------------------------- */

static void
claim(struct rank_size *s, enum rank_claim level, struct str why)
{
	s->claim = level;
	s->claim_why = why;
	if (level < CLAIM_SIMULATED)
		s->faster = false;
}

static enum rank_claim
claim_at_most(const struct rank_size *s)
{
	return s->kind == RESULT_SIMULATED ? CLAIM_SIMULATED : CLAIM_OBSERVED;
}

static struct str
control_text(struct arena *a, const struct rank_final *f)
{
	return str_fmt(a,
		"the control failed: one candidate under two names differs by %.2f %% "
		"(%.2f %% to %.2f %%), more than the margin of %.3g %%; --remeasure when "
		"the device is quiet, or give 'measure' a wider 'margin'",
		(f->control - 1) * 100, (f->control_low - 1) * 100,
		(f->control_high - 1) * 100, (f->margin - 1) * 100);
}

static void
level_of(struct contest *c)
{
	struct rank_size *s = c->s;
	enum rank_claim most = claim_at_most(s);

	if (is_shared(s->state.sharing))
		claim(s, most,
			str_fmt(c->a, "the device was not ours alone: %.*s",
				STR_ARG(s->state.sharing)));
	else if (!s->final.control_exists)
		claim(s, most, STR_LIT("the final had no control"));
	else if (c->d->is_short)
		claim(s, most,
			str_fmt(c->a,
				"a final of %zu rounds is too short to prove anything",
				s->final.n_rounds));
	else if (s->final.audit_failed.n)
		claim(s, most,
			str_fmt(c->a, "%.*s was screened out, but is not slower",
				STR_ARG(s->final.audit_failed)));
	else if (s->kind == RESULT_SIMULATED)
		claim(s, most, STR_LIT("the device is scripted: nothing was run"));
	else if (c->d->control_apart)
		claim(s, CLAIM_PROVEN,
			str_fmt(c->a,
				"a final of %zu rounds; its control differs by %.2f %%, "
				"so "
				"nothing up to %.2f %% counts",
				s->final.n_rounds, (s->final.control - 1) * 100,
				(s->final.floor - 1) * 100));
	else
		claim(s, CLAIM_PROVEN,
			str_fmt(c->a, "a final of %zu rounds, its control passed",
				s->final.n_rounds));
	if (s->claim == CLAIM_OBSERVED)
		s->faster = false;
}

static void
note_final(struct contest *c)
{
	const struct final_decision *d = c->d;
	struct rank_final *f = &c->s->final;

	*f = (struct rank_final){.ran = true,
		.n_members = d->n_members,
		.n_rounds = d->n_rounds,
		.alpha = d->alpha,
		.margin = d->margin,
		.control_exists = d->control_exists,
		.control_ok = d->control_ok,
		.control = d->control_exists ? d->control.ratio : NONE,
		.control_low = d->control_exists ? d->control.low : NONE,
		.control_high = d->control_exists ? d->control.high : NONE,
		.floor = d->floor};
	/* Where few finished the race, losers of it fill the final: each is an audit. */
	for (size_t i = 0; i < d->n_members; i++) {
		const struct rank_entry *e = entry_of(c, i);
		bool lost = c->r.members[i].role == FINAL_AUDIT || (e && e->screened_out);
		if (lost && d->v[i].verdict != FINAL_SLOWER)
			f->audit_failed = c->r.members[i].label;
	}
}

/* A library has no parameters that an objective could look at. */
static void
drop_references(struct contest *c)
{
	const struct final_readings all = c->r;
	struct final_entry *members = arena_news(c->a, all.n_members, struct final_entry);
	double *ns = arena_news(c->a, 2 * all.n_rounds * all.n_members, double), *to = ns;
	size_t *kept = arena_news(c->a, all.n_members, size_t), n = 0;

	for (size_t i = 0; i < all.n_members; i++)
		if (all.members[i].role != FINAL_REFERENCE) {
			kept[i] = n;
			members[n++] = all.members[i];
		}
	for (size_t i = 0; i < n; i++)
		if (members[i].role == FINAL_CONTROL)
			members[i].of = kept[members[i].of];
	for (size_t i = 0; i < 2 * all.n_rounds * all.n_members; i++)
		if (all.members[i % all.n_members].role != FINAL_REFERENCE)
			*to++ = all.ns[i];
	c->r.members = members;
	c->r.n_members = n;
	c->r.ns = ns;
	find_entries(c);
}

/* The readings as values of the objective: what is decided then is that. */
static bool
value_readings(struct contest *c)
{
	drop_references(c);
	size_t n = c->r.n_members, all = 2 * c->r.n_rounds * n;
	double *v = arena_news(c->a, all, double);

	for (size_t i = 0; i < all; i++) {
		size_t at = c->entry[i % n];
		if (at == c->s->n_ranked)
			return false;
		v[i] = objective_value(
			c->a, c->objective, &c->s->v[at], c->r.ns[i], (double)NAN, NULL);
	}
	c->r.ns = v;
	return final_problem(&c->r) == NULL;
}

static void
decide(struct contest *c)
{
	find_entries(c);
	if (c->objective->joules) {
		claim(c->s, claim_at_most(c->s),
			rank_cost(c->s->v) == c->s->v->median_ns
				? STR_LIT("no energy is known: the order is by time")
				: STR_LIT("energy is compared by the steps of its "
					  "counter"));
		return;
	}
	if (c->objective->expr && !value_readings(c)) {
		claim(c->s, claim_at_most(c->s),
			STR_LIT("the objective has no value for all members of the "
				"final"));
		return;
	}
	c->d = final_decide(c->a, &c->r);
	note_final(c);
	size_t champion = choose(c);
	struct rank_entry *chosen =
		champion < c->r.n_members ? entry_of(c, champion) : NULL;
	if (!chosen) {
		claim(c->s, claim_at_most(c->s),
			STR_LIT("the final's candidates are not those of the ranking"));
		return;
	}
	stand(c, champion);
	place_others(c->s, rank_cost(&c->s->v[0]));
	chosen->champion = true;
	compare_baseline(c, champion);
	/* Whom the final does not separate by more than its control is a tie; and what it
	 * puts in an order was at least measured side by side. */
	if (c->d->claim == FINAL_NO_CLAIM)
		claim(c->s, CLAIM_NONE, control_text(c->a, &c->s->final));
	else
		level_of(c);
	reorder(c->a, c->s, rank_cost(chosen));
}

void
rank_final(struct arena *a, struct rank_size *s, const struct final_record *f,
	double margin, const struct objective *objective)
{
	struct contest c = {.a = a, .s = s, .f = f, .objective = objective};
	const char *why = NULL;

	if (!s->n_ranked) {
		claim(s, CLAIM_NONE, STR_LIT("nothing was ranked"));
		return;
	}
	if (s->kind == RESULT_ESTIMATED) {
		claim(s, CLAIM_ESTIMATED, STR_LIT("nothing was run"));
		return;
	}
	claim(s, claim_at_most(s),
		STR_LIT("no final was run: times are of the screening"));
	if (!f)
		return;
	note_members(&c);
	if (f->status != RESULT_OK || f->n_rounds == 0)
		s->claim_why = str_fmt(a, "there is no final: %s%s%.*s",
			f->status == RESULT_OK ? "" : result_status_name(f->status),
			f->status != RESULT_OK && f->reason.n ? ": " : "",
			STR_ARG(f->reason));
	else if ((why = final_input(a, f, margin, &c.r)) != NULL)
		s->claim_why = str_fmt(a, "the final decides nothing: %s", why);
	else
		decide(&c);
}

/* --- the times of its members ---------------------------------------------------- */

static void
time_member(struct arena *a, const struct final_readings *r, size_t member,
	const struct objective *objective, struct rank_entry *e)
{
	size_t n = 2 * r->n_rounds;
	double *ns = arena_news(a, n, double);
	struct summary m;

	for (size_t i = 0; i < n; i++)
		ns[i] = r->ns[final_index(r, i / 2, i % 2, member)];
	m = stats_summary(a, ns, n);
	e->screening_ns = e->median_ns;
	e->screening_cost = e->cost;
	e->median_ns = m.median;
	e->low_ns = m.low;
	e->high_ns = m.high;
	objective_fill(a, objective, e, NULL);
}

void
rank_final_times(struct arena *a, struct rank_size *s, const struct final_record *f,
	double margin, const struct objective *objective)
{
	struct final_readings r;

	if (!s->final.ran || final_input(a, f, margin, &r) != NULL)
		return;
	for (size_t i = 0; i < r.n_members; i++) {
		size_t at = find_entry(s, r.members[i].label);
		if (r.members[i].role != FINAL_CONTROL && at < s->n_ranked &&
			s->v[at].standing.n)
			time_member(a, &r, i, objective, &s->v[at]);
	}
}
