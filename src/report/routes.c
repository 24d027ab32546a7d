#include "report/routes.h"

#include "base/arena.h"
#include "base/fs.h"
#include "base/map.h"
#include "model/record.h"
#include "perf/rank_reference.h"
#include "report/report.h"
#include "report/show.h"

#include <math.h>
#include <string.h>

enum { NAME = 26, TIME = 11, RATIO = 32 };

static const char FOLDER[] = ".lanewise";

/* --- reading ----------------------------------------------------------------------- */

static void
keep_only(struct route *route, struct str kernel)
{
	size_t n = 0;

	for (size_t i = 0; i < route->n; i++)
		if (!kernel.n || str_eq(route->v[i]->kernel, kernel))
			route->v[n++] = route->v[i];
	route->n = n;
}

/* "c/" is "c" in what is shown, and in the paths below it. */
static const char *
without_slashes(struct arena *a, const char *dir)
{
	size_t n = strlen(dir);

	while (n > 1 && dir[n - 1] == '/')
		n--;
	return arena_copy(a, dir, n);
}

static void
read_one(struct arena *a, struct route *route, struct diag *d)
{
	const char *dir = fs_join(a, route->dir, FOLDER);

	if (!fs_is_dir(route->dir)) {
		diag_error(d, (struct place){0},
			"'%s' is no folder; name the folders of specs, not the specs",
			route->dir);
		route->trouble = "it is NO FOLDER";
		return;
	}
	if (!fs_exists(fs_join(a, dir, "report.json")))
		return;
	route->v = report_load(a, dir, &route->n, d);
	if (!route->v) {
		route->n = 0;
		route->trouble = "its run is DAMAGED";
	}
}

bool
routes_read(struct arena *a, char *const *dirs, size_t n, struct str kernel,
	struct routes *out, struct diag *d)
{
	bool ok = true;

	*out = (struct routes){arena_news(a, n, struct route), n};
	for (size_t i = 0; i < n; i++) {
		struct route *route = &out->v[i];
		route->dir = without_slashes(a, dirs[i]);
		read_one(a, route, d);
		ok = ok && !route->trouble;
		keep_only(route, kernel);
	}
	return ok;
}

bool
routes_any(const struct routes *r)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->v[i].n)
			return true;
	return false;
}

/* --- sizes ------------------------------------------------------------------------- */

/* "k=512, m=512, n=512": what a size is, as far as one run says. */
static struct str
values_text(struct arena *a, const struct json *values)
{
	struct buf b = {.a = a};

	json_each(v, values)
	{
		buf_addf(&b, "%s%.*s=%.10g", b.n ? ", " : "", STR_ARG(v->key), v->number);
	}
	return buf_str(&b);
}

struct size_seen {
	struct str name;
	const struct json *values; /* of the first that has it */
};

/* Names of all sizes, in the order of first sight. */
static struct size_seen *
sizes_of(struct arena *a, const struct routes *r, size_t *n)
{
	struct map seen = {.a = a};
	struct size_seen *v = NULL;
	size_t cap = 0;

	*n = 0;
	for (size_t i = 0; i < r->n; i++)
		for (size_t k = 0; k < r->v[i].n; k++)
			for (size_t z = 0; z < r->v[i].v[k]->n_sizes; z++) {
				const struct rank_size *s = &r->v[i].v[k]->sizes[z];
				bool added;
				map_put(&seen, s->name, &added);
				if (!added)
					continue;
				arena_grow(a, v, *n, cap);
				v[(*n)++] = (struct size_seen){s->name, s->values};
			}
	return v;
}

static const struct rank_size *
size_named(const struct ranking *r, struct str name)
{
	for (size_t z = 0; z < r->n_sizes; z++)
		if (str_eq(r->sizes[z].name, name))
			return &r->sizes[z];
	return NULL;
}

static struct str
records_file(struct arena *a, const struct route *route, const struct ranking *r)
{
	return str_fmt(
		a, "%s/%s/%.*s/results.json", route->dir, FOLDER, STR_ARG(r->kernel));
}

/* --- text -------------------------------------------------------------------------- */

static struct str
shown_time(struct arena *a, const struct rank_entry *e, double ns)
{
	if (!isfinite(ns))
		return STR_LIT("-");
	return str_fmt(a, "%s%.*s", result_kind_mark(e->kind), STR_ARG(time_text(a, ns)));
}

