#include "apply/apply.h"
#include "base/arena.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/opt.h"
#include "base/shown.h"
#include "cmd/applied_check.h"
#include "cmd/cmd.h"
#include "graph/leaf.h"
#include "node/pointlist.h"
#include "report/misfit.h"

static const char *header, *json, *dir = ".lanewise";
static bool check, from_graph, header_only;

static const struct opt opts[] = {
	{"check", 'c', OPT_FLAG, &check, NULL,
		"say whether the applied choice is current; write nothing"},
	{"header", 0, OPT_STR, &header, "FILE",
		"the header; default: KERNEL_tuned.h, or the spec's"},
	{"json", 0, OPT_STR, &json, "FILE",
		"the record; default: KERNEL_tuned.json, or the spec's"},
	{"header-only", 0, OPT_FLAG, &header_only, NULL,
		"the header of the record as it is; take nothing from a run"},
	{"dir", 'd', OPT_STR, &dir, "DIR", "the folder of the run; default: .lanewise"},
	{"from-graph", 0, OPT_FLAG, &from_graph, NULL,
		"called by Ninja: say only what changed"},
	{0},
};

static const struct opt_usage usage = {
	.synopsis = "lanewise apply [KERNEL...] [--check] [--header FILE] [--json FILE] "
		    "[--dir DIR]\n"
		    "       lanewise apply --header-only [KERNEL...]",
	.about = "Puts the champions of a finished run into the record, beside those of "
		 "other\n"
		 "devices, and writes what it has of the kernel as it is as a C and C++ "
		 "header that\n"
		 "your build includes.  With --check it compares the record with the "
		 "sources, the\n"
		 "spec, the tools and the device of now, and prints what differs.",
	.after = "FILE may hold {kernel}.  Exit status: 0 written (--check: current); 1 "
		 "--check: stale;\n"
		 "2 trouble (a kernel was edited after its run; --check: nothing was "
		 "applied yet);\n"
		 "3 a kernel has no admissible candidate at any size, and nothing was "
		 "written for it\n"
		 "(never with --check).",
};

static void
put(struct arena *a, const char *path, struct str text)
{
	bool changed;

	fs_write(fs_need_file(a, path), text, &changed);
	if (changed || !from_graph)
		shown_print(stdout, str_of(path)),
			puts(changed ? ": written" : ": unchanged");
}

/* The record is read before it is written; a header would take the place of anything. */
static void
need_header(struct arena *a, const char *path)
{
	struct str text;

	fs_need_file(a, path);
	if (fs_is_file(path) && fs_try_read(a, path, &text) && text.n &&
		!leaf_is_choice(text))
		die("'%s' is there and no header of 'lanewise apply'; remove it, or name "
		    "another one",
			path);
}

static bool
read_record(struct wisdom *w, const char *path, struct diag *d)
{
	return !fs_exists(path) || wisdom_read(w, path, d);
}

static int
write_header(struct arena *a, const struct pointlist *p, const struct wisdom *w,
	const struct json *pins, const char *record, struct diag *d)
{
	const char *h = applied_header(a, p, header);
	struct buf said = {.a = a};
	struct wisdom current = apply_current(w, p->kernel, pins, &said);

	shown_print_lines(stdout, buf_str(&said));
	if (!current.n) {
		diag_error(d, (struct place){0},
			"'%s' has nothing of kernel '%.*s' as it is; no header was "
			"written",
			record, STR_ARG(p->kernel));
		return EXIT_TROUBLE;
	}
	put(a, h, apply_header(a, &current, h));
	return EXIT_YES;
}

/* Whether a run's choices may be handed out: they are safe for what was judged, and that
 * is the project as it was. */
static int
choices_hold(
	struct arena *a, const struct pointlist *p, struct ranking *r, struct diag *d)
{
	const struct json *now = applied_pins(a, dir, p->kernel, "pins.json", d);
	const struct spec *spec = now ? applied_spec(a, dir, now, d) : NULL;
	struct str why;

	if (!spec)
		return EXIT_TROUBLE;
	if (applied_is_edited(a, dir, p->kernel, spec, r->pins, now, &why)) {
		diag_error(d, (struct place){0},
			"kernel '%.*s' was edited after its run: %.*s; nothing was "
			"written, run 'lanewise tune' first",
			STR_ARG(p->kernel), STR_ARG(why));
		return EXIT_TROUBLE;
	}
	if (apply_ready(r))
		return EXIT_YES;
	diag_error(d, (struct place){0},
		"kernel '%.*s' has no admissible candidate; nothing was written "
		"('lanewise report' says why)",
		STR_ARG(p->kernel));
	misfit_tell(a, spec, &r, 1, d);
	return misfit_of(r) ? EXIT_TROUBLE : EXIT_UNSURE;
}

