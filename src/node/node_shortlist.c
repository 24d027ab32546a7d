/*
 * shortlist: who of one kernel takes part in the final at one size, from the screening.
 *
 *     candidates   the fastest and all within 2 % of it, at least 3 and at most 8
 *     baseline     of the spec, fast or not
 *     control      the baseline, or else the fastest, a second time: if these two differ,
 *                  the final tells nothing
 *     audit        one of those that lost their race, to see whether that was right
 *     reference    a library's function that does the same, with the arguments of the
 *                  baseline, or else of the first candidate by name
 *
 * What it writes holds no times and is in the order of names: see model/shortlist.h.
 */
#include "base/arena.h"
#include "base/hash.h"
#include "base/rng.h"
#include "model/library.h"
#include "model/shortlist.h"
#include "node/joined.h"
#include "perf/rank.h"

#include <stdlib.h>

enum { SIZE = JOINED_ROW + 1, DIR, ENTRY, SEED, OBJECTIVE, LIBRARY, LIBRARY_HASH };

static const struct node_word words[] = {
	JOINED_WORDS,
	[SIZE] = {"size", NODE_PARAM, true, false},
	[DIR] = {"dir", NODE_PARAM, true, false},
	[ENTRY] = {"entry", NODE_PARAM, false, false},
	[SEED] = {"seed", NODE_PARAM, true, false},
	[OBJECTIVE] = {"objective", NODE_PARAM, false, false},
	[LIBRARY] = {"library", NODE_PARAM, false, false},
	[LIBRARY_HASH] = {"library-hash", NODE_PARAM, false, false},
	{0},
};

struct choice {
	struct node_call *call;
	struct joined j;
	struct rank_size z;
	struct shortlist out;
};

static bool
add(struct choice *s, const struct rank_entry *e, enum final_role role, struct diag *d)
{
	struct node_call *c = s->call;
	const struct point *p = joined_point(&s->j, e, s->z.name);
	const struct rows *rows = joined_at(&s->j, p)->rows;
	struct str dir = node_word(c, DIR), entry = node_word(c, ENTRY);

	if (!rows->artifact.n) {
		diag_error(d, (struct place){0},
			"shortlist: '%.*s' was measured, but its machine code is gone; "
			"remove .lanewise/%.*s/rows and run again",
			STR_ARG(p->name), STR_ARG(s->j.list->kernel));
		return false;
	}
	if (rows->has_facts && rows->facts.entry.n)
		entry = rows->facts.entry;
	s->out.v[s->out.n++] = (struct shortlist_member){
		.point = p->name,
		.role = role,
		.caveat = e->verdict == VERDICT_CAVEAT,
		.artifact = str_fmt(c->a, "%.*s/cubin/%.*s.cubin", STR_ARG(dir),
			STR_ARG(p->specialization)),
		.artifact_hash = rows->artifact,
		.verdicts = str_fmt(c->a, "%.*s/gate/%.*s.verdict.json", STR_ARG(dir),
			STR_ARG(p->specialization)),
		.entry = entry,
		.launch = p->launch_text,
		.args = p->args,
		.reference = p->reference,
	};
	return true;
}

/* Is it one of the candidates that the screening cannot leave out? */
static bool
is_near(const struct rank_entry *e, const struct rank_entry *best, size_t taken)
{
	if (taken >= SHORTLIST_MOST)
		return false;
	if (taken < SHORTLIST_LEAST)
		return true;
	return !e->screened_out && rank_cost(e) <= rank_cost(best) * (1 + RANK_NEAR);
}

/* The one whose name is drawn first: others that come or go hardly ever change it. */
static const struct rank_entry *
audit_of(struct choice *s, uint64_t seed, size_t from)
{
	const struct rank_entry *drawn = NULL;
	uint64_t least = UINT64_MAX;

	for (size_t i = from; i < s->z.n_ranked; i++) {
		const struct rank_entry *e = &s->z.v[i];
		uint64_t lot = rng_at(seed, hash_bytes(e->candidate).lo);
		if (!e->screened_out || e->baseline || lot > least)
			continue;
		drawn = e;
		least = lot;
	}
	return drawn;
}

