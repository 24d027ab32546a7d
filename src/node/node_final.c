/*
 * final: the members of a shortlist timed against each other in mirrored rounds.
 *
 * A member that crashes or hangs takes its executor with it; it is taken out with what it
 * did, and the final is run again without it.  Refused is refused here, too, also when
 * the cache has the answer; a library's function has no verdict.
 */
#include "base/arena.h"
#include "base/fs.h"
#include "node/measuring.h"
#include "node/shortlisted.h"
#include "worker/worker.h"

#include <math.h>

enum {
	KERNEL,
	SIZE,
	SHORTLIST,
	DEVICE,
	ADMIT,
	SEED,
	REFERENCE_BY,
	ABS,
	REL,
	ULP,
	NONDETERMINISTIC,
	CONSTANTS,
	CACHE,
	MARGIN,
	ENERGY,
	TIMEOUT,
	WORKER,
	EPOCH
};

static const struct node_word words[] = {
	[KERNEL] = {"kernel", NODE_PARAM, true, false},
	[SIZE] = {"size", NODE_PARAM, true, false},
	[SHORTLIST] = {"shortlist", NODE_INPUT, true, false},
	[DEVICE] = {"device", NODE_INPUT, true, false},
	[ADMIT] = {"admit", NODE_NOTE, false, false},
	[SEED] = {"seed", NODE_PARAM, true, false},
	[REFERENCE_BY] = {"reference-by", NODE_PARAM, false, false},
	[ABS] = {"abs", NODE_PARAM, false, false},
	[REL] = {"rel", NODE_PARAM, false, false},
	[ULP] = {"ulp", NODE_PARAM, false, false},
	[NONDETERMINISTIC] = {"nondeterministic", NODE_FLAG, false, false},
	[CONSTANTS] = {"constants", NODE_PARAM, false, false},
	[CACHE] = {"cache", NODE_PARAM, false, false},
	[MARGIN] = {"margin", NODE_PARAM, false, false},
	[ENERGY] = {"energy", NODE_FLAG, false, false},
	[TIMEOUT] = {"timeout", NODE_NOTE, true, false},
	[WORKER] = {"worker", NODE_GUARD, false, false},
	[EPOCH] = {"epoch", NODE_PARAM, false, false}, /* only to be in the key */
	{0},
};

struct finalists {
	struct node_call *call;
	const struct device *dev;
	const struct shortlist *list;
	struct job_member *member;  /* as in the list */
	enum result_status *status; /* OK: still taking part */
	struct str *reason;
};

static const double SECOND_NS = 1e9;

/* --- the guard ---------------------------------------------------------------------- */

static void
check_guard(struct node_call *c, const struct shortlist *list)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->v[i].role != FINAL_REFERENCE &&
			!shortlisted_may_run(
				c->a, &list->v[i], admit_of(node_word(c, ADMIT))))
			die("final: '%.*s/%.*s': refused by the gate: not run",
				STR_ARG(node_word(c, KERNEL)), STR_ARG(list->v[i].point));
}

static struct shortlist *
read_list(struct node_call *c, struct diag *d)
{
	const struct node_file *f = node_file(c, SHORTLIST);
	struct source *src = arena_new(c->a, struct source);
	*src = (struct source){f->path, f->bytes};
	struct shortlist *s = shortlist_read(c->a, json_parse(c->a, src, d), d);
	if (s && (!str_eq(s->kernel, node_word(c, KERNEL)) ||
			 !str_eq(s->size, node_word(c, SIZE)))) {
		diag_error(d, (struct place){0},
			"%s: this is the shortlist of kernel '%.*s' at size '%.*s'",
			f->path, STR_ARG(s->kernel), STR_ARG(s->size));
		return NULL;
	}
	return s;
}

/* --- the job ------------------------------------------------------------------------ */

