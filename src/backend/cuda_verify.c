#include "backend/cuda_run.h"

#include "backend/compare.h"

#include <math.h>

/* Two bytes that differ in every bit that matters: NaN and -1, and a plain number. */
enum { POISON_1 = 0xff, POISON_2 = 0x5a };

static bool
run_once(struct cuda *c, unsigned char poison)
{
	return cuda_buffers_refill_inout(c) && cuda_buffers_poison(c, poison) &&
	       cuda_launch(c) && cuda_wait(c) && cuda_canaries_check(c);
}

static const unsigned char *
bytes_of(const struct cuda_buffer *b, bool again)
{
	return again ? b->again : b->first;
}

/* Adds to the totals, which run over all outputs and comparisons. */
static void
add_up(struct result *r, const struct comparison *one)
{
	r->n_wrong += (int64_t)one->n_wrong;
	r->max_abs_error = fmax(r->max_abs_error, one->max_abs);
	r->max_rel_error = fmax(r->max_rel_error, one->max_rel);
}

static bool
compare_all(struct cuda *c, const struct ref *ref, bool again, const char *when)
{
	struct tolerance tol = {c->q->abs, c->q->rel, c->q->ulp};
	struct str reason = {0};
	size_t k = 0;
	if (!ref)
		return true;
	c->r->n_wrong = 0;
	for (size_t i = 0; i < c->q->n_args; i++) {
		if (!c->q->args[i].output)
			continue;
		const struct ref_output *want = &ref->v[k++];
		struct comparison one =
			compare_output(bytes_of(&c->buffer[i], again), want, tol);
		add_up(c->r, &one);
		if (one.n_wrong && !reason.n)
			reason = comparison_text(c->a, &one, want);
	}
	if (!reason.n)
		return true;
	return cuda_stop(c, RESULT_WRONG,
		str_fmt(c->a, "%s%.*s (largest error %.6g)", when, STR_ARG(reason),
			c->r->max_abs_error));
}

static bool
unwritten(struct cuda *c, const struct arg *v, const struct rerun *run)
{
	return cuda_stop(c, RESULT_WRONG,
		str_fmt(c->a,
			"'%.*s': %llu of %llu elements were never written; the first is "
			"[%llu] (if the "
			"kernel is to leave them, declare the argument as input and "
			"output)",
			STR_ARG(v->name), (unsigned long long)run->n_unwritten,
			(unsigned long long)v->count,
			(unsigned long long)run->first_unwritten));
}

static bool
unstable(struct cuda *c, const struct arg *v, const struct rerun *run)
{
	return cuda_stop(c, RESULT_WRONG,
		str_fmt(c->a,
			"'%.*s': two runs on the same inputs differ in %llu of %llu "
			"elements, the "
			"first is [%llu]: a race, or it reads what was in the output "
			"before (if that "
			"is meant, say \"nondeterministic\": true in the spec)",
			STR_ARG(v->name), (unsigned long long)run->n_differ,
			(unsigned long long)v->count,
			(unsigned long long)run->first_differ));
}

static bool
compare_reruns(struct cuda *c)
{
	for (size_t i = 0; i < c->q->n_args; i++) {
		const struct arg *v = &c->q->args[i];
		const struct cuda_buffer *b = &c->buffer[i];
		if (!v->output)
			continue;
		struct rerun run = compare_runs(b->first, b->again, v->count,
			dtype_bytes(v->type), POISON_1, POISON_2);
		/* What goes in is no poison: an inout element may well stay as it was. */
		if (v->input)
			run.n_differ += run.n_unwritten, run.n_unwritten = 0;
		if (run.n_unwritten)
			return unwritten(c, v, &run);
		if (run.n_differ && !c->q->nondeterministic)
			return unstable(c, v, &run);
	}
	return true;
}

/* Unwritten elements are looked for first: "never written" explains more than "differs".
 */
bool
cuda_verify(struct cuda *c, const struct ref *ref)
{
	c->r->max_abs_error = ref ? 0 : (double)NAN;
	c->r->max_rel_error = ref ? 0 : (double)NAN;
	if (!run_once(c, POISON_1) || !cuda_outputs_fetch(c, false))
		return false;
	if (!run_once(c, POISON_2) || !cuda_outputs_fetch(c, true))
		return false;
	struct result before = *c->r;
	if (!compare_all(c, ref, false, "")) {
		struct result differs = *c->r;
		*c->r = before;
		if (!compare_reruns(c))
			return false;
		*c->r = differs;
		return false;
	}
	return compare_reruns(c) &&
	       (!c->q->nondeterministic || compare_all(c, ref, true, ""));
}

/* Launches of the timing left their last output; inout ones hold no known state. */
static bool
has_inout(const struct cuda *c)
{
	for (size_t i = 0; i < c->q->n_args; i++) {
		if (c->q->args[i].input && c->q->args[i].output)
			return true;
	}
	return false;
}

static bool
same_as_first(struct cuda *c)
{
	for (size_t i = 0; i < c->q->n_args; i++) {
		const struct arg *v = &c->q->args[i];
		const struct cuda_buffer *b = &c->buffer[i];
		if (!v->output || memcmp(b->first, b->again, (size_t)b->bytes) == 0)
			continue;
		struct rerun run = compare_runs(b->first, b->again, v->count,
			dtype_bytes(v->type), POISON_1, POISON_2);
		run.n_differ += run.n_unwritten;
		return unstable(c, v, &run);
	}
	return true;
}

bool
cuda_verify_again(struct cuda *c, const struct ref *ref)
{
	if (has_inout(c) && !run_once(c, POISON_1))
		return false;
	if (!cuda_canaries_check(c) || !cuda_outputs_fetch(c, true))
		return false;
	if (!c->q->nondeterministic)
		return same_as_first(c);
	return compare_all(c, ref, true, "after the timing: ");
}
