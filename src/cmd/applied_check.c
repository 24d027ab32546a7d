#include "cmd/applied_check.h"

#include "apply/apply.h"
#include "apply/stale.h"
#include "base/arena.h"
#include "base/fs.h"
#include "model/record.h"

static const char *
file_of(struct arena *a, const char *dir, struct str kernel, const char *name)
{
	return str_c(a, str_fmt(a, "%s/%.*s/%s", dir, STR_ARG(kernel), name));
}

struct ranking *
applied_ranking(struct arena *a, const char *dir, struct str kernel, struct diag *d)
{
	const char *path = file_of(a, dir, kernel, "rank.json");

	return ranking_read(a, json_parse_file(a, path, d), d);
}

const struct json *
applied_pins(struct arena *a, const char *dir, struct str kernel, const char *name,
	struct diag *d)
{
	const char *path = file_of(a, dir, kernel, name);
	struct record r = record_open(json_parse_file(a, path, d), "lanewise/pins.v1", d);

	return r.ok ? r.v : NULL;
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
	};

	if (!q.pins)
		return EXIT_TROUBLE;
	if (fs_exists(file_of(a, dir, p->kernel, "rank.json"))) {
		q.now = applied_ranking(a, dir, p->kernel, d);
		if (!q.now)
			return EXIT_TROUBLE;
	}
	return stale_check(a, &q, lines, d);
}