/* Two kernels may have one record, and Ninja applies both at once. */
static int
write_one(struct arena *a, const struct pointlist *p, struct diag *d)
{
	const char *j = applied_path(a, p, json);
	struct ranking *r = applied_ranking(a, dir, p->kernel, d);
	char date[CLOCK_DATE + 1];
	struct wisdom w = {.a = a};
	struct buf said = {.a = a};
	int status;

	/* The pins as of the ranking. */
	if (!r || !(r->pins = applied_pins(a, dir, p->kernel, "ranked.json", d)))
		return EXIT_TROUBLE;
	status = choices_hold(a, p, r, d);
	if (status != EXIT_YES)
		return status;
	if (!read_record(&w, j, d))
		return EXIT_TROUBLE;
	clock_date(date);
	apply_ranking(&w, r, str_of(date), &said);
	shown_print_lines(stdout, buf_str(&said));
	put(a, j, wisdom_write(a, &w));
	return write_header(a, p, &w, r->pins, j, d);
}

static int
header_one(struct arena *a, const struct pointlist *p, struct diag *d)
{
	const char *j = applied_path(a, p, json);
	const struct json *pins = applied_pins(a, dir, p->kernel, "pins.json", d);
	struct wisdom w = {.a = a};

	if (!pins || !wisdom_read(&w, j, d))
		return EXIT_TROUBLE;
	return write_header(a, p, &w, pins, j, d);
}

static int
check_one(struct arena *a, const struct pointlist *p, struct diag *d)
{
	struct buf lines = {.a = a};
	int status = applied_check(a, dir, p, applied_path(a, p, json),
		applied_header(a, p, header), &lines, d);

	if (status != EXIT_TROUBLE)
		printf("%.*s: %s\n%s%s", STR_ARG(p->kernel),
			status == EXIT_YES ? "the applied choice is current"
					   : "the applied choice is STALE",
			buf_c(&lines),
			status == EXIT_NO
				? "  to renew it: lanewise tune, then lanewise apply\n"
				: "");
	return status;
}

/* Trouble before everything, then what is missing, then what is stale. */
static int
worse(int x, int y)
{
	static const int rank[] = {
		[EXIT_YES] = 0, [EXIT_NO] = 1, [EXIT_UNSURE] = 2, [EXIT_TROUBLE] = 3};

	return rank[x] > rank[y] ? x : y;
}

static int
one(struct arena *a, const char *kernel, struct diag *d)
{
	const char *path = applied_file(a, dir, str_of(kernel), "points.json");
	struct pointlist *p;

	if (!fs_exists(path))
		die("there is no '%s'; run 'lanewise tune' first, or see if '%s' is a "
		    "kernel of "
		    "the spec",
			path, kernel);
	p = pointlist_load(a, path, d);
	if (!p)
		return EXIT_TROUBLE;
	if (!check)
		need_header(a, applied_header(a, p, header));
	return check         ? check_one(a, p, d)
	       : header_only ? header_one(a, p, d)
			     : write_one(a, p, d);
}

/* The kernels of the run, in byte order. */
static size_t
kernels_of(struct arena *a, const char ***out)
{
	const char **names;
	size_t n = fs_list(a, dir, &names), seen = 0;

	for (size_t i = 0; i < n; i++)
		if (fs_exists(applied_file(a, dir, str_of(names[i]), "points.json")))
			names[seen++] = names[i];
	*out = names;
	return seen;
}

static bool
names_no_kernel(const char *option)
{
	return option && !str_has(str_of(option), STR_LIT("{kernel}"));
}

static int
run(struct arena *a, int argc, char **argv)
{
	struct diag d = {0};
	int status = EXIT_YES;
	const char **names;

	opt_parse(a, &usage, opts, &argc, &argv);
	names = arena_news(a, (size_t)argc, const char *);
	for (int i = 0; i < argc; i++)
		names[i] = argv[i];
	if (!argc)
		argc = (int)kernels_of(a, &names);
	if (!argc)
		die("there is no finished run in '%s'; run 'lanewise tune' first", dir);
	if (argc > 1 && names_no_kernel(header))
		opt_fail(&usage,
			"%d kernels do not fit one header: put {kernel} into its name",
			argc);
	if (check && header_only)
		opt_fail(&usage, "--check and --header-only exclude each other");
	if (!check && fs_is_dir(dir))
		fs_lock(str_fmt(a, "%s/apply.lock", dir).s, true);
	for (int i = 0; i < argc; i++)
		status = worse(status, one(a, names[i], &d));
	return status;
}

const struct command cmd_apply = {
	.name = "apply",
	.about = "write the choice as a header and a record, or check it",
	.run = run,
};
