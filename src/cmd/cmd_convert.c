#include "base/arena.h"
#include "base/fs.h"
#include "base/opt.h"
#include "cmd/cmd.h"
#include "search/outline.h"
#include "search/recorded.h"

static const char *format, *output, *size;

static const struct opt opts[] = {
	{"to", 't', OPT_STR, &format, "FORMAT",
		"t4, kernel-tuner or csv for results; spec or csv for spaces"},
	{"size", 0, OPT_STR, &size, "NAME",
		"of our own results, when they are at several sizes"},
	{"output", 'o', OPT_STR, &output, "FILE", "write FILE; default: standard output"},
	{0},
};

static const struct opt_usage usage = {
	.synopsis = "lanewise convert FILE --to FORMAT [--size NAME] [-o FILE]",
	.about = "Converts results and spaces, ours and those of other tuners.  Results: "
		 "our own\n"
		 "(.lanewise/KERNEL/results.json), a Kernel Tuner cache file (also one "
		 "that is\n"
		 "still being written) or T4 results, to T4 results, a Kernel Tuner "
		 "cache file or\n"
		 "CSV.  Spaces: a T1 input file or launchbound's kernel.toml, to a spec, "
		 "or to CSV\n"
		 "with a line for each candidate.  Nothing in a file is executed.",
	.after = "Exit status: 0 written, 2 trouble (the file is wrong, or cannot become "
		 "that).",
};

static bool
wants(const char *name)
{
	return strcmp(format, name) == 0;
}

/* NULL text after a diag_error. */
static struct str
convert_space(struct arena *a, const struct outline *o, const char *file, struct diag *d)
{
	if (wants("spec"))
		return outline_write(a, o);
	if (!wants("csv"))
		opt_fail(&usage, "'%s' describes a space: --to takes spec or csv", file);
	return outline_csv(a, o, d);
}

static struct str
convert_results(struct arena *a, const struct recorded *r, const char *file)
{
	if (wants("spec"))
		opt_fail(&usage, "'%s' holds results: --to takes t4, kernel-tuner or csv",
			file);
	return wants("t4")    ? recorded_write_t4(a, r)
	       : wants("csv") ? recorded_write_csv(a, r)
			      : recorded_write_kt(a, r);
}

static struct str
convert(struct arena *a, const char *file, struct diag *d)
{
	const struct outline *o = NULL;
	const struct source *src = json_source(a, file, d);
	if (!src)
		return (struct str){0};
	enum outline_format f = outline_format_of(src);
	if (f == OUTLINE_NONE) {
		const struct recorded *r =
			recorded_parse(a, src, size ? str_of(size) : (struct str){0}, d);
		return r ? convert_results(a, r, file) : (struct str){0};
	}
	o = outline_read(a, src, f, d);
	return o ? convert_space(a, o, file, d) : (struct str){0};
}

static int
run(struct arena *a, int argc, char **argv)
{
	struct diag d = {0};
	opt_parse(a, &usage, opts, &argc, &argv);
	if (argc != 1)
		opt_fail(&usage, argc ? "one file at a time" : "a file is needed");
	if (!format)
		opt_fail(&usage, "--to FORMAT is needed");
	if (!wants("spec") && !wants("csv") && !wants("t4") && !wants("kernel-tuner"))
		opt_fail(&usage, "--to takes t4, kernel-tuner, csv or spec, not '%s'",
			format);
	struct str text = convert(a, argv[0], &d);
	if (!text.s)
		return EXIT_TROUBLE;
	if (output)
		fs_put(output, text);
	else
		fwrite(text.s, 1, text.n, stdout);
	return EXIT_YES;
}

const struct command cmd_convert = {
	.name = "convert",
	.about = "read and write the files of other tuners",
	.run = run,
};
