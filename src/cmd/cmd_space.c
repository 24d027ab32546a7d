#include "base/arena.h"
#include "base/fs.h"
#include "base/opt.h"
#include "cmd/cmd.h"
#include "cmd/space_pick.h"
#include "cmd/space_show.h"
#include "space/space_launch.h"

#include <inttypes.h>
#include <limits.h>

static const char *device_name, *why, *around;
static bool count, list, as_json;
static long nth = LONG_MIN, sample = LONG_MIN, seed = 1;

static const struct opt opts[] = {
	{"count", 'c', OPT_FLAG, &count, NULL, "print the number of candidates only"},
	{"list", 'l', OPT_FLAG, &list, NULL,
		"print each candidate's label, a tab and its id"},
	{"nth", 0, OPT_INT, &nth, "I", "the same for candidate I only; the first is 0"},
	{"sample", 0, OPT_INT, &sample, "N",
		"for N of them, each as likely as any other, none twice"},
	{"seed", 0, OPT_INT, &seed, "S",
		"which N: the same seed, the same ones; default: 1"},
	{"near", 0, OPT_STR, &around, "LABEL",
		"for those that differ from LABEL in one parameter"},
	{"why", 0, OPT_STR, &why, "PARAM=VALUE[,...]",
		"how many assignments with these values each constraint removes"},
	{"json", 0, OPT_FLAG, &as_json, NULL, "print JSON"},
	{"device", 0, OPT_STR, &device_name, "NAME|FILE",
		"the device that device.* means: h200, ... or a JSON file"},
	{0},
};

static const struct opt_usage usage = {
	.synopsis = "lanewise space [SPEC] [KERNEL] [--json] [--device NAME|FILE]\n"
		    "       [--count | --list | --nth I | --sample N [--seed S] | --near "
		    "LABEL |\n"
		    "       --why PARAM=VALUE[,...]]",
	.about = "Shows the candidates of a spec (default: lanewise.json) without "
		 "building anything:\n"
		 "how many assignments the parameters have, how many each constraint "
		 "removes of those\n"
		 "that the ones before it leave, and how many are left for each size.  A "
		 "lone argument\n"
		 "that is no file names a kernel.",
	.after = "Exit status: 0 shown, 2 trouble (the spec is wrong, or a space is "
		 "empty).",
};

/* --- what to show ------------------------------------------------------------------- */

static bool
pick_nth(struct arena *a, const struct space *s, struct space_some *some, struct diag *d)
{
	const struct kernel *k = s->kernel;
	uint16_t *choice = arena_news(a, k->n_params, uint16_t);
	struct candidate *c = arena_new(a, struct candidate);
	if (nth < 0 || (uint64_t)nth >= s->count) {
		diag_error(d, k->at,
			"'%.*s' has %" PRIu64 " candidates: --nth is 0 to %" PRIu64,
			STR_ARG(k->name), s->count, s->count - 1);
		return false;
	}
	*c = (struct candidate){choice, space_nth(s, (uint64_t)nth, choice)};
	*some = (struct space_some){c, 1};
	return true;
}

static bool
pick_sample(
	struct arena *a, const struct space *s, struct space_some *some, struct diag *d)
{
	const struct kernel *k = s->kernel;
	uint64_t n = (uint64_t)sample < s->count ? (uint64_t)sample : s->count;
	if (s->count == SPACE_MANY) {
		diag_error(d, k->at,
			"'%.*s' has 2^64 candidates or more: too many to draw from "
			"evenly",
			STR_ARG(k->name));
		return false;
	}
	const uint64_t *places = space_sample(a, s, (uint64_t)seed, n);
	struct candidate *v = arena_news(a, n, struct candidate);
	for (uint64_t i = 0; i < n; i++) {
		uint16_t *choice = arena_news(a, k->n_params, uint16_t);
		v[i] = (struct candidate){choice, space_nth(s, places[i], choice)};
	}
	*some = (struct space_some){v, n};
	return true;
}

static bool
pick_near(struct arena *a, const struct space *s, struct space_some *some, struct diag *d)
{
	const struct kernel *k = s->kernel;
	long only[SPEC_PARAMS_MAX];
	uint16_t choice[SPEC_PARAMS_MAX];
	if (!space_pick(a, k, "--near", around, only, d))
		return false;
	for (size_t i = 0; i < k->n_params; i++) {
		if (only[i] < 0) {
			diag_error(d, (struct place){0},
				"'--near %s': it takes a value for every parameter: "
				"'%.*s' has none",
				around, STR_ARG(k->params[i].name));
			return false;
		}
		choice[i] = (uint16_t)only[i];
	}
	some->v = space_neighbours(a, s, choice, SPACE_ANY_VALUE, &some->n);
	return true;
}

static bool
pick_all(struct arena *a, const struct space *s, struct space_some *some, struct diag *d)
{
	const struct kernel *k = s->kernel;
	if (s->count > SPACE_CANDIDATES_MAX) {
		diag_error(d, k->at,
			"'%.*s' has %" PRIu64 " candidates, and --json lists at most %d: "
			"add --sample N, or use --list",
			STR_ARG(k->name), s->count, SPACE_CANDIDATES_MAX);
		return false;
	}
	*some = (struct space_some){space_candidates(a, s), s->count};
	return true;
}