static bool
add_library(struct choice *s, struct diag *d)
{
	struct node_call *c = s->call;
	const struct shortlist_member *like = s->out.v;
	struct library library;
	struct str text = node_word(c, LIBRARY), why;

	if (!text.n || !s->out.n)
		return true;
	if (!library_parse(c->a, text, &library, &why)) {
		diag_error(d, (struct place){0}, "shortlist: malformed '--library': %.*s",
			STR_ARG(why));
		return false;
	}
	for (size_t i = 0; i < s->out.n; i++)
		if (s->out.v[i].role == FINAL_BASELINE)
			like = &s->out.v[i];
	s->out.v[s->out.n++] = (struct shortlist_member){
		.point = library_name(&library),
		.role = FINAL_REFERENCE,
		.artifact = library.path,
		.artifact_hash = node_word(c, LIBRARY_HASH),
		.launch = like->launch,
		.args = like->args,
		.reference = like->reference,
		.library = text,
	};
	return true;
}

static int
by_role_and_name(const void *p, const void *q)
{
	const struct shortlist_member *x = p, *y = q;

	return x->role != y->role ? (x->role > y->role) - (x->role < y->role)
				  : str_cmp(x->point, y->point);
}

static bool
choose(struct choice *s, uint64_t seed, struct diag *d)
{
	const struct rank_entry *v = s->z.v, *baseline = NULL, *audit;
	size_t i = 0, taken = 0;

	s->out.v = arena_news(s->call->a, SHORTLIST_MOST + 4, struct shortlist_member);
	/* In order of time: the first that is too slow ends it. */
	for (; i < s->z.n_ranked && (v[i].baseline || is_near(&v[i], &v[0], taken));
		i++) {
		if (v[i].baseline)
			baseline = &v[i];
		else if (++taken && !add(s, &v[i], FINAL_CANDIDATE, d))
			return false;
	}
	for (size_t b = i; b < s->z.n_ranked; b++)
		if (v[b].baseline)
			baseline = &v[b];
	audit = audit_of(s, seed, i);
	if ((baseline && !add(s, baseline, FINAL_BASELINE, d)) ||
		(s->z.n_ranked && !add(s, baseline ? baseline : v, FINAL_CONTROL, d)) ||
		(audit && !add(s, audit, FINAL_AUDIT, d)))
		return false;
	qsort(s->out.v, s->out.n, sizeof *s->out.v, by_role_and_name);
	return add_library(s, d);
}

static const struct json *
find_size(const struct json *sizes, struct str name)
{
	json_each(s, sizes)
	{
		if (str_eq(json_get_str(s, "name"), name))
			return s;
	}
	return NULL;
}

static bool
compute(struct node_call *c, struct diag *d)
{
	struct choice s = {.call = c};
	const struct json *size;
	uint64_t seed;

	if (!joined_read(&s.j, c, -1, d) ||
		!objective_parse(c->a, node_word(c, OBJECTIVE), &s.j.objective, d))
		return false;
	size = find_size(s.j.list->sizes, node_word(c, SIZE));
	if (!size || !str_to_u64(node_word(c, SEED), &seed)) {
		diag_error(d, (struct place){0}, "shortlist: malformed '--%s %.*s'",
			words[size ? SEED : SIZE].name,
			STR_ARG(node_word(c, size ? SEED : SIZE)));
		return false;
	}
	joined_size(&s.j, size, NULL, &s.z);
	s.out.kernel = s.j.list->kernel;
	s.out.size = s.z.name;
	s.out.kind = s.z.kind == RESULT_CACHED ? RESULT_MEASURED : s.z.kind;
	if (s.z.kind != RESULT_ESTIMATED && !choose(&s, seed, d))
		return false;
	buf_addstr(&c->out, shortlist_write(c->a, &s.out));
	c->detail = str_fmt(c->a, "%zu members", s.out.n);
	return true;
}

const struct node node_shortlist = {
	.name = "shortlist",
	.about = "choose who takes part in the final of one kernel at one size",
	.revision = 2,
	.words = words,
	.local = true,
	.brief = true,
	.compute = compute,
};
