#include "cmd/applied_check.h"

#include "apply/apply.h"
#include "apply/stale.h"
#include "base/arena.h"
#include "base/fs.h"
#include "model/kernel_text.h"
#include "model/record.h"

const char *
applied_file(struct arena *a, const char *dir, struct str kernel, const char *name)
{
	return str_c(a, str_fmt(a, "%s/%.*s/%s", dir, STR_ARG(kernel), name));
}

struct ranking *
applied_ranking(struct arena *a, const char *dir, struct str kernel, struct diag *d)
{
	const char *path = applied_file(a, dir, kernel, "rank.json");

	return ranking_read(a, json_parse_file(a, path, d), d);
}

const struct json *
applied_pins(struct arena *a, const char *dir, struct str kernel, const char *name,
	struct diag *d)
{
	const char *path = applied_file(a, dir, kernel, name);
	struct record r = record_open(json_parse_file(a, path, d), "lanewise/pins.v1", d);

	return r.ok ? r.v : NULL;
}

/* Of the spec alone; what data files hold is known to the graph. */
static bool
spec_is_edited(struct arena *a, const struct spec *spec, const struct json *pins,
	struct str kernel, struct str *why)
{
	struct str then = json_get_str(pins, "spec_text");
	const struct kernel *k = spec_kernel(spec, kernel);

	*why = str_fmt(a, "%.*s says something else of it now",
		STR_ARG(json_get_str(pins, "spec_file")));
	return spec->src && then.n && !(k && str_eq(then, kernel_text_hash(a, k)));
}

const struct spec *
applied_spec(struct arena *a, const char *dir, const struct json *pins, struct diag *d)
{
	struct str file = json_get_str(pins, "spec_file");
	const char *path = fs_join(a, fs_dirname(a, dir), str_c(a, file));

	return file.n && fs_exists(path) ? spec_read(a, path, d)
					 : arena_new(a, struct spec);
}

bool
applied_is_edited(struct arena *a, const char *dir, struct str kernel,
	const struct spec *spec, const struct json *ranked, const struct json *now,
	struct str *why)
{
	struct wisdom_entry e = {.sources = json_get(ranked, "sources"),
		.spec = json_get_str(ranked, "spec")};

	return stale_entry(a, &e, now, fs_dirname(a, dir), why) ||
	       spec_is_edited(a, spec, now, kernel, why);
}

const char *
applied_path(struct arena *a, const struct pointlist *p, const char *option)
{
	return apply_path(a, p->kernel, option ? str_of(option) : p->json, "_tuned.json");
}

const char *
applied_header(struct arena *a, const struct pointlist *p, const char *option)
{
	return apply_path(a, p->kernel, option ? str_of(option) : p->header, "_tuned.h");
}

int
applied_check(struct arena *a, const char *dir, const struct pointlist *p,
	const char *path, const char *header, struct buf *lines, struct diag *d)
{
	struct stale_query q = {
		.kernel = p->kernel,
		.applied = path,
		.header = header,
		.pins = applied_pins(a, dir, p->kernel, "pins.json", d),
		.root = fs_dirname(a, dir),
	};
	const struct spec *spec = q.pins ? applied_spec(a, dir, q.pins, d) : NULL;
	struct str why;
	int status;

	if (!spec)
		return EXIT_TROUBLE;
	if (fs_exists(applied_file(a, dir, p->kernel, "rank.json"))) {
		q.now = applied_ranking(a, dir, p->kernel, d);
		if (!q.now)
			return EXIT_TROUBLE;
	}
	status = stale_check(a, &q, lines, d);
	if (status == EXIT_TROUBLE || !spec_is_edited(a, spec, q.pins, p->kernel, &why))
		return status;
	buf_addf(lines, "  spec of the kernel: %.*s\n", STR_ARG(why));
	return EXIT_NO;
}