static struct str
shown_ratio(struct arena *a, const struct rank_size *s)
{
	const struct rank_reference *f = &s->reference;

	/* An estimate has no final; who is in none has no library beside it. */
	if (!f->exists)
		return s->kind == RESULT_ESTIMATED ? STR_LIT("not timed")
						   : STR_LIT("no library");
	if (!isfinite(f->ratio))
		return str_fmt(a, "%.*s: not compared", STR_ARG(f->name));
	return str_fmt(a, "%.3f [%.3f, %.3f] %.*s", f->ratio, f->ratio_low, f->ratio_high,
		STR_ARG(f->name));
}

static struct str
shown_error(struct arena *a, const struct rank_entry *e)
{
	if (e->kind == RESULT_ESTIMATED)
		return STR_LIT("not run");
	if (!e->verified)
		return STR_LIT("NOT VERIFIED");
	if (!isfinite(e->max_abs_error))
		return STR_LIT("verified");
	return str_fmt(a, e->max_abs_error == 0 ? "0" : "%.3g", e->max_abs_error);
}

static const char *
kind_words(const struct rank_entry *e)
{
	return e->kind == RESULT_ESTIMATED   ? "ESTIMATED for"
	       : e->kind == RESULT_CACHED    ? "measured earlier (cached) on"
	       : e->kind == RESULT_SIMULATED ? "SIMULATED by"
					     : "measured on";
}

static void
champion_row(struct buf *b, const struct ranking *r, const struct rank_size *s,
	const struct size_seen *seen)
{
	const struct rank_entry *e = rank_champion(s);
	struct arena *a = b->a;

	if (!e) {
		buf_adds(b, "no candidate is both admitted and working\n");
		return;
	}
	buf_addf(b, "%*.*s%*.*s   ", TIME, STR_ARG(shown_time(a, e, e->median_ns)), TIME,
		STR_ARG(shown_time(a, e, e->single_ns)));
	show_cell(b, shown_ratio(a, s), RATIO);
	buf_addf(b, " %.*s\n", STR_ARG(shown_error(a, e)));
	show_line(b, 6,
		str_fmt(a, "%.*s; %s %.*s%s; claim: %s", STR_ARG(e->label), kind_words(e),
			STR_ARG(r->device), r->described ? " (described, not here)" : "",
			rank_claim_name(s->claim)));
	if (s->reference.exists && !isfinite(s->reference.ratio) && s->reference.reason.n)
		show_line(b, 6,
			str_fmt(a, "%.*s: %.*s", STR_ARG(s->reference.name),
				STR_ARG(s->reference.reason)));
	if (!str_eq(values_text(a, s->values), values_text(a, seen->values)))
		show_line(b, 6,
			str_fmt(a, "ANOTHER PROBLEM of the same name: %.*s",
				STR_ARG(values_text(a, s->values))));
}

static void
size_rows(struct buf *b, const struct routes *r, const struct size_seen *seen)
{
	struct arena *a = b->a;

	buf_addc(b, '\n');
	show_rule(b, '-',
		str_fmt(a, "%.*s: %.*s", STR_ARG(seen->name),
			STR_ARG(values_text(a, seen->values))));
	buf_addf(b, "  %-*s%*s%*s   %-*s %s\n", NAME, "route", TIME, "batch", TIME,
		"single", RATIO, "times its library", "largest error");
	for (size_t i = 0; i < r->n; i++)
		for (size_t k = 0; k < r->v[i].n; k++) {
			const struct ranking *one = r->v[i].v[k];
			const struct rank_size *s = size_named(one, seen->name);
			if (!s)
				continue;
			buf_adds(b, "  ");
			show_cell(b,
				str_fmt(a, "%s %.*s", r->v[i].dir, STR_ARG(one->kernel)),
				NAME);
			champion_row(b, one, s, seen);
		}
}

static void
head(struct buf *b)
{
	show_line(b, 0,
		STR_LIT("Each row is a run of its own: its times are of its own windows "
			"and "
			"final, on its own device. Rows are not ranked, and nothing is "
			"pooled over them."));
	show_line(b, 0,
		STR_LIT("batch: a launch among many, median of batches, by the device's "
			"clock. single: one launch alone, by the host's clock, from "
			"submitting "
			"it until it is seen done. times its library: the champion's "
			"time over "
			"that of the library's function in the same final, with the "
			"final's "
			"interval. largest error: of any output, from the oracle's, "
			"which "
			"computes in FP64; an input of 'exact' allows none."));
}

/* It is written last, and a run that was cut short may have none. */
static struct str
record_text(struct arena *a, const struct route *p, const struct ranking *r)
{
	struct str file = records_file(a, p, r);

	if (fs_exists(str_c(a, file)))
		return file;
	return str_fmt(a, "%.*s: NOT THERE: 'lanewise tune %s/lanewise.json' writes it",
		STR_ARG(file), p->dir);
}

