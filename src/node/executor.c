#include "node/executor.h"

#include "backend/lease.h"
#include "base/arena.h"
#include "base/fs.h"
#include "base/proc.h"
#include "model/verdict.h"

#include <errno.h>
#include <math.h>
#include <unistd.h>

const struct node_word executor_words[] = {
	[RUN_KERNEL] = {"kernel", NODE_PARAM, true, false},
	[RUN_POINT] = {"point", NODE_PARAM, true, false},
	[RUN_ARTIFACT] = {"artifact", NODE_INPUT, false, false},
	[RUN_FACTS] = {"facts", NODE_INPUT, false, false},
	[RUN_VERDICT] = {"verdict", NODE_GUARD, false, false},
	[RUN_ENTRY] = {"entry", NODE_PARAM, false, false},
	[RUN_ADMIT] = {"admit", NODE_NOTE, false, false},
	[RUN_LAUNCH] = {"launch", NODE_PARAM, true, false},
	[RUN_ARGS] = {"args", NODE_PARAM, true, false},
	[RUN_SEED] = {"seed", NODE_PARAM, true, false},
	[RUN_REFERENCE] = {"reference", NODE_INPUT, false, false},
	[RUN_REFERENCE_BY] = {"reference-by", NODE_PARAM, false, false},
	[RUN_ABS] = {"abs", NODE_PARAM, false, false},
	[RUN_REL] = {"rel", NODE_PARAM, false, false},
	[RUN_ULP] = {"ulp", NODE_PARAM, false, false},
	[RUN_NONDETERMINISTIC] = {"nondeterministic", NODE_FLAG, false, false},
	[RUN_TIMEOUT] = {"timeout", NODE_NOTE, true, false},
	[RUN_DEVICE] = {"device", NODE_INPUT, true, false},
	[RUN_GPU] = {"gpu", NODE_NOTE, false, false},
	[RUN_UNSAFE] = {"unsafe", NODE_PARAM, false, false},
	[RUN_EPOCH] = {"epoch", NODE_PARAM, false, false}, /* only to be in the key */
	[RUN_EXECUTE] = {"execute", NODE_NOTE, false, false},
	{0},
};

static const int64_t SECOND_NS = INT64_C(1000000000);

/* Starting the driver, compiling PTX and moving data come on top of the user's deadline.
 */
static const int64_t LOAD_NS = 60 * INT64_C(1000000000);
static const double LOAD_BYTES_PER_NS = 0.1;

/* --execute FILE: a reference may be large, and only the child's comparison wants its
 * bytes, so it is not an input there. */
#define NO_REFERENCE "none"

/* --- the guard ---------------------------------------------------------------------- */

/* With a reason, all that could be judged runs: a process of its own is at stake. */
static bool
may_run(const struct node_call *c, const struct verdict *v)
{
	if (node_word(c, RUN_UNSAFE).n)
		return v->kind != VERDICT_ERROR;
	return verdict_admitted(v, admit_of(node_word(c, RUN_ADMIT)));
}

/* The verdict is about one launch shape: another one is another question. */
static bool
same_launch(struct node_call *c, const struct verdict *v)
{
	struct launch l;
	return launch_parse(node_word(c, RUN_LAUNCH), &l) &&
	       str_eq(launch_text(c->a, &l), launch_text(c->a, &v->launch));
}

struct str
executor_refusal(struct node_call *c)
{
	struct diag d = {0};
	const struct node_file *f = node_file(c, RUN_VERDICT);
	if (!f || !f->present)
		return STR_LIT("the gate has not judged it: not run");
	const struct verdict_file *file = verdict_file_read(c->a, f->path, &d);
	const struct verdict *v =
		file ? verdict_file_find(file, node_word(c, RUN_POINT)) : NULL;
	if (!v)
		return STR_LIT("the gate has no verdict for it: not run");
	if (!same_launch(c, v))
		return STR_LIT("the gate judged another launch shape: not run");
	if (!may_run(c, v))
		return STR_LIT("refused by the gate: not run");
	return (struct str){0};
}

/* --- the request -------------------------------------------------------------------- */

static bool
malformed(struct node_call *c, struct diag *d, enum executor_word w)
{
	diag_error(d, (struct place){0}, "%s: malformed '--%s %.*s'", c->node->name,
		executor_words[w].name, STR_ARG(node_word(c, w)));
	return false;
}

/* A number that is not negative; 0 when the word is absent. */
static bool
real_word(struct node_call *c, enum executor_word w, double *out, struct diag *d)
{
	*out = 0;
	if (!c->n[w])
		return true;
	return (str_to_f64(node_word(c, w), out) && *out >= 0) || malformed(c, d, w);
}

