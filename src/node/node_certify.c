/*
 * certify: the champion of one kernel and size once under each tool of compute-sanitizer,
 * as `lanewise executor --job` of the job that is written beside the output.  What each
 * said is recorded; a tool that is absent or did not finish says nothing.
 */
#include "backend/lease.h"
#include "base/arena.h"
#include "base/fs.h"
#include "base/proc.h"
#include "model/certificate.h"
#include "node/node.h"
#include "node/shortlisted.h"
#include "perf/ranking.h"
#include "worker/worker.h"

enum {
	KERNEL,
	SIZE,
	RANK,
	SHORTLIST,
	DEVICE,
	ADMIT,
	SEED,
	CHECKER,
	CHECKER_VERSION,
	TIMEOUT
};

static const struct node_word words[] = {
	[KERNEL] = {"kernel", NODE_PARAM, true, false},
	[SIZE] = {"size", NODE_PARAM, true, false},
	[RANK] = {"rank", NODE_INPUT, true, false},
	[SHORTLIST] = {"shortlist", NODE_INPUT, true, false},
	[DEVICE] = {"device", NODE_INPUT, true, false},
	[ADMIT] = {"admit", NODE_NOTE, false, false},
	[SEED] = {"seed", NODE_PARAM, true, false},
	[CHECKER] = {"checker", NODE_PARAM, false, false},
	[CHECKER_VERSION] = {"checker-version", NODE_PARAM, false, false},
	[TIMEOUT] = {"timeout", NODE_NOTE, true, false},
	{0},
};

static const char *const tools[] = {"memcheck", "racecheck", "initcheck", "synccheck"};
enum { N_TOOLS = sizeof tools / sizeof *tools, SAID_LINES = 12 };

/* A checker follows every access of every thread: it takes its time. */
static const double SLOWER = 200;

struct checked {
	struct node_call *call;
	const struct device *dev;
	const struct rank_entry *champion;
	const struct shortlist_member *member;
	const char *job;
	struct certificate out;
};

/* --- whom ----------------------------------------------------------------------------
 */

static const struct json *
parsed(struct node_call *c, size_t word, struct diag *d)
{
	const struct node_file *f = node_file(c, word);
	struct source *src = arena_new(c->a, struct source);
	*src = (struct source){f->path, f->bytes};
	return json_parse(c->a, src, d);
}

/* NULL without a champion. */
static const struct rank_entry *
champion_of(struct node_call *c, const struct ranking *r)
{
	for (size_t i = 0; i < r->n_sizes; i++)
		if (str_eq(r->sizes[i].name, node_word(c, SIZE)))
			return rank_champion(&r->sizes[i]);
	return NULL;
}

static const struct shortlist_member *
member_of(struct node_call *c, const struct shortlist *s, const struct rank_entry *e)
{
	struct str point = str_fmt(
		c->a, "%.*s@%.*s", STR_ARG(e->candidate), STR_ARG(node_word(c, SIZE)));
	for (size_t i = 0; i < s->n; i++)
		if (str_eq(s->v[i].point, point))
			return &s->v[i];
	return NULL;
}

static bool
find_champion(struct checked *k, struct diag *d)
{
	struct node_call *c = k->call;
	const struct ranking *r = ranking_read(c->a, parsed(c, RANK, d), d);
	const struct shortlist *s =
		r ? shortlist_read(c->a, parsed(c, SHORTLIST, d), d) : NULL;
	if (!s)
		return false;
	k->champion = champion_of(c, r);
	if (!k->champion)
		return true;
	k->member = member_of(c, s, k->champion);
	if (k->member)
		return true;
	diag_error(d, (struct place){0},
		"certify: the champion '%.*s' is not on the shortlist; run 'lanewise "
		"tune'",
		STR_ARG(k->champion->candidate));
	return false;
}

/* --- the job -------------------------------------------------------------------------
 */

static bool
write_job(struct checked *k, struct diag *d)
{
	struct node_call *c = k->call;
	struct bench_request common = {.timeout_ns = INT64_C(3600000000000)};
	struct job_member m;
	struct job j = {.kind = JOB_ONCE,
		.project = str_of(fs_cwd(c->a)),
		.kernel = node_word(c, KERNEL),
		.size = node_word(c, SIZE),
		.member = &m,
		.n = 1,
		.alone = true};
	if (!str_to_u64(node_word(c, SEED), &common.seed)) {
		diag_error(d, (struct place){0}, "certify: malformed '--seed'");
		return false;
	}
	if (!shortlisted_member(c->a, k->member, &common, &m, d))
		return false;
	/* Compared it was; here only what it touches is looked at. */
	m.request.reference_path = NULL;
	k->job = str_fmt(c->a, "%s.job", c->main_out).s;
	fs_write(k->job, str_fmt(c->a, "%.*s\n", STR_ARG(job_write(c->a, &j))), NULL);
	return true;
}

/* --- one tool ------------------------------------------------------------------------
 */

/* "========= ERROR SUMMARY: 2 errors", "========= RACECHECK SUMMARY: 1 hazard ..." */
static bool
summary(struct str line, int64_t *n)
{
	const struct str mark = STR_LIT("SUMMARY: ");
	line = str_sub(line, str_find_text(line, mark) + mark.n, line.n);
	return str_to_i64(str_sub(line, 0, str_find(line, ' ')), n);
}

