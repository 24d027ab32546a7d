/* The edges of one kernel after its results: shortlist, final, rank, apply. */
#include "base/arena.h"
#include "base/hash.h"
#include "format/ninja.h"
#include "graph/points.h"
#include "graph/printer.h"

const char *
of_size(struct printer *o, const char *sub, const struct size *size)
{
	return file_of(o, sub, size->name, ".json");
}

static bool
wants_energy(const struct kernel *k)
{
	return str_is(k->objective.s, "energy") ||
	       str_has(k->objective.s, STR_LIT("joules"));
}

static void
add_objective(struct printer *o, struct buf *w)
{
	if (o->k->k->objective.s.n)
		add_option(w, "objective", o->k->k->objective.s);
}

/* What the final's members have in common: the words of their benches. */
static struct str
final_words(struct printer *o)
{
	const struct verify_spec *v = &o->k->k->verify;
	struct buf w = {.a = o->a};
	for (size_t i = 0; i < o->k->n_points; i++)
		if (o->k->points[i].reference >= 0) {
			add_option(&w, "reference-by", reference_by(o, &o->k->points[i]));
			add_tolerances(o, &w, v);
			break;
		}
	if (v->nondeterministic)
		buf_adds(&w, " --nondeterministic");
	add_constants(o, &w);
	add_cache(o, &w);
	add_option(&w, "margin", number_word(o, o->k->k->measure.margin));
	if (wants_energy(o->k->k))
		buf_adds(&w, " --energy");
	if (o->p->epoch)
		add_option(&w, "epoch", str_fmt(o->a, "%ld", o->p->epoch));
	return buf_str(&w);
}

/* The library's function that stands beside the candidates, by what it is. */
static struct str
shortlist_words(struct printer *o, size_t size)
{
	struct buf w = {.a = o->a};
	const struct leaf *object = o->k->library;
	add_objective(o, &w);
	if (o->k->libraries[size].n)
		add_option(&w, "library", o->k->libraries[size]);
	if (object)
		add_option(&w, "library-hash",
			str_of(hash_short(o->a, object->text, HASH_HEX)));
	return buf_str(&w);
}

void
print_finals(struct printer *o)
{
	const char *object = o->k->library ? o->k->library->staged : NULL;
	const char *points = kernel_file(o, "points.json");
	struct paths rows = {0};
	struct buf w = {.a = o->a};
	for (size_t i = 0; i < o->k->n_specializations; i++) {
		struct str s = o->k->specializations[i].name;
		paths_add(o->a, &rows, file_of(o, "rows", s, ".json"));
		buf_addf(&w, "%s--row %s", i ? " " : "", rows.v[i]);
	}
	paths_add(o->a, &rows, DEVICE_FILE);
	for (size_t i = 0; i < o->k->k->n_sizes; i++) {
		const struct size *size = &o->k->k->sizes[i];
		ninja_build(&o->b, &(struct ninja_edge){.rule = "shortlist",
					   .outs = LIST(of_size(o, "shortlist", size)),
					   .ins = LIST(points),
					   .implicit_ins = rows.v});
		print_word_var(o, "  ", "size", size->name);
		print_var(o, "points", str_of(points));
		print_var(o, "rows", buf_str(&w));
		print_var(o, "words", shortlist_words(o, i));
		ninja_build(
			&o->b, &(struct ninja_edge){.rule = "final",
				       .outs = LIST(of_size(o, "final", size)),
				       .ins = LIST(of_size(o, "shortlist", size)),
				       .implicit_ins = LIST(device_of(o, size), object)});
		print_word_var(o, "  ", "size", size->name);
		print_device(o, size);
		print_var(o, "words", final_words(o));
	}
}

static void
add_finals(struct printer *o, struct paths *ins, struct buf *words)
{
	for (size_t i = 0; i < o->k->k->n_sizes && plan_measures(o->p); i++) {
		paths_add(o->a, ins, of_size(o, "final", &o->k->k->sizes[i]));
		buf_addf(words, " --final %s", ins->v[ins->n - 1]);
	}
}