static bool
malformed(struct node_call *c, size_t word, struct diag *d)
{
	diag_error(d, (struct place){0}, "final: malformed '--%s %.*s'", words[word].name,
		STR_ARG(node_word(c, word)));
	return false;
}

/* A number that is not negative; 0 when the word is absent. */
static bool
number(struct node_call *c, size_t word, double *out, struct diag *d)
{
	*out = 0;
	return !c->n[word] || (str_to_f64(node_word(c, word), out) && *out >= 0) ||
	       malformed(c, word, d);
}

/* What all members have in common. */
static bool
common(struct node_call *c, struct bench_request *q, struct diag *d)
{
	double timeout_s;
	if (!number(c, ABS, &q->abs, d) || !number(c, REL, &q->rel, d) ||
		!number(c, TIMEOUT, &timeout_s, d))
		return false;
	if (timeout_s <= 0 || timeout_s > 1e6)
		return malformed(c, TIMEOUT, d);
	if (!str_to_u64(node_word(c, SEED), &q->seed))
		return malformed(c, SEED, d);
	if (c->n[ULP] && !str_to_i64(node_word(c, ULP), &q->ulp))
		return malformed(c, ULP, d);
	struct constant *constants;
	struct str why;
	if (!constants_parse(
		    c->a, node_word(c, CONSTANTS), &constants, &q->n_constants, &why))
		return malformed(c, CONSTANTS, d);
	q->constants = constants;
	q->timeout_ns = (int64_t)(timeout_s * SECOND_NS);
	q->reference_by = node_word(c, REFERENCE_BY);
	q->nondeterministic = node_flag(c, NONDETERMINISTIC);
	return true;
}

static bool
fill_members(struct finalists *f, struct diag *d)
{
	struct bench_request q = {0};
	struct arena *a = f->call->a;
	if (!common(f->call, &q, d))
		return false;
	f->member = arena_news(a, f->list->n, struct job_member);
	f->status = arena_news(a, f->list->n, enum result_status);
	f->reason = arena_news(a, f->list->n, struct str);
	for (size_t i = 0; i < f->list->n; i++)
		if (!shortlisted_member(a, &f->list->v[i], &q, &f->member[i], d))
			return false;
	return true;
}

static bool
is_object(const struct shortlist_member *m)
{
	return m->role == FINAL_REFERENCE && m->artifact.n;
}

static bool
job_of(struct finalists *f, struct job *j, struct diag *d)
{
	struct node_call *c = f->call;
	*j = (struct job){.kind = JOB_FINAL,
		.project = str_of(fs_cwd(c->a)),
		.kernel = f->list->kernel,
		.size = f->list->size,
		.member = arena_news(c->a, f->list->n, struct job_member),
		.cache = str_is(node_word(c, CACHE), cache_mode_name(CACHE_WARM))
				 ? CACHE_WARM
				 : CACHE_COLD,
		.energy = node_flag(c, ENERGY)};
	for (size_t i = 0; i < f->list->n; i++) {
		if (f->status[i] != RESULT_OK)
			continue;
		j->member[j->n++] = f->member[i];
		/* A process keeps the shared object that it opened first. */
		j->alone |= f->list->v[i].caveat || is_object(&f->list->v[i]);
	}
	return number(c, MARGIN, &j->margin, d);
}

/* --- asking ------------------------------------------------------------------------- */

static struct final_record
no_record(const struct finalists *f, enum result_status status, struct str reason)
{
	return (struct final_record){.kernel = f->list->kernel,
		.size = f->list->size,
		.kind = f->list->kind,
		.status = status,
		.reason = reason,
		.device = f->dev->name,
		.device_uuid = f->dev->uuid,
		.driver = f->dev->driver};
}

