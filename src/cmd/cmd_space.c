#include "base/arena.h"
#include "base/buf.h"
#include "base/fs.h"
#include "base/map.h"
#include "base/opt.h"
#include "cmd/cmd.h"
#include "format/json.h"
#include "model/param_json.h"
#include "model/space.h"

#include <inttypes.h>

static const char *device_name;
static bool count, list, as_json;

static const struct opt opts[] = {
	{"count", 'c', OPT_FLAG, &count, NULL, "print the number of candidates only"},
	{"list", 'l', OPT_FLAG, &list, NULL,
		"print each candidate's label, a tab and its id"},
	{"json", 0, OPT_FLAG, &as_json, NULL, "print JSON"},
	{"device", 0, OPT_STR, &device_name, "NAME|FILE",
		"the device that device.* means: h200, ... or a JSON file"},
	{0},
};

static const struct opt_usage usage = {
	.synopsis = "lanewise space [SPEC] [KERNEL] [--count|--list|--json] [--device "
		    "NAME|FILE]",
	.about = "Shows the candidates of a spec (default: lanewise.json) without "
		 "building anything:\n"
		 "how many assignments the parameters have, how many each constraint "
		 "removes, and\n"
		 "how many are left for each size.  A lone argument that is no file "
		 "names a kernel.",
	.after = "Exit status: 0 shown, 2 trouble (the spec is wrong, or a space is "
		 "empty).",
};

/* What both forms of the summary say of a space. */
struct tally {
	size_t specializations, points;
	size_t per_size[SPEC_SIZES_MAX];
};

static struct tally
tally_space(struct arena *a, const struct space *s)
{
	struct tally t = {0};
	struct map names = {.a = a};
	for (size_t i = 0; i < s->n; i++) {
		map_put(&names, specialization_name(a, s->kernel, &s->v[i]), NULL);
		for (size_t z = 0; z < s->kernel->n_sizes; z++)
			t.per_size[z] += s->v[i].sizes >> z & 1;
	}
	for (size_t z = 0; z < s->kernel->n_sizes; z++)
		t.points += t.per_size[z];
	t.specializations = names.n;
	return t;
}

static void
print_text(struct arena *a, const struct space *s)
{
	const struct kernel *k = s->kernel;
	struct tally t = tally_space(a, s);
	printf("%.*s: %zu of %" PRIu64 " assignments are candidates\n", STR_ARG(k->name),
		s->n, s->raw);
	for (size_t i = 0; i < k->n_constraints; i++)
		printf("  %12" PRIu64 "  removed by  %.*s\n", s->removed[i],
			STR_ARG(expr_text(k->constraints[i])));
	printf("  %12zu  specializations to compile\n", t.specializations);
	printf("  %12zu  points to measure\n", t.points);
	for (size_t z = 0; z < k->n_sizes; z++)
		printf("  %12zu  at size %.*s\n", t.per_size[z],
			STR_ARG(k->sizes[z].name));
}

static void
put_rules(struct json_out *o, const struct space *s)
{
	json_open_array(o, "constraints", false);
	for (size_t i = 0; i < s->kernel->n_constraints; i++) {
		json_open_object(o, NULL);
		json_put_str(o, "expression", expr_text(s->kernel->constraints[i]));
		json_put_f64(o, "removed", (double)s->removed[i]);
		json_close_object(o);
	}
	json_close_array(o);
}

static void
put_candidates(struct arena *a, struct json_out *o, const struct space *s)
{
	json_open_array(o, "candidates", false);
	for (size_t i = 0; i < s->n; i++) {
		json_open_object(o, NULL);
		json_put_str(o, "label", candidate_label(a, s->kernel, &s->v[i]));
		json_put_str(o, "id", candidate_id(a, s->kernel, &s->v[i]));
		json_put_str(
			o, "specialization", specialization_name(a, s->kernel, &s->v[i]));
		json_open_array(o, "sizes", true);
		for (size_t z = 0; z < s->kernel->n_sizes; z++)
			if (s->v[i].sizes >> z & 1)
				json_put_str(o, NULL, s->kernel->sizes[z].name);
		json_close_array(o);
		json_close_object(o);
	}
	json_close_array(o);
}

