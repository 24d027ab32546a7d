/*
 * bench: one point on the device.  What is refused is not run, whoever asks; what fails
 * to compile needs no device to say so.
 */
#include "base/arena.h"
#include "base/buf.h"
#include "node/measuring.h"
#include "worker/worker.h"

static struct str
subject(struct node_call *c)
{
	return str_fmt(c->a, "%.*s/%.*s", STR_ARG(node_word(c, RUN_KERNEL)),
		STR_ARG(node_word(c, RUN_POINT)));
}

static void
check_guard(struct node_call *c)
{
	struct str why = measuring_refusal(c);
	if (why.n)
		die("'%.*s': %.*s", STR_ARG(subject(c)), STR_ARG(why));
}

/* True when the facts say that there is nothing to run. */
static bool
compile_failed(struct node_call *c, struct result *r, struct diag *d)
{
	const struct node_file *file = node_file(c, RUN_FACTS);
	const struct facts *f =
		file && file->present ? facts_read(c->a, file->path, d) : NULL;
	if (!f || !str_is(f->status, "failed"))
		return false;
	r->status = RESULT_COMPILE_FAILED;
	r->reason = f->reason;
	return true;
}

static void
put(struct node_call *c, const struct result *r)
{
	c->out.n = 0;
	buf_addstr(&c->out, result_write(c->a, r));
	/* A refused candidate is never the best so far. */
	c->told_ns = r->status == RESULT_OK && !r->unsafe ? r->median_ns : 0;
}

static bool
compute(struct node_call *c, struct diag *d)
{
	struct job j;
	struct result r = result_none();
	check_guard(c);
	if (!measuring_job(c, &j, d))
		return false;
	measuring_name(c, &r);
	if (compile_failed(c, &r, d)) {
		c->status = STR_LIT("compile-failed");
		c->detail = r.reason;
	} else if (d->errors || !measuring_run(c, &j, &r, d)) {
		return false;
	}
	put(c, &r);
	return true;
}

/* A measurement that was not made now says so, and the gate has the last word here too.
 */
static bool
recalled(struct node_call *c)
{
	struct diag d = {.quiet = true};
	struct source src = {c->main_out, str_dup(c->a, buf_str(&c->out))};
	struct result r;
	check_guard(c);
	const struct json *v = json_parse(c->a, &src, &d);
	if (!v || !result_get(c->a, v, &r, &d))
		return false;
	if (r.kind == RESULT_MEASURED)
		r.kind = RESULT_CACHED;
	put(c, &r);
	return true;
}

const struct node node_bench = {
	.name = "bench",
	.about = "run one point on a device: verify its outputs, then time it",
	/* Of what it measured; singles were added since, and a result without them
	 * stands.
	 */
	.revision = 2,
	.words = measuring_words,
	.measured = true,
	.compute = compute,
	.recalled = recalled,
	.written = worker_taken,
};