/* The worker's answer as JSON; NULL after an error: the device cannot be used. */
static const struct json *
answer_to(struct finalists *f, const struct job *j, struct diag *d)
{
	struct node_call *c = f->call;
	const struct node_file *worker = node_file(c, WORKER);
	struct source *src = arena_new(c->a, struct source);
	struct final_record pending =
		no_record(f, RESULT_PENDING, STR_LIT("started, and not finished"));
	bool lost;
	*src = (struct source){.name = "the worker's answer"};
	worker_taken(); /* the answer before this one */
	if (!measuring_ask(c, j, node_file(c, DEVICE),
		    worker ? worker->bytes : (struct str){0},
		    final_record_write(c->a, &pending), &src->text, &lost, d))
		return NULL;
	return json_parse(c->a, src, d);
}

static struct final_record
ask(struct finalists *f, const struct job *j, struct diag *d)
{
	struct final_record *r = final_record_read(f->call->a, answer_to(f, j, d), d);
	if (!r)
		return no_record(f, RESULT_TROUBLE, (struct str){0});
	r->kernel = f->list->kernel;
	r->size = f->list->size;
	return *r;
}

static const struct final_member *
find_member(const struct final_record *r, const struct shortlist_member *m)
{
	for (size_t i = 0; i < r->n_members; i++)
		if (str_eq(r->members[i].point, m->point) &&
			r->members[i].role == m->role)
			return &r->members[i];
	return NULL;
}

/* Out, under every name it has. */
static void
put_out(struct finalists *f, size_t member, enum result_status status, struct str reason)
{
	for (size_t k = 0; k < f->list->n; k++) {
		if (!str_eq(f->list->v[k].point, f->list->v[member].point))
			continue;
		f->status[k] = status;
		f->reason[k] = reason;
	}
}

/* An executor that died takes all members with it, and hardly says whose fault it was. */
static bool
is_obituary(const struct final_record *r)
{
	for (size_t i = 0; i < r->n_members; i++)
		if (r->members[i].status == RESULT_OK)
			return false;
	return r->n_rounds == 0 && r->n_members > 0;
}

/* The step it died in may tell whose it was: "'visit POINT' did not end". */
static size_t
take_named(struct finalists *f, const struct final_record *r)
{
	for (size_t i = 0; i < f->list->n; i++) {
		struct str named =
			str_fmt(f->call->a, " %.*s'", STR_ARG(f->list->v[i].point));
		if (f->status[i] != RESULT_OK || !str_has(r->reason, named))
			continue;
		put_out(f, i, r->status, r->reason);
		return 1;
	}
	return 0;
}

/* Each alone, once: who does not come back from that is out. */
static size_t
try_each(struct finalists *f, struct diag *d)
{
	size_t out = 0;
	for (size_t i = 0; i < f->list->n; i++) {
		enum result_status status;
		struct job j = {.kind = JOB_ONCE,
			.project = str_of(fs_cwd(f->call->a)),
			.kernel = f->list->kernel,
			.size = f->list->size,
			.member = &f->member[i],
			.n = 1,
			.alone = true};
		if (f->status[i] != RESULT_OK || f->list->v[i].role == FINAL_CONTROL)
			continue;
		/* It is not timed, so an answer that is ok is no result that is ok. */
		const struct json *v = answer_to(f, &j, d);
		if (!v || !result_status_find(json_get_str(v, "status"), &status))
			return 0;
		if (status == RESULT_OK)
			continue;
		put_out(f, i, status, json_get_str(v, "reason"));
		out++;
	}
	return out;
}

/* Returns how many are out now and were not before. */
static size_t
take_out(struct finalists *f, const struct final_record *r)
{
	size_t out = 0;
	for (size_t i = 0; i < f->list->n; i++) {
		const struct final_member *m = find_member(r, &f->list->v[i]);
		if (f->status[i] != RESULT_OK || !m || m->status == RESULT_OK)
			continue;
		put_out(f, i, m->status, m->reason);
		out++;
	}
	return out;
}

static size_t
still_different(const struct finalists *f)
{
	size_t n = 0;
	for (size_t i = 0; i < f->list->n; i++)
		n += f->status[i] == RESULT_OK && f->list->v[i].role != FINAL_CONTROL;
	return n;
}

