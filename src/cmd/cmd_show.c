#include "base/arena.h"
#include "base/fs.h"
#include "base/opt.h"
#include "cmd/cmd.h"
#include "report/report.h"
#include "report/story.h"

static const char *kernel, *size, *dir = ".lanewise";

static const struct opt opts[] = {
	{"kernel", 'k', OPT_STR, &kernel, "NAME", "of this kernel; default: where it is"},
	{"size", 's', OPT_STR, &size, "NAME", "at this size; default: at all"},
	{"dir", 'd', OPT_STR, &dir, "DIR", "the folder of the run; default: .lanewise"},
	{0},
};

static const struct opt_usage usage = {
	.synopsis = "lanewise show CANDIDATE [--kernel NAME] [--size NAME] [--dir DIR]",
	.about = "One candidate's whole story, from a finished run: parameters, launch, "
		 "the gate's\n"
		 "verdict, registers and occupancy, every reading, what it was timed "
		 "between, the\n"
		 "comparison of its outputs, the final, its place.  CANDIDATE is a name "
		 "as "
		 "in the report\n"
		 "('BLOCK=64,TILE=128'), an id, 'champion' or 'baseline'.",
	.after = "Exit status: 0 shown, 2 trouble (there is no such candidate, no "
		 "finished run).",
};

/* The nearest of all names of candidates, for a name that is none. */
static struct str
nearest(struct arena *a, struct ranking *const *v, size_t n, struct str name)
{
	struct str best = {0};

	for (size_t k = 0; k < n; k++)
		for (size_t z = 0; z < v[k]->n_sizes; z++) {
			const struct rank_size *s = &v[k]->sizes[z];
			struct str *names = arena_news(a, rank_size_n(s) + 1, struct str);
			for (size_t i = 0; i < rank_size_n(s); i++)
				names[i] = s->v[i].label;
			if (!best.n)
				best = str_nearest(name, names, rank_size_n(s));
		}
	return best;
}

static void
check_size(struct ranking *const *v, size_t n)
{
	struct str names[64], near;
	size_t count = 0;

	for (size_t k = 0; k < n; k++)
		for (size_t z = 0; z < v[k]->n_sizes; z++) {
			if (str_is(v[k]->sizes[z].name, size))
				return;
			if (count < sizeof names / sizeof *names)
				names[count++] = v[k]->sizes[z].name;
		}
	near = str_nearest(str_of(size), names, count);
	if (near.n)
		die("there is no size '%s' (did you mean '%.*s'?)", size, STR_ARG(near));
	if (!count)
		die("nothing is ranked here; run 'lanewise tune' first");
	die("there is no size '%s'; the first is '%.*s'", size, STR_ARG(names[0]));
}

static const struct json *
results_of(struct arena *a, const struct ranking *r, struct diag *d)
{
	const char *own = fs_join(a, dir, "results.json");
	const char *below = str_fmt(a, "%s/%.*s/results.json", dir, STR_ARG(r->kernel)).s;
	const char *path = fs_exists(own) ? own : below;

	if (!fs_exists(path))
		die("there is no '%s'; run 'lanewise tune' first", path);
	return json_parse_file(a, path, d);
}

/* Returns how many sizes it was told of; -1 after a diag_error. */
static long
tell(struct arena *a, struct buf *b, const struct ranking *r, struct str name,
	struct diag *d)
{
	const struct json *results = NULL;
	struct places places = places_begin(a, dir);
	long told = 0;

	for (size_t z = 0; z < r->n_sizes; z++) {
		const struct rank_size *s = &r->sizes[z];
		const struct rank_entry *e = story_find(s, name);
		if (!e || (size && !str_is(s->name, size)))
			continue;
		results = results ? results : results_of(a, r, d);
		if (told++)
			buf_addc(b, '\n');
		if (!story_text(b, r, s, e, results, &places, d))
			return -1;
	}
	return told;
}

static int
run(struct arena *a, int argc, char **argv)
{
	struct diag d = {0};
	struct buf b = {.a = a};
	size_t n = 0;
	long told = 0;

	opt_parse(a, &usage, opts, &argc, &argv);
	if (argc != 1)
		opt_fail(&usage,
			argc ? "one candidate at a time, not '%s' too"
			     : "which candidate?%s",
			argc ? argv[1] : "");
	struct ranking **v = report_load(a, dir, &n, &d);
	if (!v)
		return EXIT_TROUBLE;
	if (kernel)
		v = report_only(a, v, &n, str_of(kernel), dir);
	if (size)
		check_size(v, n);
	for (size_t k = 0; k < n; k++) {
		long more = tell(a, &b, v[k], str_of(argv[0]), &d);
		if (more < 0)
			return EXIT_TROUBLE;
		told += more;
	}
	if (!told) {
		struct str near = nearest(a, v, n, str_of(argv[0]));
		die("there is no candidate '%s'%s%.*s%s", argv[0],
			near.n ? " (did you mean '" : "", STR_ARG(near),
			near.n ? "'?)" : "; 'lanewise report --top 0' lists them");
	}
	printf("%.*s", (int)b.n, b.s);
	return EXIT_YES;
}

const struct command cmd_show = {
	.name = "show",
	.about = "one candidate's whole story",
	.run = run,
};