/* From the same files as the ranking. */
static void
print_results(struct printer *o, struct paths *rows, struct str words)
{
	const char *points = kernel_file(o, "points.json");
	const char *pins = kernel_file(o, "pins.json");
	paths_add(o->a, rows, pins);
	ninja_build(&o->b, &(struct ninja_edge){.rule = "results",
				   .outs = LIST(kernel_file(o, "results.json")),
				   .ins = LIST(points),
				   .implicit_ins = rows->v});
	print_var(o, "points", str_of(points));
	print_var(o, "pins", str_of(pins));
	print_var(o, "rows", words);
}

void
print_rank(struct printer *o)
{
	struct paths rows = {0};
	struct buf w = {.a = o->a};
	for (size_t i = 0; i < o->k->n_specializations; i++) {
		const struct plan_specialization *s = &o->k->specializations[i];
		paths_add(o->a, &rows, file_of(o, "rows", s->name, ".json"));
		buf_addf(&w, "%s--row %s", i ? " " : "", rows.v[rows.n - 1]);
		if (!o->p->unsafe)
			continue;
		paths_add(o->a, &rows, file_of(o, "unsafe/rows", s->name, ".json"));
		buf_addf(&w, " --unsafe-row %s", rows.v[rows.n - 1]);
	}
	add_finals(o, &rows, &w);
	paths_add(o->a, &rows, DEVICE_FILE);
	const char *points = kernel_file(o, "points.json");
	ninja_build(&o->b, &(struct ninja_edge){.rule = "rank",
				   .outs = LIST(kernel_file(o, "rank.json")),
				   .ins = LIST(points),
				   .implicit_ins = rows.v});
	print_var(o, "points", str_of(points));
	print_var(o, "rows", buf_str(&w));
	struct buf words = {.a = o->a};
	add_objective(o, &words);
	if (plan_measures(o->p))
		add_option(&words, "margin", number_word(o, o->k->k->measure.margin));
	if (o->p->unsafe)
		add_option(&words, "unsafe-reason", str_of(o->p->unsafe));
	print_var(o, "words", buf_str(&words));
	print_results(o, &rows, buf_str(&w));
}

void
print_certify(struct printer *o)
{
	struct buf w = {.a = o->a};
	if (o->p->checker.present) {
		add_option(&w, "checker", o->p->checker.path);
		add_option(&w, "checker-version", o->p->checker.version);
	}
	for (size_t i = 0; i < o->k->k->n_sizes; i++) {
		const struct size *size = &o->k->k->sizes[i];
		const char *list = of_size(o, "shortlist", size);
		ninja_build(
			&o->b, &(struct ninja_edge){.rule = "certify",
				       .outs = LIST(of_size(o, "certify", size)),
				       .ins = LIST(kernel_file(o, "rank.json")),
				       .implicit_ins = LIST(list, device_of(o, size))});
		print_word_var(o, "  ", "size", size->name);
		print_var(o, "shortlist", str_of(list));
		print_var(o, "words", buf_str(&w));
		print_device(o, size);
	}
}

/* The pins as of the ranking: a copy that is made once rank.json is up to date with them.
 */
void
print_ranked(struct printer *o)
{
	const char *pins = kernel_file(o, "pins.json");
	ninja_build(&o->b, &(struct ninja_edge){.rule = "stage",
				   .outs = LIST(kernel_file(o, "ranked.json")),
				   .ins = LIST(pins),
				   .implicit_ins = LIST(kernel_file(o, "rank.json"))});
	print_var(o, "sha", str_of(hash_short(o->a, pins_json(o->a, o->p, o->k), 16)));
}

void
print_apply(struct printer *o)
{
	struct str name = o->k->k->name;
	const char *rank = kernel_file(o, "rank.json");
	const char *ranked = kernel_file(o, "ranked.json");
	const char *pins = kernel_file(o, "pins.json");
	const char *apply = str_fmt(o->a, "apply-%.*s", STR_ARG(name)).s;
	const char *check = str_fmt(o->a, "check-%.*s", STR_ARG(name)).s;
	/* No file: applying and checking always look at the project as it is. */
	ninja_build(&o->b, &(struct ninja_edge){.rule = "apply",
				   .outs = LIST(apply),
				   .ins = LIST(rank),
				   .implicit_ins = LIST(ranked)});
	ninja_build(
		&o->b, &(struct ninja_edge){
			       .rule = "check", .outs = LIST(check), .ins = LIST(pins)});
}
