#include "graph/run.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/die.h"
#include "base/fs.h"
#include "base/proc.h"

#include <unistd.h>

enum { OLDEST = 110, HAS_QUIET = 111 };

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
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	return cores > 2 ? cores - 1 : cores > 0 ? cores : 1;
}

/* Ninja's own words about progress and about stopping add nothing to the front end's. */
static bool
is_chatter(struct str line)
{
	return str_starts(line, "ninja: no work to do") ||
	       str_starts(line, "ninja: build stopped") ||
	       str_starts(line, "ninja: Entering directory") || str_starts(line, "[");
}

static struct str
without_chatter(struct arena *a, struct str out)
{
	struct buf b = {.a = a};
	struct str line;
	while (str_line(&out, &line))
		if (!is_chatter(line))
			buf_addf(&b, "%.*s\n", STR_ARG(line));
	return buf_str(&b);
}

/* "ninja: error: loading 'X.dd': ...", or a parse error that begins with the file's name.
 */
static const char *
broken_dyndep(struct arena *a, struct str said)
{
	struct str line;
	while (str_line(&said, &line)) {
		if (!str_starts(line, "ninja: error: "))
			continue;
		struct str name = str_sub(line, 14, line.n);
		if (str_starts(name, "loading '"))
			name = str_sub(name, 9, name.n);
		for (size_t i = 3; i <= name.n; i++)
			if (str_ends(str_sub(name, 0, i), ".dd"))
				return str_c(a, str_sub(name, 0, i));
	}
	return NULL;
}

static struct run_result
run_once(struct arena *a, const struct run_opts *o, int version)
{
	const char *argv[64];
	size_t n = 0;
	const char *jobs = str_fmt(a, "-j%ld", o->jobs > 0 ? o->jobs : default_jobs()).s;
	argv[n++] = "ninja";
	argv[n++] = "-f";
	argv[n++] = o->file;
	argv[n++] = jobs;
	argv[n++] = "-k0";
	if (version >= HAS_QUIET)
		argv[n++] = "--quiet";
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
	struct str why;
	int version = run_ninja_version(a, &why);
	if (!version)
		die("%.*s", STR_ARG(why));
	struct run_result r = run_once(a, o, version);
	const char *dd = r.ok ? NULL : broken_dyndep(a, r.said);
	if (!dd || !fs_exists(dd))
		return r;
	fs_remove(dd);
	return run_once(a, o, version);
}
