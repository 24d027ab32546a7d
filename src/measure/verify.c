/*
 * Whether a candidate computes what it should: the order of the questions is that of what
 * explains most.  An element that was never written explains more than one that differs.
 */
#include "measure/measure_parts.h"

#include "backend/compare.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/fs.h"

#include <math.h>

/* Two bytes that differ in every bit that matters: NaN and -1, and a plain number. */
enum { POISON_1 = 0xff, POISON_2 = 0x5a };

/* --- the reference ----------------------------------------------------------------- */

bool
verify_open(struct verify *v, struct fault *f)
{
	const struct bench_request *q = v->q;
	struct ref *ref = &v->file;
	struct str why;

	v->ref = NULL;
	v->r->verified_by = STR_LIT("nothing: there is no reference");
	v->first = arena_news(v->a, q->n_args + 1, unsigned char *);
	v->again = arena_news(v->a, q->n_args + 1, unsigned char *);
	if (!q->reference_path)
		return true;
	if (!ref_open(v->a, q->reference_path, q->args, q->n_args, ref, &why))
		return measure_fail(f, RESULT_TROUBLE, why);
	if (ref->failed.n)
		return measure_fail(f, RESULT_TROUBLE,
			str_fmt(v->a, "there is no reference: %.*s",
				STR_ARG(ref->failed)));
	if (ref->n == 0)
		v->r->verified_by = STR_LIT("nothing: no argument is an output");
	else
		v->ref = ref;
	return true;
}

void
verify_close(struct verify *v)
{
	ref_close(&v->file);
	v->ref = NULL;
}

/* --- runs -------------------------------------------------------------------------- */

static uint64_t
output_bytes(const struct arg *v)
{
	return v->output ? v->count * dtype_bytes(v->type) : 0;
}

/* What is moved and compared takes its time, whatever the kernel took. */
static void
bytes_step(struct verify *v, const char *name)
{
	double bytes = 0;

	for (size_t i = 0; i < v->q->n_args; i++)
		bytes += (double)output_bytes(&v->q->args[i]);
	measure_step(v->m, name, measure_bytes_ns(bytes));
}

static bool
fetch_all(struct verify *v, unsigned char **to, struct fault *f)
{
	for (size_t i = 0; i < v->q->n_args; i++) {
		size_t bytes = (size_t)output_bytes(&v->q->args[i]);
		if (bytes == 0)
			continue;
		if (!to[i])
			to[i] = arena_alloc(v->a, bytes);
		if (!v->m->ops->fetch(v->m->s, v->l, i, to[i], f))
			return false;
	}
	return true;
}

static bool
run_on(struct verify *v, const char *step, unsigned char poison, unsigned char **to,
	int64_t allowed_ns, struct fault *f)
{
	const struct session_ops *ops = v->m->ops;
	struct session *s = v->m->s;

	bytes_step(v, "refill");
	if (!ops->refill(s, v->l, poison, f))
		return false;
	measure_step(v->m, step, allowed_ns);
	measure_begin(v->m);
	if (!ops->run(s, v->l, ops->now(s) + allowed_ns, f))
		return false;
	measure_end(v->m);
	bytes_step(v, "fetch");
	return ops->guards(s, v->l, f) && fetch_all(v, to, f);
}

/* --- comparisons ------------------------------------------------------------------- */

/* Adds to the totals, which run over all outputs. */
static void
add_up(struct result *r, const struct comparison *one)
{
	r->n_wrong += (int64_t)one->n_wrong;
	r->max_abs_error = fmax(r->max_abs_error, one->max_abs);
	r->max_rel_error = fmax(r->max_rel_error, one->max_rel);
}

static bool
compare_all(
	struct verify *v, unsigned char *const *got, const char *when, struct fault *f)
{
	struct tolerance tol = {v->q->abs, v->q->rel, v->q->ulp};
	struct str reason = {0};
	size_t k = 0;

	if (!v->ref)
		return true;
	v->r->n_wrong = 0;
	for (size_t i = 0; i < v->q->n_args; i++) {
		if (!v->q->args[i].output)
			continue;
		const struct ref_output *want = &v->ref->v[k++];
		struct comparison one = compare_output(got[i], want, tol);
		add_up(v->r, &one);
		if (one.n_wrong && !reason.n)
			reason = comparison_text(v->a, &one, want);
	}
	return !reason.n || measure_fail(f, RESULT_WRONG,
				    str_fmt(v->a, "%s%.*s (largest error %.6g)", when,
					    STR_ARG(reason), v->r->max_abs_error));
}

static bool
unwritten(
	struct verify *v, const struct arg *arg, const struct rerun *run, struct fault *f)
{
	return measure_fail(f, RESULT_WRONG,
		str_fmt(v->a,
			"'%.*s': %llu of %llu elements were never written; the first is "
			"[%llu] (or they are still what was there before: if the kernel "
			"is to leave or to update them, say \"inout\": true of the "
			"argument)",
			STR_ARG(arg->name), (unsigned long long)run->n_unwritten,
			(unsigned long long)arg->count,
			(unsigned long long)run->first_unwritten));
}

