#include "apply/apply.h"

#include "base/arena.h"
#include "base/die.h"

#include <math.h>

bool
apply_ready(const struct ranking *r)
{
	for (size_t i = 0; i < r->n_sizes; i++)
		if (r->sizes[i].n_ranked)
			return true;
	return false;
}

const char *
apply_path(struct arena *a, struct str kernel, struct str given, const char *suffix)
{
	static const char mark[] = "{kernel}";
	struct buf b = {.a = a};

	if (!given.n)
		return str_c(a, str_fmt(a, "%.*s%s", STR_ARG(kernel), suffix));
	for (size_t i = 0; i < given.n;) {
		if (str_starts(str_sub(given, i, given.n), mark)) {
			buf_addstr(&b, kernel);
			i += sizeof mark - 1;
		} else if (given.s[i] == '{') {
			die("'%.*s': only {kernel} may stand in braces", STR_ARG(given));
		} else {
			buf_addc(&b, given.s[i++]);
		}
	}
	return buf_c(&b);
}

/* --- a ranking's champions -------------------------------------------------------- */

static int
cc_number(struct str cc)
{
	struct str major;
	int64_t x = 0, y = 0;

	if (!str_split(&cc, '.', &major) || !str_to_i64(major, &x) || !str_to_i64(cc, &y))
		return 0;
	return (int)(10 * x + y);
}

/* A claim says no more than how its times came about. */
static enum rank_claim
claim_of(const struct rank_size *s, enum result_kind kind)
{
	enum rank_claim most = kind == RESULT_ESTIMATED   ? CLAIM_ESTIMATED
			       : kind == RESULT_SIMULATED ? CLAIM_SIMULATED
							  : CLAIM_PROVEN;

	return s->claim < most ? s->claim : most;
}

static void
add_times(struct wisdom_entry *e, const struct rank_size *s, const struct rank_entry *c)
{
	/* Whether it was recalled from a cache says nothing of the choice. */
	e->kind = c->kind == RESULT_CACHED ? RESULT_MEASURED : c->kind;
	e->claim = claim_of(s, e->kind);
	e->claim_why = s->claim_why;
	e->median_ns = c->median_ns;
	e->low_ns = c->low_ns;
	e->high_ns = c->high_ns;
	e->verified = c->verified;
	e->verified_by = c->verified_by;
	e->speedup = s->speedup;
	e->speedup_low = s->speedup_low;
	e->speedup_high = s->speedup_high;
	e->faster = s->faster;
}

/* Of a run on several boards each size has its own. */
static struct wisdom_entry
entry_of(const struct ranking *r, const struct rank_size *s, struct str date)
{
	const struct rank_entry *c = rank_champion(s);
	const struct json *device = json_get(r->pins, "device");
	struct wisdom_entry e = {.kernel = r->kernel,
		.size = s->name,
		.values = s->values,
		.device = json_get_str(device, "name"),
		.cc = cc_number(json_get_str(device, "cc")),
		.uuid = s->device_uuid.n ? s->device_uuid : json_get_str(device, "uuid"),
		.driver = json_get_str(device, "driver"),
		.spec = json_get_str(r->pins, "spec"),
		.sources = json_get(r->pins, "sources"),
		.toolchain = json_get_str(r->pins, "toolchain"),
		.assembler = json_get_str(r->pins, "assembler"),
		.backend = json_get_str(r->pins, "backend"),
		.candidate = c->candidate,
		.label = c->label,
		.id = c->id,
		.assignment = c->assignment,
		.verdict = c->verdict,
		.date = date};

	add_times(&e, s, c);
	if (!launch_parse(c->launch, &e.launch))
		BUG("a ranking holds the launch shape '%.*s'", STR_ARG(c->launch));
	return e;
}

static bool
same_members(const struct json *x, const struct json *y)
{
	if (!x || !y || x->n != y->n)
		return false;
	json_each(v, x)
	{
		const struct json *found = NULL;
		json_each(w, y)
		{
			if (str_eq(v->key, w->key))
				found = w;
		}
		if (!found || !str_eq(v->string, found->string))
			return false;
	}
	return true;
}

static bool
is_current(const struct wisdom_entry *e, const struct json *pins)
{
	return str_eq(e->spec, json_get_str(pins, "spec")) &&
	       same_members(e->sources, json_get(pins, "sources"));
}

static bool
same_place(const struct wisdom_entry *x, const struct wisdom_entry *y)
{
	return str_eq(x->kernel, y->kernel) && str_eq(x->device, y->device) &&
	       x->cc == y->cc;
}

