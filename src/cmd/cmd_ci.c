/*
 * ci: gate, check and report in one call, for machines without a GPU.
 *
 * Everything it prints about candidates comes from the finished run, as for `report`;
 * what it adds is the check of the applied choices and an exit status that a job can be
 * built on.
 */
#include "base/arena.h"
#include "base/die.h"
#include "base/fs.h"
#include "base/shown.h"
#include "cmd/applied_check.h"
#include "cmd/cache_remote.h"
#include "cmd/cmd.h"
#include "cmd/graph_args.h"
#include "cmd/node_table.h"
#include "cmd/publishing.h"
#include "graph/restore.h"
#include "graph/rounds.h"
#include "node/sums.h"
#include "report/escape.h"
#include "report/misfit.h"
#include "report/report.h"

#include <limits.h>
#include <stdlib.h>

enum { JOBS_MAX = 4096 };

static const char HOME[] = ".lanewise";

static const char *fail_on, *format_name = "text", *root;
static struct opt_list writes;
static long jobs = LONG_MIN; /* not given */

static const struct opt opts[] = {
	{"fail-on", 0, OPT_STR, &fail_on, "LIST",
		"exit 1 for any of refused, caveat, stale, error, failed; or none; "
		"default: stale,error"},
	{"format", 'f', OPT_STR, &format_name, FORMAT_NAMES, "default: text"},
	{"write", 'w', OPT_LIST, &writes, "FORMAT=FILE",
		"also write it to a file (may repeat)"},
	{"root", 0, OPT_STR, &root, "DIR",
		"tell files relative to it; default: where .git is, here or above"},
	{"jobs", 'j', OPT_INT, &jobs, "N",
		"processes at once; default: the cores less one"},
	GRAPH_OPTS,
	{0},
};

static const struct opt_usage usage = {
	.synopsis = "lanewise ci [SPEC] [--fail-on LIST] [--format NAME] [--write "
		    "FORMAT=FILE]...\n"
		    "       [--root DIR] [--jobs N] [--backend NAME] [--device "
		    "NAME|FILE]",
	.about = "Judges every candidate of a spec (default: lanewise.json), says if the "
		 "applied\n"
		 "choices are still current, and reports, in one call.  Measures nothing "
		 "unless a\n"
		 "device is named or all kernels are in C; times are estimates then, or "
		 "with\n"
		 "--replay those that the cache has of earlier measurements.\n"
		 "\n"
		 "  refused  the gate refuses a point        caveat  it cannot decide "
		 "one\n"
		 "  error    a point is not lowered or not judged\n"
		 "  failed   one that is admitted does not compile or does not work\n"
		 "  stale    an applied choice is not what would be chosen now",
	.after = "Format github prints workflow commands, and adds a summary to the file "
		 "that\n"
		 "GITHUB_STEP_SUMMARY names.\n"
		 "\n"
		 "Exit status: 0 nothing of --fail-on; 1 something of it; 2 trouble (bad "
		 "input, a\n"
		 "tool failed); 3 no candidate is admissible at some size, whatever "
		 "--fail-on says.",
};

struct target {
	enum format format;
	const char *path;
};

/* Relative files are the caller's, and the graph changes into the spec's folder. */
static struct target *
targets_of(struct arena *a)
{
	struct target *v = arena_news(a, writes.n + 1, struct target);

	for (size_t i = 0; i < writes.n; i++) {
		struct str file = str_of(writes.v[i]), name;

		if (!str_split(&file, '=', &name) || !file.n ||
			!format_find(name, &v[i].format))
			opt_fail(&usage,
				"'--write %s' is not FORMAT=FILE, with one "
				"of " FORMAT_NAMES,
				writes.v[i]);
		v[i].path = fs_join(a, fs_cwd(a), str_c(a, file));
		/* Now, not at the end of the run. */
		fs_need_place(v[i].path);
		if (!publish_may_replace(a, v[i].path))
			die("'--write %s': that file is there and no report of lanewise; "
			    "remove it, or name another one",
				writes.v[i]);
	}
	return v;
}

/* What Ninja and failed nodes said; for GitHub as one command, so that no line of it can
 * be one. */
static void
say(struct arena *a, enum format f, struct str said)
{
	struct buf b = {.a = a};

	if (f != FORMAT_GITHUB) {
		shown_print_lines(stderr, said);
		return;
	}
	if (!str_trim(said).n)
		return;
	workflow_message(&b, str_trim(said));
	printf("::error title=lanewise::%s\n", buf_c(&b));
}

static bool
judge(struct arena *a, const struct graph *g, enum format f)
{
	static const char *const wanted[] = {"gate", "report", NULL};

	sums_check(a, SUMS_FILE);
	restore_graph(a, g->file, "report", node_table);
	struct run_result r = run_ninja(
		a, &(struct run_opts){.file = g->file, .targets = wanted, .jobs = jobs});
	cache_remote_push_made(a);
	say(a, f, r.said);
	if (!r.ok)
		warn("the run did not finish: a tool failed");
	return r.ok;
}

