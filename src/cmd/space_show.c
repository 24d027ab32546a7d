#include "cmd/space_show.h"

#include "base/arena.h"
#include "base/shown.h"
#include "model/candidate_text.h"
#include "model/param_json.h"

#include <inttypes.h>

/* --- numbers ------------------------------------------------------------------------ */

static const char *
count_text(struct arena *a, uint64_t n)
{
	return n == SPACE_MANY ? "2^64 or more" : str_fmt(a, "%" PRIu64, n).s;
}

/* In a table, where it may also be unknown. */
static const char *
cell(struct arena *a, uint64_t n)
{
	return n == SPACE_MANY ? "?" : str_fmt(a, "%" PRIu64, n).s;
}

/* Numbers are exact up to 2^53, as everywhere in JSON. */
static void
put_count(struct json_out *o, const char *key, uint64_t n)
{
	if (n == SPACE_MANY)
		json_put_null(o, key);
	else if (n > INT64_MAX)
		json_put_f64(o, key, (double)n);
	else
		json_put_i64(o, key, (int64_t)n);
}

static uint64_t
count_points(const struct space *s)
{
	uint64_t sum = 0, n;
	for (size_t z = 0; z < s->kernel->n_sizes; z++) {
		n = space_points(s, z);
		if (n == SPACE_MANY || __builtin_add_overflow(sum, n, &sum))
			return SPACE_MANY;
	}
	return sum;
}

/* --- text --------------------------------------------------------------------------- */

void
space_show_summary(struct arena *a, const struct space *s, const struct space_why *w)
{
	const struct kernel *k = s->kernel;
	printf("%.*s: %s of %s assignments are candidates\n", STR_ARG(k->name),
		count_text(a, s->count), count_text(a, s->raw));
	for (size_t i = 0; i < k->n_constraints; i++)
		printf("  %12s  removed by  %s\n", cell(a, w->removed[i]),
			shown_c(a, expr_text(k->constraints[i])));
	printf("  %12s  specializations to compile\n", cell(a, space_specializations(s)));
	printf("  %12s  points to measure\n", cell(a, count_points(s)));
	for (size_t z = 0; z < k->n_sizes; z++)
		printf("  %12s  at size %.*s\n", cell(a, space_points(s, z)),
			STR_ARG(k->sizes[z].name));
}

void
space_show_why(struct arena *a, const struct kernel *k, const char *with,
	const struct space_why *w)
{
	printf("%.*s with %s: %s of %s assignments are candidates\n", STR_ARG(k->name),
		shown_c(a, str_of(with)), count_text(a, w->count), count_text(a, w->raw));
	for (size_t i = 0; i < k->n_constraints; i++)
		printf("  %12s  break       %s\n  %12s  would be left without it\n",
			cell(a, w->broken[i]), shown_c(a, expr_text(k->constraints[i])),
			cell(a, w->without[i]));
}

struct names {
	struct candidate_text *label, *id;
};

static struct names
names_new(struct arena *a, const struct kernel *k)
{
	return (struct names){candidate_text_new(a, k, CANDIDATE_LABEL),
		candidate_text_new(a, k, CANDIDATE_ID)};
}

static void
show_line(const struct names *names, const uint16_t *choice, unsigned changed)
{
	shown_print(stdout, candidate_text_label(names->label, choice, changed));
	printf("\t%016" PRIx64 "\n", candidate_text_id(names->id, choice, changed));
}

void
space_show_all(struct arena *a, const struct space *s)
{
	struct names names = names_new(a, s->kernel);
	struct space_walk w;
	space_walk_start(&w, s);
	while (space_next(&w))
		show_line(&names, w.choice, w.changed);
}

void
space_show_some(struct arena *a, const struct space *s, const struct space_some *some)
{
	struct names names = names_new(a, s->kernel);
	for (size_t i = 0; i < some->n; i++)
		show_line(&names, some->v[i].choice, 0);
}

/* --- JSON --------------------------------------------------------------------------- */

static void
put_rules(struct json_out *o, const struct kernel *k, const struct space_why *w)
{
	json_open_array(o, "constraints", false);
	for (size_t i = 0; i < k->n_constraints; i++) {
		json_open_object(o, NULL);
		json_put_str(o, "expression", expr_text(k->constraints[i]));
		put_count(o, "removed", w->removed[i]);
		put_count(o, "broken", w->broken[i]);
		put_count(o, "without", w->without[i]);
		json_close_object(o);
	}
	json_close_array(o);
}

static void
put_candidate(struct arena *a, struct json_out *o, const struct space *s,
	const struct candidate *c)
{
	uint64_t index = 0;
	space_find(s, c->choice, &index);
	json_open_object(o, NULL);
	put_count(o, "index", index);
	json_put_str(o, "label", candidate_label(a, s->kernel, c));
	json_put_str(o, "id", candidate_id(a, s->kernel, c));
	json_put_str(o, "specialization", specialization_name(a, s->kernel, c));
	json_open_array(o, "sizes", true);
	for (size_t z = 0; z < s->kernel->n_sizes; z++)
		if (c->sizes >> z & 1)
			json_put_str(o, NULL, s->kernel->sizes[z].name);
	json_close_array(o);
	json_close_object(o);
}

void
space_put_summary(struct arena *a, struct json_out *o, const struct space *s,
	const struct space_why *w, const struct space_some *some)
{
	const struct kernel *k = s->kernel;
	json_open_object(o, NULL);
	json_put_str(o, "kernel", k->name);
	put_count(o, "assignments", s->raw);
	put_count(o, "count", s->count);
	put_count(o, "specializations", space_specializations(s));
	put_count(o, "points", count_points(s));
	params_put(o, k);
	put_rules(o, k, w);
	json_open_object(o, "points_per_size");
	for (size_t z = 0; z < k->n_sizes; z++)
		put_count(o, str_c(a, k->sizes[z].name), space_points(s, z));
	json_close_object(o);
	json_open_array(o, "candidates", false);
	for (size_t i = 0; i < some->n; i++)
		put_candidate(a, o, s, &some->v[i]);
	json_close_array(o);
	json_close_object(o);
}

void
space_put_why(struct json_out *o, const struct kernel *k, const char *with,
	const struct space_why *w)
{
	json_open_object(o, NULL);
	json_put_str(o, "kernel", k->name);
	json_put_c(o, "with", with);
	put_count(o, "assignments", w->raw);
	put_count(o, "count", w->count);
	put_rules(o, k, w);
	json_close_object(o);
}