static bool
numbers(struct node_call *c, struct bench_request *q, struct diag *d)
{
	double timeout_s;
	if (!str_to_u64(node_word(c, RUN_SEED), &q->seed))
		return malformed(c, d, RUN_SEED);
	if (!real_word(c, RUN_TIMEOUT, &timeout_s, d) ||
		!real_word(c, RUN_ABS, &q->abs, d) || !real_word(c, RUN_REL, &q->rel, d))
		return false;
	if (timeout_s <= 0 || timeout_s > 1e6)
		return malformed(c, d, RUN_TIMEOUT);
	q->timeout_ns = (int64_t)(timeout_s * (double)SECOND_NS);
	q->ulp = 0;
	return !c->n[RUN_ULP] || str_to_i64(node_word(c, RUN_ULP), &q->ulp) ||
	       malformed(c, d, RUN_ULP);
}

static bool
arguments(struct node_call *c, struct bench_request *q, struct diag *d)
{
	struct str why;
	struct arg *args;
	if (!args_parse(c->a, node_word(c, RUN_ARGS), &args, &q->n_args, &why)) {
		diag_error(d, (struct place){0}, "%s: %.*s", c->node->name, STR_ARG(why));
		return false;
	}
	q->args = args;
	return launch_parse(node_word(c, RUN_LAUNCH), &q->launch) ||
	       malformed(c, d, RUN_LAUNCH);
}

/* As the machine code spells it: the facts and the verdict know the mangled name. */
static struct str
entry_of(struct node_call *c, const struct facts *f)
{
	struct diag d = {0};
	const struct node_file *file = node_file(c, RUN_VERDICT);
	const struct verdict_file *v =
		file && file->present ? verdict_file_read(c->a, file->path, &d) : NULL;
	if (f && f->entry.n)
		return f->entry;
	return v && v->entry.n ? v->entry : node_word(c, RUN_ENTRY);
}

bool
executor_request(struct node_call *c, struct bench_request *q, struct diag *d)
{
	const struct node_file *artifact = node_file(c, RUN_ARTIFACT);
	const struct node_file *facts = node_file(c, RUN_FACTS);
	const struct node_file *reference = node_file(c, RUN_REFERENCE);
	const struct facts *f = NULL;
	*q = (struct bench_request){0};
	if (facts && facts->present) {
		f = facts_read(c->a, facts->path, d);
		if (!f)
			return false;
	}
	if (artifact && artifact->present) {
		q->artifact = artifact->bytes;
		q->artifact_path = artifact->path;
	}
	if (reference && reference->present)
		q->reference_path = reference->path;
	if (c->n[RUN_EXECUTE] && !str_is(node_word(c, RUN_EXECUTE), NO_REFERENCE))
		q->reference_path = str_c(c->a, node_word(c, RUN_EXECUTE));
	q->reference_by = node_word(c, RUN_REFERENCE_BY);
	q->nondeterministic = node_flag(c, RUN_NONDETERMINISTIC);
	q->entry = entry_of(c, f);
	return numbers(c, q, d) && arguments(c, q, d);
}

const char *
executor_outputs_path(struct node_call *c)
{
	return str_fmt(c->a, "%s.outputs", c->main_out).s;
}

/* --- the child ---------------------------------------------------------------------- */

/* What a kernel prints goes to standard output: the result needs a pipe of its own. */
static int
take_stdout(void)
{
	int fd = dup(1);
	if (fd < 0 || dup2(2, 1) < 0)
		die("cannot set up the streams: %s", strerror(errno));
	return fd;
}

void
executor_child(struct node_call *c, struct bench_request *q)
{
	struct diag d = {0};
	struct result r = result_none();
	int fd = take_stdout();
	struct device *dev = device_read(c->a, node_file(c, RUN_DEVICE)->path, &d);
	if (!dev)
		_exit(EXIT_TROUBLE);
	if (!dev->uuid.n)
		dev->uuid = node_word(c, RUN_GPU);
	backend_cuda.run(c->a, dev, q, &r);
	/* Outputs are the answer; without a time there is no result that is ok. */
	if (q->outputs_only && r.status == RESULT_OK)
		_exit(EXIT_YES);
	struct str text = result_write(c->a, &r);
	while (text.n) {
		ssize_t n = write(fd, text.s, text.n);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			_exit(EXIT_TROUBLE);
		text = str_sub(text, (size_t)n, text.n);
	}
	/* No destructors: after a fault or a hang the driver's would wait for ever. */
	_exit(EXIT_YES);
}

/* --- the parent --------------------------------------------------------------------- */

static size_t
argv_room(const struct node_call *c)
{
	size_t n = 8; /* self, node, NAME, --execute, REF, -o, OUT, NULL */
	for (size_t i = 0; executor_words[i].name; i++)
		n += 2 * c->n[i];
	return n;
}

static size_t
argv_word(struct node_call *c, size_t i, size_t j, const char **v)
{
	enum node_word_kind kind = executor_words[i].kind;
	v[0] = str_fmt(c->a, "--%s", executor_words[i].name).s;
	if (kind == NODE_FLAG)
		return 1;
	v[1] = kind == NODE_INPUT || kind == NODE_GUARD ? c->file[i][j].path
							: str_c(c->a, c->word[i][j]);
	return 2;
}