/* The old entry that stands where a new one goes, of the same kernel. */
static const struct wisdom_entry *
predecessor(
	const struct wisdom *old, const struct wisdom_entry *e, const struct json *pins)
{
	for (size_t i = 0; i < old->n; i++)
		if (same_place(&old->v[i], e) && str_eq(old->v[i].size, e->size) &&
			is_current(&old->v[i], pins))
			return &old->v[i];
	return NULL;
}

/* A newer gate may know better of the same kernel. */
static bool
is_refused(const struct rank_size *s, struct str label)
{
	for (size_t i = 0; i < rank_size_n(s); i++)
		if (str_eq(s->v[i].label, label) && s->v[i].status == RESULT_REFUSED)
			return true;
	return false;
}

/* Times of the baseline over the champion's, where both were run. */
static struct str
against_baseline(struct arena *a, const struct rank_size *s)
{
	if (!isfinite(s->speedup))
		return (struct str){0};
	if (!isfinite(s->speedup_low) || !isfinite(s->speedup_high))
		return str_fmt(a, ", baseline/champion %.3f", s->speedup);
	return str_fmt(a, ", baseline/champion %.3f [%.3f, %.3f]", s->speedup,
		s->speedup_low, s->speedup_high);
}

/* A champion need not be better than what was there before: the final may have failed its
 * control, or there was none.  What was never run says so wherever it is used. */
static void
doubt(struct arena *a, const struct rank_size *s, const struct wisdom_entry *e)
{
	const struct rank_entry *b = rank_baseline(s);

	if (result_is_measured(e->kind) && b && !b->champion && b->status == RESULT_OK &&
		!s->faster)
		warn("%.*s at %.*s: %.*s is not proven to be better than the baseline "
		     "%.*s%.*s (claim %s: %.*s)",
			STR_ARG(e->kernel), STR_ARG(e->size), STR_ARG(e->label),
			STR_ARG(b->label), STR_ARG(against_baseline(a, s)),
			rank_claim_name(e->claim), STR_ARG(e->claim_why));
}

static void
add_new(struct wisdom *w, const struct wisdom *old, const struct wisdom_entry *e,
	const struct ranking *r, const struct rank_size *s, struct buf *said)
{
	const struct wisdom_entry *was = predecessor(old, e, r->pins);

	if (was && str_eq(wisdom_entry_text(w->a, was, false),
			   wisdom_entry_text(w->a, e, false))) {
		doubt(w->a, s, was);
		wisdom_add(w, was);
	} else if (was && result_is_measured(was->kind) && !result_is_measured(e->kind) &&
		   !is_refused(s, was->label)) {
		buf_addf(said,
			"  %.*s at %.*s on %.*s: what was measured stays, the %s choice "
			"of this run is not taken\n",
			STR_ARG(e->kernel), STR_ARG(e->size), STR_ARG(e->device),
			result_kind_name(e->kind));
		wisdom_add(w, was);
	} else {
		doubt(w->a, s, e);
		wisdom_add(w, e);
	}
}

void
apply_ranking(
	struct wisdom *w, const struct ranking *r, struct str date, struct buf *said)
{
	struct wisdom old = *w;
	struct wisdom_entry here = {.kernel = r->kernel,
		.device = json_get_str(json_get(r->pins, "device"), "name"),
		.cc = cc_number(json_get_str(json_get(r->pins, "device"), "cc"))};

	*w = (struct wisdom){.a = old.a};
	for (size_t i = 0; i < old.n; i++)
		if (!same_place(&old.v[i], &here))
			wisdom_add(w, &old.v[i]);
	for (size_t i = 0; i < r->n_sizes; i++)
		if (r->sizes[i].n_ranked) {
			struct wisdom_entry e = entry_of(r, &r->sizes[i], date);
			add_new(w, &old, &e, r, &r->sizes[i], said);
		}
	wisdom_sort(w, NULL);
}

struct wisdom
apply_current(const struct wisdom *w, struct str kernel, const struct json *pins,
	struct buf *said)
{
	struct wisdom out = {.a = w->a};

	for (size_t i = 0; i < w->n; i++) {
		const struct wisdom_entry *e = &w->v[i];
		if (!str_eq(e->kernel, kernel))
			continue;
		if (is_current(e, pins))
			wisdom_add(&out, e);
		else
			buf_addf(said,
				"  %.*s at %.*s on %.*s is left out: the kernel is "
				"another one since; tune there again\n",
				STR_ARG(e->kernel), STR_ARG(e->size), STR_ARG(e->device));
	}
	return out;
}
