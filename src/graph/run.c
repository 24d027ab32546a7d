#include "graph/run.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/cpu.h"
#include "base/die.h"
#include "base/fs.h"
#include "base/map.h"
#include "base/proc.h"

#include <stdlib.h>

enum { OLDEST = 110 };

/* What a line of progress begins with.  Not '--quiet': Ninja 1.10 has no such option, and
 * from 1.12 on it also keeps quiet that there was nothing to do. */
static const char STATUS[] = "ninja: doing ";

int
run_ninja_version(struct arena *a, struct str *why)
{
	const char *argv[] = {"ninja", "--version", NULL};
	struct proc_result r =
		proc_run(a, argv, (struct proc_opts){.timeout_ns = 10000000000});
	struct str v = str_trim(r.out), major, minor;
	uint64_t x, y;
	if (!r.started || r.status != 0) {
		*why = STR_LIT("ninja is not on PATH; install ninja-build");
		return 0;
	}
	if (!str_split(&v, '.', &major) || !str_split(&v, '.', &minor) ||
		!str_to_u64(major, &x) || !str_to_u64(minor, &y) ||
		x * 100 + y < OLDEST) {
		*why = str_fmt(a,
			"ninja '%.*s' is too old or unknown; 1.10 or newer is needed",
			STR_ARG(str_trim(r.out)));
		return 0;
	}
	return (int)(x * 100 + y);
}

static long
default_jobs(void)
{
	long n = cpu_online();
	return n > 2 ? n - 1 : n;
}

/* Ninja's own words about progress and about stopping add nothing to the front end's. */
static bool
is_chatter(struct str line)
{
	return str_starts(line, "ninja: no work to do") ||
	       str_starts(line, "ninja: build stopped") ||
	       str_starts(line, "ninja: Entering directory") || str_starts(line, STATUS);
}

/* Each node that waited for a worker said so; it is one worker. */
static bool
is_told(struct map *told, struct str line)
{
	bool added = true;
	if (str_starts(line, "lanewise: warning: waits for the worker of "))
		map_put(told, line, &added);
	return !added;
}

static struct str
without_chatter(struct arena *a, struct str out)
{
	struct buf b = {.a = a};
	struct map told = {.a = a};
	struct str line;
	while (str_line(&out, &line))
		if (!is_chatter(line) && !is_told(&told, line))
			buf_addf(&b, "%.*s\n", STR_ARG(line));
	return buf_str(&b);
}

/* The file in "ninja: error: loading 'X.dd': ..." or in a parse error, which begins with
 * the file's name. */
static struct str
broken_dyndep(struct str error)
{
	if (str_starts(error, "loading '"))
		error = str_sub(error, 9, error.n);
	for (size_t i = 3; i <= error.n; i++)
		if (str_ends(str_sub(error, 0, i), ".dd"))
			return str_sub(error, 0, i);
	return (struct str){0};
}

/* Cuts the text before the first mark, and the mark, off *rest. */
static bool
cut(struct str *rest, struct str mark, struct str *before)
{
	size_t at = str_find_text(*rest, mark);
	if (at == rest->n)
		return false;
	if (before)
		*before = str_sub(*rest, 0, at);
	*rest = str_sub(*rest, at + mark.n, rest->n);
	return true;
}

/* "'X', needed by 'K/rows/S.json', missing and no known rule to make it": only
 * K/gate/S.dd adds inputs to that file. */
static struct str
lying_dyndep(struct arena *a, struct str error)
{
	struct str kernel, name, rest = error;
	if (!cut(&rest, STR_LIT("needed by '"), NULL) ||
		!cut(&rest, STR_LIT("/rows/"), &kernel) ||
		!cut(&rest, STR_LIT(".json'"), &name))
		return (struct str){0};
	return str_fmt(a, "%.*s/gate/%.*s.dd", STR_ARG(kernel), STR_ARG(name));
}

/* The file of the graph that a line says is damaged, or empty: "lanewise: warning: 'X' is
 * damaged; ...". */
static struct str
damaged_file(struct arena *a, struct str line)
{
	static const char by_ninja[] = "ninja: error: ",
			  by_node[] = "lanewise: warning: '.lanewise/";
	if (str_starts(line, by_ninja)) {
		struct str error = str_sub(line, strlen(by_ninja), line.n);
		struct str file = broken_dyndep(error);
		return file.n ? file : lying_dyndep(a, error);
	}
	struct str rest = str_sub(line, strlen("lanewise: warning: '"), line.n), file;
	if (str_starts(line, by_node) && cut(&rest, STR_LIT("' is damaged; "), &file))
		return file;
	return (struct str){0};
}

/* Removes every such file, so that it is made again; true if there was one. */
static bool
remove_damaged(struct arena *a, struct str said)
{
	struct str line;
	bool any = false;
	while (str_line(&said, &line)) {
		struct str file = damaged_file(a, line);
		if (!file.n || !fs_exists(str_c(a, file)))
			continue;
		fs_remove(str_c(a, file));
		any = true;
	}
	return any;
}

static struct run_result
run_once(struct arena *a, const struct run_opts *o)
{
	const char *argv[64];
	size_t n = 0;
	const char *jobs = str_fmt(a, "-j%ld", o->jobs > 0 ? o->jobs : default_jobs()).s;
	argv[n++] = "ninja";
	argv[n++] = "-f";
	argv[n++] = o->file;
	argv[n++] = jobs;
	argv[n++] = "-k0";
	if (o->dry)
		argv[n++] = "-n";
	for (const char *const *t = o->targets; *t && n < 63; t++)
		argv[n++] = *t;
	argv[n] = NULL;
	struct proc_result r = proc_run(a, argv,
		(struct proc_opts){
			.merge = true, .tick = o->tick, .tick_arg = o->tick_arg});
	if (!r.started)
		die("%.*s", STR_ARG(r.err));
	struct str said = without_chatter(a, r.out);
	if (r.signal)
		said = str_fmt(a, "%.*sninja: %s\n", STR_ARG(said), proc_explain(a, &r));
	return (struct run_result){
		.ok = r.status == 0,
		.no_work = str_has(r.out, STR_LIT("no work to do")),
		.said = said,
	};
}

struct run_result
run_ninja(struct arena *a, const struct run_opts *o)
{
	/* Each may lay bare the next: rank reads what collect wrote. */
	enum { REPAIRS = 5 };
	static bool is_new_enough; /* a search starts it many times */
	struct str why;
	if (!is_new_enough && !run_ninja_version(a, &why))
		die("%.*s", STR_ARG(why));
	is_new_enough = true;
	setenv("NINJA_STATUS", STATUS, 1);
	struct run_result r = run_once(a, o);
	for (int i = 0; i < REPAIRS && !r.ok && remove_damaged(a, r.said); i++)
		r = run_once(a, o);
	return r;
}