static void
show_why(struct arena *a, struct json_out *o, const struct kernel *k,
	const struct space_ask *all, struct diag *d)
{
	long only[SPEC_PARAMS_MAX];
	struct space_ask ask = *all;
	ask.only = only;
	if (!space_pick(a, k, "--why", why, only, d))
		return;
	const struct space_why *w = space_explain(a, k, &ask, d);
	const struct space *left = w && w->count ? space_ask(a, k, &ask, d) : NULL;
	/* What constraints leave may still have no launch. */
	if (!w || (left && !space_launches(a, left, ask.dev, d)))
		return;
	if (as_json)
		space_put_why(o, k, why, w);
	else
		space_show_why(a, k, why, w);
}

static void
show(struct arena *a, struct json_out *o, const struct kernel *k,
	const struct space_ask *ask, struct diag *d)
{
	const struct space *s = space_build(a, k, ask->dev, d);
	struct space_some some = {0};
	bool picks = nth != LONG_MIN || sample != LONG_MIN || around;
	if (!s || !space_launches(a, s, ask->dev, d))
		return;
	if (!(nth != LONG_MIN            ? pick_nth(a, s, &some, d)
		    : sample != LONG_MIN ? pick_sample(a, s, &some, d)
		    : around             ? pick_near(a, s, &some, d)
		    : as_json            ? pick_all(a, s, &some, d)
					 : true))
		return;
	if (count && s->count == SPACE_MANY)
		puts("2^64 or more");
	else if (count)
		printf("%" PRIu64 "\n", s->count);
	else if (list)
		space_show_all(a, s);
	else if (picks && !as_json)
		space_show_some(a, s, &some);
	else if (as_json)
		space_put_summary(a, o, s, space_explain(a, k, ask, d), &some);
	else
		space_show_summary(a, s, space_explain(a, k, ask, d));
}

/* --- which ones --------------------------------------------------------------------- */

/* SPEC and KERNEL are both optional: a lone word that is no file is the kernel. */
static void
parse_operands(int argc, char **argv, const char **spec, const char **kernel)
{
	*spec = "lanewise.json";
	*kernel = NULL;
	if (argc > 2)
		opt_fail(&usage, "unexpected '%s'", argv[2]);
	if (count + list + (nth != LONG_MIN) + (sample != LONG_MIN) + !!around + !!why >
		1)
		opt_fail(&usage,
			"only one of --count, --list, --nth, --sample, --near and --why");
	if (why && !*why)
		opt_fail(&usage, "--why takes PARAM=VALUE[,...]");
	if (as_json && (count || list))
		opt_fail(&usage, "--json says all that --count and --list say");
	if (sample != LONG_MIN && (sample < 0 || sample > SPACE_CANDIDATES_MAX))
		opt_fail(&usage, "--sample takes 0 to %d", SPACE_CANDIDATES_MAX);
	if (argc == 1 && !fs_exists(argv[0]) && !strpbrk(argv[0], "/."))
		*kernel = argv[0];
	else if (argc > 0)
		*spec = argv[0];
	if (argc == 2)
		*kernel = argv[1];
}

/* Of the host and of OpenCL there are no descriptions. */
static bool
is_described(struct str name)
{
	return name.n && !str_is(name, "host") && !str_starts(name, "opencl:");
}

/* The device of the command line, else the spec's, else none. */
static bool
find_device(
	struct arena *a, const struct spec *s, const struct device **dev, struct diag *d)
{
	const char *name = device_name                 ? device_name
			   : is_described(s->device.s) ? str_c(a, s->device.s)
						       : NULL;
	*dev = name ? device_find(a, name, d) : NULL;
	return *dev || !name;
}

/* Of several kernels --why is about those that have its parameters; where none has them,
 * each says so. */
static bool
is_asked(const struct spec *s, const struct kernel *only, const struct kernel *k)
{
	if (only || !why || space_pick_fits(k, why))
		return !only || only == k;
	for (size_t i = 0; i < s->n_kernels; i++)
		if (space_pick_fits(&s->kernels[i], why))
			return false;
	return true;
}

static int
run(struct arena *a, int argc, char **argv)
{
	struct diag d = {0};
	const char *path, *name;
	opt_parse(a, &usage, opts, &argc, &argv);
	parse_operands(argc, argv, &path, &name);
	if (!fs_exists(path))
		die("cannot find '%s'; 'lanewise init FILE.cu' writes a starter spec",
			path);
	const struct spec *s = spec_read(a, path, &d);
	const struct device *dev;
	if (!s || !find_device(a, s, &dev, &d))
		return EXIT_TROUBLE;
	const struct kernel *only =
		name ? spec_find_kernel(a, s, str_of(name), &d) : NULL;
	struct json_out o = {.b = {.a = a}};
	if (as_json)
		json_open_array(&o, NULL, false);
	for (size_t i = 0; i < s->n_kernels && (only || !name); i++) {
		if (!is_asked(s, only, &s->kernels[i]))
			continue;
		struct space_ask ask = {.dev = dev};
		if (why)
			show_why(a, &o, &s->kernels[i], &ask, &d);
		else
			show(a, &o, &s->kernels[i], &ask, &d);
	}
	if (as_json)
		json_close_array(&o);
	if (as_json && !d.errors)
		fputs(json_done(&o).s, stdout);
	return d.errors ? EXIT_TROUBLE : EXIT_YES;
}

const struct command cmd_space = {
	.name = "space",
	.about = "show the candidates of a spec",
	.run = run,
};