static struct final_record
run(struct finalists *f, struct diag *d)
{
	struct job j;
	for (;;) {
		if (still_different(f) < 2)
			return no_record(f, RESULT_OK,
				STR_LIT("there are no two members to compare"));
		if (!job_of(f, &j, d))
			return no_record(f, RESULT_TROUBLE, (struct str){0});
		struct str absent = measuring_absence(node_file(f->call, WORKER));
		if (absent.n)
			return no_record(f, RESULT_TROUBLE, absent);
		struct final_record r = ask(f, &j, d);
		if (d->errors || r.status == RESULT_TROUBLE)
			return r;
		size_t out = is_obituary(&r) ? take_named(f, &r) : take_out(f, &r);
		if (!out && is_obituary(&r))
			out = try_each(f, d);
		if (r.status == RESULT_OK || !out)
			return r;
	}
}

/* All members of the list, those who are out with what they did. */
static void
complete(struct finalists *f, struct final_record *r)
{
	struct final_member *all =
		arena_news(f->call->a, f->list->n, struct final_member);
	for (size_t i = 0; i < f->list->n; i++) {
		const struct final_member *m = find_member(r, &f->list->v[i]);
		all[i] = (struct final_member){.point = f->list->v[i].point,
			.role = f->list->v[i].role,
			.status = f->status[i],
			.reason = f->reason[i],
			.joules = (double)NAN,
			.joules_error = (double)NAN};
		if (m && m->status == RESULT_OK && f->status[i] == RESULT_OK)
			all[i] = *m;
		else if (f->status[i] == RESULT_OK && r->n_rounds)
			all[i].status = RESULT_PENDING;
	}
	r->members = all;
	r->n_members = f->list->n;
}

/* What is not there now may be later. */
static bool
lacks_library(const struct final_record *r)
{
	for (size_t i = 0; i < r->n_members; i++)
		if (r->members[i].role == FINAL_REFERENCE &&
			r->members[i].status != RESULT_OK)
			return true;
	return false;
}

/* --- the node ----------------------------------------------------------------------- */

static void
put(struct node_call *c, const struct final_record *r)
{
	c->out.n = 0;
	buf_addstr(&c->out, final_record_write(c->a, r));
}

static bool
compute(struct node_call *c, struct diag *d)
{
	struct finalists f = {.call = c};
	f.dev = device_read(c->a, node_file(c, DEVICE)->path, d);
	f.list = read_list(c, d);
	if (!f.dev || !f.list)
		return false;
	check_guard(c, f.list);
	if (!fill_members(&f, d))
		return false;
	struct final_record r = run(&f, d);
	if (d->errors)
		return false;
	complete(&f, &r);
	put(c, &r);
	c->status = str_of(result_status_name(r.status));
	c->detail = r.n_rounds ? str_fmt(c->a, "%zu members, %zu rounds", r.n_members,
					 r.n_rounds)
			       : r.reason;
	c->no_cache = r.status != RESULT_OK || lacks_library(&r);
	return true;
}

static bool
recalled(struct node_call *c)
{
	struct diag d = {0}, quiet = {.quiet = true};
	struct source src = {c->main_out, str_dup(c->a, buf_str(&c->out))};
	struct shortlist *list = read_list(c, &d);
	struct final_record *r =
		final_record_read(c->a, json_parse(c->a, &src, &quiet), &quiet);
	if (!list || !r)
		return false;
	check_guard(c, list);
	if (r->kind == RESULT_MEASURED)
		r->kind = RESULT_CACHED;
	put(c, r);
	return true;
}

const struct node node_final = {
	.name = "final",
	.about = "time the shortlisted candidates of one kernel and size against each "
		 "other",
	.revision = 1,
	.words = words,
	.measured = true,
	.compute = compute,
	.recalled = recalled,
	.written = worker_taken,
};