static void
records(struct buf *b, const struct route *p)
{
	if (p->trouble)
		show_line(
			b, 2, str_fmt(b->a, "%s: %s, and in no row", p->dir, p->trouble));
	else if (!p->v)
		show_line(b, 2,
			str_fmt(b->a,
				"%s: NO FINISHED RUN: 'lanewise tune %s/lanewise.json' "
				"makes "
				"one, or says why there is none",
				p->dir, p->dir));
	else if (!p->n)
		show_line(b, 2,
			str_fmt(b->a, "%s: its run has no kernel of that name", p->dir));
	else
		for (size_t k = 0; k < p->n; k++)
			show_line(b, 2, record_text(b->a, p, p->v[k]));
}

struct str
routes_text(struct arena *a, const struct routes *r)
{
	struct buf b = {.a = a};
	size_t n;
	struct size_seen *sizes = sizes_of(a, r, &n);

	head(&b);
	for (size_t z = 0; z < n; z++)
		size_rows(&b, r, &sizes[z]);
	buf_addc(&b, '\n');
	show_rule(&b, '=', STR_LIT("records"));
	for (size_t i = 0; i < r->n; i++)
		records(&b, &r->v[i]);
	return buf_str(&b);
}

/* --- json -------------------------------------------------------------------------- */

static void
put_champion(struct json_out *o, const struct rank_entry *e)
{
	json_put_str(o, "champion", e->candidate);
	json_put_str(o, "label", e->label);
	json_put_str(o, "artifact", e->artifact);
	json_put_c(o, "kind", result_kind_name(e->kind));
	json_put_f64(o, "median_ns", e->median_ns);
	json_put_f64(o, "low_ns", e->low_ns);
	json_put_f64(o, "high_ns", e->high_ns);
	json_put_f64(o, "single_ns", e->single_ns);
	json_put_bool(o, "verified", e->verified);
	json_put_str(o, "verified_by", e->verified_by);
	json_put_f64(o, "max_abs_error", e->max_abs_error);
}

static void
put_row(struct arena *a, struct json_out *o, const struct route *route,
	const struct ranking *r, const struct rank_size *s)
{
	const struct rank_entry *e = rank_champion(s);
	struct str records = records_file(a, route, r);

	json_open_object(o, NULL);
	json_put_c(o, "dir", route->dir);
	json_put_str(o, "kernel", r->kernel);
	record_copy(o, "values", s->values);
	json_put_str(o, "device", r->device);
	json_put_str(o, "device_uuid", r->device_uuid);
	json_put_str(o, "driver", r->driver);
	json_put_bool(o, "described", r->described);
	json_put_str(o, "toolchain", json_get_str(r->pins, "toolchain"));
	if (e)
		put_champion(o, e);
	else
		json_put_null(o, "champion");
	rank_reference_put(o, &s->reference);
	json_put_c(o, "claim", rank_claim_name(s->claim));
	json_put_str(o, "claim_why", s->claim_why);
	if (fs_exists(str_c(a, records)))
		json_put_str(o, "records", records);
	else
		json_put_null(o, "records");
	json_close_object(o);
}

static void
put_size(struct arena *a, struct json_out *o, const struct routes *r,
	const struct size_seen *seen)
{
	json_open_object(o, NULL);
	json_put_str(o, "size", seen->name);
	json_open_array(o, "routes", false);
	for (size_t i = 0; i < r->n; i++)
		for (size_t k = 0; k < r->v[i].n; k++) {
			const struct rank_size *s = size_named(r->v[i].v[k], seen->name);
			if (s)
				put_row(a, o, &r->v[i], r->v[i].v[k], s);
		}
	json_close_array(o);
	json_close_object(o);
}

/* Projects that are in no row. */
static void
put_missing(struct json_out *o, const char *key, const struct routes *r, bool trouble)
{
	json_open_array(o, key, true);
	for (size_t i = 0; i < r->n; i++)
		if (!r->v[i].v && !!r->v[i].trouble == trouble)
			json_put_c(o, NULL, r->v[i].dir);
	json_close_array(o);
}

struct str
routes_json(struct arena *a, const struct routes *r)
{
	struct json_out o = {.b = {.a = a}};
	size_t n;
	struct size_seen *sizes = sizes_of(a, r, &n);

	json_open_object(&o, NULL);
	json_put_c(&o, "schema", "lanewise/routes.v1");
	json_open_array(&o, "sizes", false);
	for (size_t z = 0; z < n; z++)
		put_size(a, &o, r, &sizes[z]);
	json_close_array(&o);
	put_missing(&o, "without_run", r, false);
	put_missing(&o, "damaged", r, true);
	json_close_object(&o);
	return json_done(&o);
}
