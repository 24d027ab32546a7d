#include "report/certified.h"

#include "base/arena.h"
#include "base/fs.h"
#include "model/certificate.h"
#include "report/show.h"

static const char *
file_of(struct arena *a, const char *dir, const struct ranking *r, struct str size)
{
	const char *own = str_fmt(a, "%s/certify/%.*s.json", dir, STR_ARG(size)).s;

	if (fs_exists(own))
		return own;
	return str_fmt(
		a, "%s/%.*s/certify/%.*s.json", dir, STR_ARG(r->kernel), STR_ARG(size))
		.s;
}

static struct str
check_text(struct arena *a, const struct check *k)
{
	struct str rest = k->said, first = {0};

	str_line(&rest, &first);
	if (k->status == CHECK_CLEAN)
		return str_fmt(a, "%.*s found nothing", STR_ARG(k->tool));
	if (k->status == CHECK_ERRORS)
		return str_fmt(a, "%.*s FOUND %lld ERROR%s: %.*s", STR_ARG(k->tool),
			(long long)k->errors, k->errors == 1 ? "" : "S", STR_ARG(first));
	return str_fmt(a, "%.*s did not finish: %.*s", STR_ARG(k->tool), STR_ARG(first));
}

static bool
is_stale(const struct rank_size *s, const struct certificate *c)
{
	const struct rank_entry *e = rank_champion(s);

	return !e || !str_eq(e->candidate, c->candidate) ||
	       !str_eq(e->artifact, c->artifact) || !str_eq(e->launch, c->launch);
}

static void
one(struct arena *a, struct buf *b, const struct ranking *r, const struct rank_size *s,
	const struct certificate *c)
{
	bool stale = is_stale(s, c);

	show_line(b, 2,
		str_fmt(a, "%.*s at %.*s: %.*s%s%s", STR_ARG(r->kernel), STR_ARG(s->name),
			STR_ARG(c->candidate),
			c->kind == RESULT_SIMULATED ? ", SIMULATED" : "",
			stale ? ", STALE: it is no longer the champion as it was checked"
			      : ""));
	if (!c->checker.n)
		show_line(b, 5,
			STR_LIT("NOT CHECKED: there was no compute-sanitizer; this is no "
				"pass"));
	for (size_t i = 0; i < c->n && c->checker.n; i++)
		show_line(b, 5, check_text(a, &c->checks[i]));
}

bool
certified_text(struct arena *a, struct buf *b, struct ranking *const *v, size_t n,
	const char *dir, struct diag *d)
{
	bool any = false;

	for (size_t k = 0; k < n; k++)
		for (size_t z = 0; z < v[k]->n_sizes; z++) {
			const char *path = file_of(a, dir, v[k], v[k]->sizes[z].name);
			const struct certificate *c;
			if (!fs_exists(path))
				continue;
			c = certificate_read(a, json_parse_file(a, path, d), d);
			if (!c)
				return false;
			if (!any)
				show_rule(b, '=',
					STR_LIT("certified by compute-sanitizer"));
			any = true;
			one(a, b, v[k], &v[k]->sizes[z], c);
		}
	return true;
}

static int
status_of(const struct rank_size *s, const struct certificate *c)
{
	int status = !c || is_stale(s, c) || !c->n ? EXIT_UNSURE : EXIT_YES;

	for (size_t i = 0; c && i < c->n; i++) {
		if (c->checks[i].status == CHECK_ERRORS)
			return EXIT_NO;
		if (c->checks[i].status != CHECK_CLEAN)
			status = EXIT_UNSURE;
	}
	return status;
}

int
certified_status(struct arena *a, struct ranking *const *v, size_t n, const char *dir)
{
	struct diag d = {0};
	int worst = EXIT_YES;

	for (size_t k = 0; k < n; k++)
		for (size_t z = 0; z < v[k]->n_sizes; z++) {
			const char *path = file_of(a, dir, v[k], v[k]->sizes[z].name);
			const struct certificate *c =
				fs_exists(path)
					? certificate_read(
						  a, json_parse_file(a, path, &d), &d)
					: NULL;
			int status = status_of(&v[k]->sizes[z], c);
			if (status == EXIT_NO)
				return EXIT_NO;
			worst = status > worst ? status : worst;
		}
	return worst;
}
