#include "apply/stale.h"
#include "apply/wisdom_show.h"
#include "base/arena.h"
#include "base/fs.h"
#include "base/opt.h"
#include "base/shown.h"
#include "cmd/cmd.h"
#include "model/record.h"

static const char *output, *dir = ".lanewise";
static bool remove_stale;

static const struct opt opts[] = {
	{"output", 'o', OPT_STR, &output, "FILE", "merge: the file to write"},
	{"dir", 'd', OPT_STR, &dir, "DIR",
		"check: the folder of the graph; default: .lanewise"},
	{"remove", 0, OPT_FLAG, &remove_stale, NULL, "check: remove what is stale"},
	{0},
};

static const struct opt_usage usage = {
	.synopsis = "lanewise wisdom show FILE...\n"
		    "       lanewise wisdom check FILE... [--dir DIR] [--remove]\n"
		    "       lanewise wisdom merge FILE... -o FILE",
	.about =
		"Looks after records of 'lanewise apply': champions of several sizes "
		"and\n"
		"devices, each with what it was chosen with.  'show' lists them; 'check' "
		"names those\n"
		"of a kernel that was edited since, as the graph in DIR and the sources "
		"have it;\n"
		"'merge' puts the files of several machines together.  Of two of the "
		"same kernel,\n"
		"device and size it keeps what was measured, then the stronger claim "
		"(proven,\n"
		"observed), then the newer.  After it, 'lanewise apply --header-only' "
		"writes the\n"
		"header.",
	.after = "Exit status: 0 done; 1 'check' found a stale entry; 2 trouble, and "
		 "nothing was written.",
};

static int
show(struct arena *a, int argc, char **argv)
{
	struct diag d = {0};

	for (int i = 0; i < argc; i++) {
		struct wisdom w = {.a = a};
		if (!wisdom_read(&w, argv[i], &d))
			return EXIT_TROUBLE;
		fputs(str_c(a, wisdom_table(a, &w)), stdout);
	}
	return EXIT_YES;
}

/* NULL when the graph has no such kernel; *ok false after a diag_error. */
static const struct json *
pins_of(struct arena *a, struct str kernel, bool *ok, struct diag *d)
{
	const char *path = str_fmt(a, "%s/%.*s/pins.json", dir, STR_ARG(kernel)).s;
	struct record r;

	if (!fs_exists(path))
		return NULL;
	r = record_open(json_parse_file(a, path, d), "lanewise/pins.v1", d);
	*ok = *ok && r.ok;
	return r.ok ? r.v : NULL;
}

static int
check_one(struct arena *a, const char *path, struct diag *d)
{
	struct wisdom w = {.a = a}, kept = {.a = a};
	struct str why;
	bool ok = true;

	if (!wisdom_read(&w, path, d))
		return EXIT_TROUBLE;
	for (size_t i = 0; i < w.n; i++) {
		const struct wisdom_entry *e = &w.v[i];
		const struct json *pins = pins_of(a, e->kernel, &ok, d);
		if (!ok)
			return EXIT_TROUBLE;
		if (!stale_entry(a, e, pins, NULL, &why))
			wisdom_add(&kept, e);
		else
			printf("%s: %s at %s on %s is STALE: %s\n", path,
				shown_c(a, e->kernel), shown_c(a, e->size),
				shown_c(a, e->device), shown_c(a, why));
	}
	printf("%s: %zu of %zu entries are current%s\n", path, kept.n, w.n,
		kept.n < w.n && remove_stale ? ", the others are removed" : "");
	if (kept.n < w.n && remove_stale)
		fs_write(fs_need_file(a, path), wisdom_write(a, &kept), NULL);
	return kept.n < w.n ? EXIT_NO : EXIT_YES;
}

static int
check(struct arena *a, int argc, char **argv)
{
	struct diag d = {0};
	int worst = EXIT_YES;

	if (!fs_is_dir(dir))
		die("there is no graph in '%s'; run 'lanewise graph' first", dir);
	for (int i = 0; i < argc; i++) {
		int status = check_one(a, argv[i], &d);
		worst = status > worst ? status : worst;
	}
	return worst;
}

static int
merge(struct arena *a, int argc, char **argv)
{
	struct diag d = {0};
	struct wisdom w = {.a = a};
	struct buf said = {.a = a};

	if (!output)
		opt_fail(&usage, "'merge' wants -o FILE");
	for (int i = 0; i < argc; i++) {
		struct wisdom one = {.a = a};
		if (!wisdom_read(&one, argv[i], &d))
			return EXIT_TROUBLE;
		for (size_t e = 0; e < one.n; e++)
			wisdom_add(&w, &one.v[e]);
	}
	wisdom_sort(&w, &said);
	struct str text = wisdom_write(a, &w), old;
	bool changed = !fs_is_file(output) || !fs_try_read(a, output, &old) ||
		       !str_eq(old, text);
	if (changed)
		fs_put(output, text);
	shown_print_lines(stdout, buf_str(&said));
	printf("%s: %s, %zu entries\n", output, changed ? "written" : "unchanged", w.n);
	return EXIT_YES;
}

static const struct {
	const char *name;
	int (*run)(struct arena *a, int argc, char **argv);
} actions[] = {{"show", show}, {"check", check}, {"merge", merge}};

static int
run(struct arena *a, int argc, char **argv)
{
	opt_parse(a, &usage, opts, &argc, &argv);
	if (argc == 0)
		opt_fail(&usage, "what to do with the wisdom?");
	for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++) {
		if (strcmp(argv[0], actions[i].name) != 0)
			continue;
		if (argc == 1)
			opt_fail(&usage, "'%s' wants a file", argv[0]);
		if (output && actions[i].run != merge)
			opt_fail(
				&usage, "'%s' writes no file: -o is of 'merge'", argv[0]);
		return actions[i].run(a, argc - 1, argv + 1);
	}
	opt_fail(&usage, "there is no 'lanewise wisdom %s'", argv[0]);
}

const struct command cmd_wisdom = {
	.name = "wisdom",
	.about = "show, check and merge records of 'apply'",
	.run = run,
};
