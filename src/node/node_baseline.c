/*
 * baseline: the outputs of the baseline candidate, as the reference of all others.
 *
 * It runs on the device like any point.  If it may not run, or fails, the reference says
 * so, and no candidate passes for verified.
 */
#include "backend/ref.h"
#include "base/arena.h"
#include "base/fs.h"
#include "node/measuring.h"
#include "worker/worker.h"

static bool
fail(struct node_call *c, struct str reason)
{
	buf_addstr(&c->out, ref_failure(c->a, "baseline", reason));
	c->status = STR_LIT("failed");
	c->detail = reason;
	c->no_cache = true;
	return true;
}

static struct str
facts_refusal(struct node_call *c, struct diag *d)
{
	const struct node_file *file = node_file(c, RUN_FACTS);
	const struct node_file *artifact = node_file(c, RUN_ARTIFACT);
	if (!file || !file->present || !artifact || !artifact->present)
		return STR_LIT("the baseline was not compiled");
	const struct facts *f = facts_read(c->a, file->path, d);
	if (f && str_is(f->status, "failed"))
		return str_fmt(
			c->a, "the baseline did not compile: %.*s", STR_ARG(f->reason));
	return (struct str){0};
}

/* The worker's file stays until the reference is in place: the worker keeps its answer so
 * long, too, and gives it to whoever asks after us, without running anything. */
static const char *left_by_worker;

static void
written(void)
{
	worker_taken();
	if (left_by_worker)
		fs_remove(left_by_worker);
}

static bool
run(struct node_call *c, const struct job *j, struct diag *d)
{
	struct result r = result_none();
	struct str outputs;
	const char *path = j->member->request.outputs_path;
	if (!measuring_run(c, j, &r, d))
		return false;
	left_by_worker = path;
	if (r.status == RESULT_OK && !fs_try_read(c->a, path, &outputs)) {
		worker_taken();
		diag_error(d, (struct place){0},
			"baseline: its outputs are gone from '%s'; run it again", path);
		return false;
	}
	if (r.status != RESULT_OK)
		return fail(c, str_fmt(c->a, "the baseline: %s: %.*s",
				       result_status_name(r.status), STR_ARG(r.reason)));
	buf_addstr(&c->out, outputs);
	return true;
}

static bool
compute(struct node_call *c, struct diag *d)
{
	struct job j;
	struct str why = measuring_refusal(c);
	if (why.n)
		return fail(
			c, str_fmt(c->a,
				   "the baseline: %.*s; choose one that is safe at this "
				   "size, or verify with an oracle",
				   STR_ARG(why)));
	if (!measuring_job(c, &j, d))
		return false;
	j.kind = JOB_OUTPUTS;
	j.member->request.outputs_only = true;
	j.member->request.outputs_path =
		fs_join(c->a, fs_cwd(c->a), str_fmt(c->a, "%s.outputs", c->main_out).s);
	why = facts_refusal(c, d);
	if (d->errors)
		return false;
	return why.n ? fail(c, why) : run(c, &j, d);
}

const struct node node_baseline = {
	.name = "baseline",
	.about = "run the baseline on a device and keep its outputs as the reference",
	.revision = 2,
	.words = measuring_words,
	.measured = true,
	.compute = compute,
	.written = written,
};