static void
put_space(struct arena *a, struct json_out *o, const struct space *s)
{
	const struct kernel *k = s->kernel;
	struct tally t = tally_space(a, s);
	json_open_object(o, NULL);
	json_put_str(o, "kernel", k->name);
	json_put_f64(o, "assignments", (double)s->raw);
	json_put_i64(o, "specializations", (int64_t)t.specializations);
	json_put_i64(o, "points", (int64_t)t.points);
	params_put(o, k);
	put_rules(o, s);
	json_open_object(o, "points_per_size");
	for (size_t z = 0; z < k->n_sizes; z++)
		json_put_i64(o, str_c(a, k->sizes[z].name), (int64_t)t.per_size[z]);
	json_close_object(o);
	put_candidates(a, o, s);
	json_close_object(o);
}

static void
print_list(struct arena *a, const struct space *s)
{
	for (size_t i = 0; i < s->n; i++) {
		struct arena_mark m = arena_mark(a);
		struct str label = candidate_label(a, s->kernel, &s->v[i]);
		struct str id = candidate_id(a, s->kernel, &s->v[i]);
		printf("%.*s\t%.*s\n", STR_ARG(label), STR_ARG(id));
		arena_pop(a, m);
	}
}

static void
show(struct arena *a, struct json_out *o, const struct space *s)
{
	if (as_json)
		put_space(a, o, s);
	else if (list)
		print_list(a, s);
	else if (count)
		printf("%zu\n", s->n);
	else
		print_text(a, s);
}

/* SPEC and KERNEL are both optional: a lone word that is no file is the kernel. */
static void
parse_operands(int argc, char **argv, const char **spec, const char **kernel)
{
	*spec = "lanewise.json";
	*kernel = NULL;
	if (argc > 2)
		opt_fail(&usage, "unexpected '%s'", argv[2]);
	if (count + list + as_json > 1)
		opt_fail(&usage, "only one of --count, --list and --json");
	if (argc == 1 && !fs_exists(argv[0]) && !strpbrk(argv[0], "/."))
		*kernel = argv[0];
	else if (argc > 0)
		*spec = argv[0];
	if (argc == 2)
		*kernel = argv[1];
}

static const struct kernel *
pick_kernel(struct arena *a, const struct spec *s, const char *name, struct diag *d)
{
	const struct kernel *k = spec_kernel(s, str_of(name));
	struct str *names = arena_news(a, s->n_kernels, struct str);
	for (size_t i = 0; i < s->n_kernels; i++)
		names[i] = s->kernels[i].name;
	struct str near = str_nearest(str_of(name), names, s->n_kernels);
	if (!k && near.n)
		diag_error(d, (struct place){.src = s->src},
			"there is no kernel '%s' (did you mean '%.*s'?)", name,
			STR_ARG(near));
	else if (!k)
		diag_error(d, (struct place){.src = s->src}, "there is no kernel '%s'",
			name);
	return k;
}

/* The device of the command line, else the spec's, else none. */
static bool
find_device(
	struct arena *a, const struct spec *s, const struct device **dev, struct diag *d)
{
	const char *name = device_name     ? device_name
			   : s->device.s.n ? str_c(a, s->device.s)
					   : NULL;
	*dev = name ? device_find(a, name, d) : NULL;
	return *dev || !name;
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
	const struct kernel *only = name ? pick_kernel(a, s, name, &d) : NULL;
	struct json_out o = {.b = {.a = a}};
	if (as_json)
		json_open_array(&o, NULL, false);
	for (size_t i = 0; i < s->n_kernels && (only || !name); i++) {
		if (only && only != &s->kernels[i])
			continue;
		const struct space *space = space_build(a, &s->kernels[i], dev, &d);
		if (space)
			show(a, &o, space);
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