/* Our own command line again: what was read as @FILE comes out word by word. */
static const char *const *
child_argv(struct node_call *c, const struct bench_request *q)
{
	const char **v = arena_news(c->a, argv_room(c), const char *);
	size_t n = 0;
	v[n++] = proc_self(c->a);
	v[n++] = "node";
	v[n++] = c->node->name;
	for (size_t i = 0; executor_words[i].name; i++) {
		for (size_t j = 0; i != RUN_REFERENCE && j < c->n[i]; j++)
			n += argv_word(c, i, j, v + n);
	}
	v[n++] = "--execute";
	v[n++] = q->reference_path ? q->reference_path : NO_REFERENCE;
	v[n++] = "-o";
	v[n++] = c->main_out;
	return v;
}

void
executor_name(const struct node_call *c, struct result *r)
{
	struct str point = node_word(c, RUN_POINT);
	size_t at = point.n;
	while (at > 0 && point.s[at - 1] != '@')
		at--;
	r->kernel = node_word(c, RUN_KERNEL);
	r->candidate = at ? str_sub(point, 0, at - 1) : point;
	r->size = at ? str_sub(point, at, point.n) : (struct str){0};
	r->unsafe = node_word(c, RUN_UNSAFE).n > 0;
}

static int64_t
deadline_ns(const struct bench_request *q)
{
	double bytes = (double)q->artifact.n;
	for (size_t i = 0; i < q->n_args; i++) {
		if (q->args[i].pointer)
			bytes += (double)q->args[i].count *
				 (double)dtype_bytes(q->args[i].type);
	}
	return q->timeout_ns + LOAD_NS + (int64_t)fmin(bytes / LOAD_BYTES_PER_NS, 1e15);
}

/* The child's own words, if it got as far as that. */
static bool
child_result(struct node_call *c, const struct proc_result *p, struct result *r)
{
	FILE *nowhere = fopen("/dev/null", "we");
	struct diag d = {.to = nowhere};
	struct source *src = arena_new(c->a, struct source);
	*src = (struct source){"result", p->out};
	const struct json *v = nowhere && p->out.n ? json_parse(c->a, src, &d) : NULL;
	bool ok = v && result_get(c->a, v, r, &d);
	if (nowhere)
		fclose(nowhere);
	return ok;
}

/* It died without a word: the exit tells what it can. */
static void
judge_death(struct node_call *c, const struct proc_result *p, struct result *r)
{
	struct str rest = p->err, last = {0}, line;
	const char *how = proc_explain(c->a, p);
	while (p->started && str_line(&rest, &line)) {
		if (str_trim(line).n)
			last = str_trim(line);
	}
	*r = result_none();
	r->status = RESULT_TROUBLE;
	if (p->timed_out)
		r->status = RESULT_HUNG;
	else if (p->signal)
		r->status = RESULT_CRASHED;
	r->reason = str_fmt(c->a, "the measuring process: %s%s%.*s", how,
		last.n ? ": " : "", STR_ARG(last));
}

static void
spawn(struct node_call *c, const struct bench_request *q, struct result *r)
{
	struct proc_opts o = {.timeout_ns = deadline_ns(q)};
	struct proc_result p = proc_run(c->a, child_argv(c, q), o);
	*r = result_none();
	bool quiet = q->outputs_only && p.started && !p.timed_out &&
		     p.status == EXIT_YES && p.out.n == 0;
	if (!quiet && !child_result(c, &p, r))
		judge_death(c, &p, r);
	if (p.unreaped) {
		r->status = RESULT_TROUBLE;
		r->reason =
			STR_LIT("the measuring process was killed and does not go: the "
				"GPU's driver is stuck, and so is this device");
	}
}

static struct str
pending_text(struct node_call *c)
{
	struct result r = result_none();
	executor_name(c, &r);
	r.status = RESULT_PENDING;
	r.reason = STR_LIT("started, and not finished");
	return result_write(c->a, &r);
}

static bool
is_transient(enum result_status s)
{
	return s == RESULT_HUNG || s == RESULT_TROUBLE || s == RESULT_OOM ||
	       s == RESULT_PENDING;
}

static int
take_lease(struct node_call *c, struct diag *d)
{
	struct str why;
	const struct device *dev = device_read(c->a, node_file(c, RUN_DEVICE)->path, d);
	if (!dev)
		return -1;
	int fd = lease_take(c->a, dev->uuid.n ? dev->uuid : node_word(c, RUN_GPU), &why);
	if (fd < 0)
		diag_error(d, (struct place){0}, "%s: %.*s", c->node->name, STR_ARG(why));
	return fd;
}

bool
executor_run(struct node_call *c, const struct bench_request *q, struct result *r,
	struct diag *d)
{
	int lease = take_lease(c, d);
	if (lease < 0)
		return false;
	const char *pending = str_fmt(c->a, "%s.pending", c->main_out).s;
	bool lost = fs_exists(pending);
	fs_write(pending, pending_text(c), NULL);
	spawn(c, q, r);
	fs_remove(pending);
	lease_drop(lease);
	executor_name(c, r);
	c->no_cache = is_transient(r->status);
	c->status = str_of(result_status_name(r->status));
	c->detail = str_fmt(c->a, "%s%.*s", lost ? "an earlier run was lost; " : "",
		STR_ARG(r->reason));
	return true;
}
