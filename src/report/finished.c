/* Reading the report of a finished run back. */
#include "base/arena.h"
#include "base/fs.h"
#include "model/record.h"
#include "report/certified.h"
#include "report/report.h"

static struct record
open_report(struct arena *a, const char *dir, struct diag *d)
{
	const char *path = fs_join(a, dir, "report.json");

	if (!fs_exists(path)) {
		diag_error(d, (struct place){0},
			"there is no '%s'; run 'lanewise tune' first", path);
		return (struct record){.d = d};
	}
	struct record r =
		record_open(json_parse_file(a, path, d), "lanewise/report.v1", d);
	if (!r.ok)
		warn("remove '%s' and run 'lanewise tune'", path);
	return r;
}

/* rank.json of a kernel: in the folder itself, or in the kernel's. */
static struct ranking *
load_one(struct arena *a, const char *dir, struct str kernel, struct diag *d)
{
	const char *own = fs_join(a, dir, "rank.json");
	const char *below = fs_join(a, dir, str_c(a, kernel));

	if (!kernel.n || kernel.s[0] == '.' || str_has(kernel, STR_LIT("/"))) {
		diag_error(d, (struct place){0}, "%s: malformed name of a kernel", dir);
		return NULL;
	}
	if (!fs_exists(own))
		own = fs_join(a, below, "rank.json");
	return ranking_read(a, json_parse_file(a, own, d), d);
}

struct ranking **
report_load(struct arena *a, const char *dir, size_t *n, struct diag *d)
{
	struct record r = open_report(a, dir, d);
	const struct json *kernels = record_array(&r, "kernels", JSON_OBJECT);
	struct ranking **v;

	if (!kernels)
		return NULL;
	v = arena_news(a, kernels->n, struct ranking *);
	*n = 0;
	json_each(k, kernels)
	{
		struct record one = record_open(k, NULL, d);
		struct str name = record_str(&one, "kernel");
		v[*n] = one.ok ? load_one(a, dir, name, d) : NULL;
		if (!v[(*n)++])
			return NULL;
	}
	return v;
}

struct ranking **
report_only(struct arena *a, struct ranking **v, size_t *n, struct str kernel,
	const char *dir)
{
	struct str *names = arena_news(a, *n, struct str), near;

	for (size_t i = 0; i < *n; i++) {
		names[i] = v[i]->kernel;
		if (str_eq(names[i], kernel)) {
			*n = 1;
			return &v[i];
		}
	}
	near = str_nearest(kernel, names, *n);
	die("there is no kernel '%.*s' in '%s'%s%.*s%s", STR_ARG(kernel), dir,
		near.n ? " (did you mean '" : "", STR_ARG(near), near.n ? "'?)" : "");
}

int
report_show(struct arena *a, const char *dir)
{
	struct diag d = {0};
	struct record r = open_report(a, dir, &d);
	int status = (int)record_i64(&r, "exit_status", 0, 3);
	struct buf certified = {.a = a};
	struct ranking **v;
	struct str text;
	size_t n;

	if (!r.ok)
		return EXIT_TROUBLE;
	if (!fs_try_read(a, fs_join(a, dir, "report.txt"), &text)) {
		warn("cannot read '%s/report.txt'; run 'lanewise tune' again", dir);
		return EXIT_TROUBLE;
	}
	v = report_load(a, dir, &n, &d);
	printf("%.*s", STR_ARG(text));
	if (!v || !certified_text(a, &certified, v, n, dir, &d))
		return EXIT_TROUBLE;
	printf("%.*s", (int)certified.n, certified.n ? certified.s : "");
	return status;
}