/* False after a diag_error. */
static bool
check(struct arena *a, struct str kernel, struct applied *x, struct diag *d)
{
	const char *file = str_fmt(a, "%s/%.*s/points.json", HOME, STR_ARG(kernel)).s;
	struct pointlist *p = pointlist_load(a, file, d);
	struct buf lines = {.a = a};

	if (!p)
		return false;
	*x = (struct applied){APPLIED_NONE, applied_path(a, p, NULL), {0}};
	if (!fs_exists(x->path))
		return true;
	int status =
		applied_check(a, HOME, p, x->path, applied_header(a, p, NULL), &lines, d);
	x->state = status == EXIT_NO ? APPLIED_STALE : APPLIED_CURRENT;
	x->text = buf_str(&lines);
	return status != EXIT_TROUBLE;
}

/* ---- the end of the text ---- */

static void
verdict_text(struct buf *b, const struct publication *p)
{
	static const char *const says[] = {[APPLIED_CURRENT] = "is current",
		[APPLIED_STALE] = "is STALE",
		[APPLIED_NONE] = "is not there: nothing was applied yet"};
	size_t n[N_ISSUE_KINDS];

	buf_adds(b, "\n");
	for (size_t k = 0; k < p->report->n_kernels; k++)
		buf_addf(b, "check: %s %s\n%.*s", p->applied[k].path,
			says[p->applied[k].state], STR_ARG(p->applied[k].text));
	issue_counts(p, n);
	buf_adds(b, "ci:");
	for (int k = 0; k < N_ISSUE_KINDS; k++)
		buf_addf(b, " %zu %s%s", n[k], issue_kind_name((enum issue_kind)k),
			!n[k]               ? ""
			: p->fails >> k & 1 ? " (FAILS)"
					    : "");
	buf_adds(b, "\n");
}

static struct str
text_of(struct arena *a, enum format f, const struct publication *p)
{
	struct buf b = {.a = a};

	buf_addstr(&b, publish(a, f, p, REPORT_TOP));
	if (f == FORMAT_TEXT)
		verdict_text(&b, p);
	return buf_str(&b);
}

static int
finish(struct arena *a, const struct publication *p, enum format f,
	const struct target *to)
{
	struct str text = text_of(a, f, p);

	for (size_t i = 0; i < writes.n; i++)
		fs_put(to[i].path, text_of(a, to[i].format, p));
	fwrite(text.s, 1, text.n, stdout);
	if (f == FORMAT_GITHUB)
		publish_summary(a, p);
	if (p->report->exit_status == EXIT_UNSURE ||
		p->report->exit_status == EXIT_TROUBLE)
		return p->report->exit_status;
	return issues_fail(p) ? EXIT_NO : EXIT_YES;
}

/* Which candidates there are to judge: with a budget, those that a search asks for. */
static bool
search(struct arena *a, struct graph *g, enum format f, struct diag *d)
{
	struct run_opts o = {.file = g->file, .jobs = jobs};
	struct str said = {0};
	bool ok;

	ok = rounds_run(g, (struct str){0}, &o, a, &said, d);
	if (!ok)
		say(a, f, said);
	return ok;
}

static int
run(struct arena *a, int argc, char **argv)
{
	struct diag d = {0};
	struct publication p = {.fails = ISSUES_FAIL};
	enum format f;
	struct str why;
	size_t n = 0;

	graph_args(a, &usage, opts, argc, argv);
	if (jobs != LONG_MIN && (jobs < 1 || jobs > JOBS_MAX))
		opt_fail(&usage, "'--jobs' wants 1 to %d", JOBS_MAX);
	if (!format_find(str_of(format_name), &f))
		opt_fail(&usage, "unknown format '%s'; formats are " FORMAT_NAMES,
			format_name);
	if (fail_on && !issue_kinds(str_of(fail_on), &p.fails, &why))
		opt_fail(&usage,
			"'--fail-on': '%.*s' is none of error, stale, failed, refused, "
			"caveat; or it is 'none' alone",
			STR_ARG(why));
	const struct target *to = targets_of(a);
	p.root = root ? publish_root(a, root) : NULL;
	graph_opts.estimates = true;
	cache_remote_begin(a);
	struct graph *g = graph_open(a, &graph_opts, true, &d);
	if (!g || !search(a, g, f, &d))
		return EXIT_TROUBLE;
	if (!judge(a, g, f))
		return EXIT_TROUBLE;
	/* The spec's folder is the current one now. */
	if (!p.root)
		p.root = publish_root(a, NULL);
	struct ranking **v = report_load(a, HOME, &n, &d);
	if (!v)
		return EXIT_TROUBLE;
	struct applied *applied = arena_news(a, n, struct applied);
	for (size_t i = 0; i < n; i++)
		if (!check(a, v[i]->kernel, &applied[i], &d))
			return EXIT_TROUBLE;
	struct report r = report_build(a, v, n, HOME);
	p.report = &r;
	p.applied = applied;
	int status = finish(a, &p, f, to);
	fflush(stdout);
	misfit_tell(a, g->plan.spec, v, n, &d);
	return status;
}

const struct command cmd_ci = {
	.name = "ci",
	.about = "gate, check and report in one call, for CI",
	.run = run,
};