/* Its findings: what it marks as its own, without banner and summary. */
static struct str
findings(struct arena *a, struct str text)
{
	static const char mark[] = "=========";
	struct buf b = {.a = a};
	struct str line;
	size_t n = 0;
	int64_t unused;
	while (n < SAID_LINES && str_line(&text, &line)) {
		struct str said;
		if (!str_starts(line, mark) || summary(line, &unused))
			continue;
		said = str_trim(str_sub(line, sizeof mark - 1, line.n));
		if (!said.n || str_starts(said, "COMPUTE-SANITIZER"))
			continue;
		buf_addf(&b, "%s%.*s", n++ ? "\n" : "", STR_ARG(said));
	}
	return buf_str(&b);
}

static struct str
last_line(struct str text)
{
	struct str line, last = {0};
	while (str_line(&text, &line))
		if (str_trim(line).n)
			last = str_trim(line);
	return last;
}

static void
judge(struct arena *a, const struct proc_result *p, struct check *out)
{
	struct str rest = p->out, line;
	while (str_line(&rest, &line))
		if (str_starts(line, "=========") && summary(line, &out->errors))
			break;
	out->said = findings(a, p->out);
	if (out->errors > 0) {
		out->status = CHECK_ERRORS;
	} else if (out->errors == 0 && p->started && !p->timed_out && p->status == 0) {
		out->status = CHECK_CLEAN;
	} else {
		struct str last = last_line(p->out);
		out->status = CHECK_FAILED;
		out->said = str_fmt(a, "%s%s%.*s", proc_explain(a, p), last.n ? ": " : "",
			STR_ARG(last));
	}
}

static void
check(struct checked *k, const char *tool, struct check *out)
{
	struct node_call *c = k->call;
	double timeout_s = 30;
	*out = (struct check){str_of(tool), CHECK_ABSENT, -1, {0}};
	if (!node_word(c, CHECKER).n)
		return;
	/* Memcheck also tells of calls of the driver that fail.  One of ours has to: how
	 * many parameters a kernel has is known when asking for one more fails. */
	const char *argv[12] = {str_c(c->a, node_word(c, CHECKER)), "--tool", tool};
	size_t n = 3;
	if (strcmp(tool, "memcheck") == 0) {
		argv[n++] = "--report-api-errors";
		argv[n++] = "no";
	}
	argv[n++] = proc_self(c->a);
	argv[n++] = "executor";
	argv[n++] = "--device";
	argv[n++] = node_file(c, DEVICE)->path;
	argv[n++] = "--job";
	argv[n++] = k->job;
	(void)str_to_f64(node_word(c, TIMEOUT), &timeout_s);
	struct proc_result p = proc_run(c->a, argv,
		(struct proc_opts){.merge = true,
			.timeout_ns = (int64_t)(timeout_s * SLOWER * 1e9)});
	judge(c->a, &p, out);
}

/* The device is the worker's while one is there; it is sent away, and comes again when
 * it is wanted. */
static bool
check_all(struct checked *k, struct diag *d)
{
	struct node_call *c = k->call;
	struct worker_seen *ended;
	struct str why = {0};
	int lease = -1;
	k->out.checks = arena_news(c->a, N_TOOLS, struct check);
	if (node_word(c, CHECKER).n) {
		worker_stop(c->a, str_c(c->a, k->dev->uuid), &ended, &why);
		lease = lease_take(c->a, k->dev->uuid, &why);
		if (lease < 0) {
			diag_error(d, (struct place){0}, "certify: %.*s", STR_ARG(why));
			return false;
		}
	}
	for (size_t i = 0; i < N_TOOLS; i++)
		check(k, tools[i], &k->out.checks[k->out.n++]);
	lease_drop(lease);
	return true;
}

/* --- the node ------------------------------------------------------------------------
 */

static void
tell(struct checked *k)
{
	struct node_call *c = k->call;
	struct buf b = {.a = c->a};
	for (size_t i = 0; i < k->out.n; i++) {
		const struct check *x = &k->out.checks[i];
		buf_addf(&b, "%s%.*s %s", i ? ", " : "", STR_ARG(x->tool),
			check_status_name(x->status));
		c->no_cache |= x->status >= CHECK_FAILED;
		if (x->status == CHECK_ERRORS)
			c->status = STR_LIT("errors");
	}
	c->detail = buf_str(&b);
}

static bool
compute(struct node_call *c, struct diag *d)
{
	struct checked k = {.call = c};
	k.dev = device_read(c->a, node_file(c, DEVICE)->path, d);
	if (!k.dev || !find_champion(&k, d))
		return false;
	k.out = (struct certificate){.kernel = node_word(c, KERNEL),
		.size = node_word(c, SIZE),
		.kind = k.dev->script.n ? RESULT_SIMULATED : RESULT_MEASURED,
		.checker = node_word(c, CHECKER_VERSION),
		.device = k.dev->name,
		.device_uuid = k.dev->uuid,
		.driver = k.dev->driver};
	if (k.champion) {
		k.out.candidate = k.champion->candidate;
		k.out.artifact = k.member->artifact_hash;
		k.out.launch = k.champion->launch;
		if (!shortlisted_may_run(c->a, k.member, admit_of(node_word(c, ADMIT))))
			die("certify: '%.*s': refused by the gate: not run",
				STR_ARG(k.champion->candidate));
		if (!write_job(&k, d) || !check_all(&k, d))
			return false;
		fs_remove(k.job);
	}
	buf_addstr(&c->out, certificate_write(c->a, &k.out));
	tell(&k);
	return true;
}

static bool
recalled(struct node_call *c)
{
	struct diag d = {.quiet = true};
	struct source src = {c->main_out, str_dup(c->a, buf_str(&c->out))};
	return certificate_read(c->a, json_parse(c->a, &src, &d), &d) != NULL;
}

const struct node node_certify = {
	.name = "certify",
	.about = "run a champion under the tools of compute-sanitizer",
	.revision = 2,
	.words = words,
	.measured = true,
	.compute = compute,
	.recalled = recalled,
};