static bool
differs(struct verify *v, const struct arg *arg, const struct rerun *run, struct fault *f)
{
	return measure_fail(f, RESULT_WRONG,
		str_fmt(v->a,
			"'%.*s': two runs on the same inputs differ in %llu of %llu "
			"elements, the first is [%llu]: a race, or it reads what was in "
			"the output before (if that is meant, say \"nondeterministic\": "
			"true in the spec)",
			STR_ARG(arg->name), (unsigned long long)run->n_differ,
			(unsigned long long)arg->count,
			(unsigned long long)run->first_differ));
}

static struct rerun
rerun_of(const struct verify *v, size_t arg)
{
	const struct arg *x = &v->q->args[arg];

	return compare_runs(v->first[arg], v->again[arg], x->count, dtype_bytes(x->type),
		POISON_1, POISON_2);
}

static bool
compare_reruns(struct verify *v, struct fault *f)
{
	for (size_t i = 0; i < v->q->n_args; i++) {
		const struct arg *arg = &v->q->args[i];
		if (output_bytes(arg) == 0)
			continue;
		struct rerun run = rerun_of(v, i);
		/* What goes in is no poison: an inout element may well stay as it was. */
		if (arg->input)
			run.n_differ += run.n_unwritten, run.n_unwritten = 0;
		if (run.n_unwritten)
			return unwritten(v, arg, &run, f);
		if (run.n_differ && !v->q->nondeterministic)
			return differs(v, arg, &run, f);
	}
	return true;
}

bool
verify_runs(struct verify *v, double usual_ns, struct fault *f)
{
	int64_t allowed = measure_first_ns(v->q, usual_ns);
	struct fault wrong;

	if (v->ref)
		v->r->max_abs_error = v->r->max_rel_error = 0;
	if (!run_on(v, "first launch", POISON_1, v->first, allowed, f) ||
		!run_on(v, "second launch", POISON_2, v->again, allowed, f))
		return false;
	bytes_step(v, "compare");
	bool right = compare_all(v, v->first, "", &wrong);
	if (!compare_reruns(v, f)) {
		/* How far the first is off says nothing when the second is not the same.
		 */
		v->r->n_wrong = -1;
		v->r->max_abs_error = v->r->max_rel_error = (double)NAN;
		return false;
	}
	if (!right) {
		*f = wrong;
		return false;
	}
	return !v->q->nondeterministic || compare_all(v, v->again, "", f);
}

/* --- after the timing -------------------------------------------------------------- */

bool
verify_poison(struct verify *v, struct fault *f)
{
	return v->m->ops->refill(v->m->s, v->l, POISON_1, f);
}

static bool
accumulates(const struct bench_request *q)
{
	for (size_t i = 0; i < q->n_args; i++)
		if (q->args[i].input && q->args[i].output)
			return true;
	return false;
}

bool
verify_fetch(struct verify *v, struct fault *f)
{
	const struct session_ops *ops = v->m->ops;

	bytes_step(v, "fetch");
	if (!ops->guards(v->m->s, v->l, f))
		return false;
	if (accumulates(v->q))
		return run_on(v, "last launch", POISON_1, v->again,
			measure_first_ns(v->q, 0), f);
	return fetch_all(v, v->again, f);
}

bool
verify_again(struct verify *v, struct fault *f)
{
	bytes_step(v, "compare");
	if (v->q->nondeterministic)
		return compare_all(v, v->again, "after the timing: ", f);
	for (size_t i = 0; i < v->q->n_args; i++) {
		const struct arg *arg = &v->q->args[i];
		size_t bytes = (size_t)output_bytes(arg);
		if (bytes == 0 || memcmp(v->first[i], v->again[i], bytes) == 0)
			continue;
		struct rerun run = rerun_of(v, i);
		run.n_differ += run.n_unwritten;
		return differs(v, arg, &run, f);
	}
	return true;
}

/* --- a reference ------------------------------------------------------------------- */

bool
verify_write_outputs(struct verify *v, struct fault *f)
{
	struct buf b = {.a = v->a};

	bytes_step(v, "write");
	buf_addstr(&b, ref_header(v->a, "baseline", v->q->args, v->q->n_args));
	for (size_t i = 0; i < v->q->n_args; i++) {
		const struct arg *arg = &v->q->args[i];
		if (output_bytes(arg) == 0)
			continue;
		size_t bytes = (size_t)arg->count * 8;
		char *wide = arena_alloc(v->a, bytes);
		ref_widen(arg->type, v->first[i], arg->count, wide);
		buf_add(&b, wide, bytes);
	}
	return fs_try_write(v->q->outputs_path, buf_str(&b), NULL) ||
	       measure_fail(f, RESULT_TROUBLE,
		       str_fmt(v->a, "cannot write '%s'", v->q->outputs_path));
}
