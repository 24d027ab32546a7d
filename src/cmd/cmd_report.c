#include "base/arena.h"
#include "base/fs.h"
#include "base/opt.h"
#include "cmd/cmd.h"
#include "cmd/publishing.h"
#include "report/certified.h"
#include "report/report.h"
#include "report/routes.h"

static const char *format_name = "text", *kernel, *dir = ".lanewise", *root;
static long top = REPORT_TOP;

static const struct opt opts[] = {
	{"format", 'f', OPT_STR, &format_name, FORMAT_NAMES, "default: text"},
	{"kernel", 'k', OPT_STR, &kernel, "NAME", "only this kernel"},
	{"dir", 'd', OPT_STR, &dir, "DIR", "the folder of the run; default: .lanewise"},
	{"root", 0, OPT_STR, &root, "DIR",
		"tell files relative to it; default: where .git is, here or above"},
	{"top", 0, OPT_INT, &top, "N", "candidates shown a ranking, 0: all; default: 10"},
	{0},
};

static const struct opt_usage usage = {
	.synopsis =
		"lanewise report [--format NAME] [--kernel NAME] [--dir DIR] "
		"[--root DIR] [--top N]\n"
		"       lanewise report [--format text|json] [--kernel NAME] PROJECT...",
	.about = "Prints the report of a finished run: the champion of every kernel and "
		 "size with\n"
		 "its interval and what it ties with, the ranking, what was refused and "
		 "why, and what\n"
		 "was faster but refused.  Builds and measures nothing.\n"
		 "\n"
		 "With the folders of one or several specs as PROJECT it puts their runs "
		 "side by\n"
		 "side, a row a kernel: one problem in CUDA, OpenCL C and C, say.",
	.after = "Format github prints workflow commands, and adds a summary to the file "
		 "that\n"
		 "GITHUB_STEP_SUMMARY names.\n"
		 "\n"
		 "Exit status: 0 a safe configuration was found; 1 it was, but a refused "
		 "one is\n"
		 "measured to be faster; 2 trouble; 3 at some size no candidate is "
		 "admissible.\n"
		 "Of projects: 0 one of them has a finished run; 2 none has, or trouble.",
};

/* Line maps and staged sources are in the folder above a kernel's own. */
static const char *
project_dir(struct arena *a)
{
	return fs_exists(fs_join(a, dir, "rank.json")) ? fs_dirname(a, dir) : dir;
}

static int
show_routes(struct arena *a, char **dirs, size_t n, enum format f)
{
	struct diag d = {0};
	struct routes r;
	struct str only = kernel ? str_of(kernel) : (struct str){0}, text;

	if (f != FORMAT_TEXT && f != FORMAT_JSON)
		opt_fail(&usage, "runs side by side are 'text' or 'json', not '%s'",
			format_name);
	bool whole = routes_read(a, dirs, n, only, &r, &d);
	text = f == FORMAT_JSON ? routes_json(a, &r) : routes_text(a, &r);
	fwrite(text.s, 1, text.n, stdout);
	return whole && routes_any(&r) ? EXIT_YES : EXIT_TROUBLE;
}

static int
run(struct arena *a, int argc, char **argv)
{
	struct diag d = {0};
	struct ranking **v;
	struct report r;
	struct buf certified = {.a = a};
	struct str text;
	size_t n = 0;
	enum format f;

	opt_parse(a, &usage, opts, &argc, &argv);
	if (!format_find(str_of(format_name), &f))
		opt_fail(&usage, "unknown format '%s'; formats are " FORMAT_NAMES,
			format_name);
	if (top < 0)
		opt_fail(&usage, "'--top' wants 0 or more");
	if (argc)
		return show_routes(a, argv, (size_t)argc, f);
	v = report_load(a, dir, &n, &d);
	if (!v)
		return EXIT_TROUBLE;
	if (kernel)
		v = report_only(a, v, &n, str_of(kernel), dir);
	r = report_build(a, v, n, project_dir(a));
	struct publication p = {
		.report = &r, .fails = ISSUES_FAIL, .root = publish_root(a, root)};
	text = publish(a, f, &p, (size_t)top);
	fwrite(text.s, 1, text.n, stdout);
	if (f == FORMAT_GITHUB)
		publish_summary(a, &p);
	if (f == FORMAT_TEXT && !certified_text(a, &certified, v, n, dir, &d))
		return EXIT_TROUBLE;
	printf("%.*s", (int)certified.n, certified.n ? certified.s : "");
	return r.exit_status;
}

const struct command cmd_report = {
	.name = "report",
	.about = "print the report of a finished run",
	.run = run,
};
