#include "graph/printer.h"

#include "base/arena.h"
#include "base/fs.h"
#include "format/ninja.h"
#include "model/constant.h"
#include "model/result.h"

void
paths_add(struct arena *a, struct paths *l, const char *path)
{
	arena_grow(a, l->v, l->n, l->cap);
	l->v[l->n++] = path;
	/* Room for the NULL that ends it. */
	arena_grow(a, l->v, l->n, l->cap);
	l->v[l->n] = NULL;
}

void
print_var(struct printer *o, const char *name, struct str value)
{
	ninja_var(&o->b, "  ", name, value);
}

void
print_word_var(struct printer *o, const char *indent, const char *name, struct str value)
{
	struct buf w = {.a = o->a};
	ninja_shell_word(&w, value);
	ninja_var(&o->b, indent, name, buf_str(&w));
}

void
add_option(struct buf *words, const char *name, struct str value)
{
	buf_addf(words, "%s--%s ", words->n ? " " : "", name);
	ninja_shell_word(words, value);
}

const char *
file_of(struct printer *o, const char *sub, struct str name, const char *ext)
{
	return str_fmt(o->a, "%s/%s/%.*s%s", o->k->dir, sub, STR_ARG(name), ext).s;
}

struct str
number_word(struct printer *o, double v)
{
	return str_fmt(o->a, "%.17g", v);
}

void
add_tolerances(struct printer *o, struct buf *w, const struct verify_spec *v)
{
	add_option(w, "abs", number_word(o, v->tolerance.abs));
	add_option(w, "rel", number_word(o, v->tolerance.rel));
	add_option(w, "ulp", str_fmt(o->a, "%lld", (long long)v->tolerance.ulp));
}

struct str
reference_by(struct printer *o, const struct plan_point *pt)
{
	return str_of(o->k->references[pt->reference].baseline >= 0 ? "baseline"
		      : pt->files.npy                               ? "npy"
								    : "oracle");
}

void
add_constants(struct printer *o, struct buf *w)
{
	const struct kernel *k = o->k->k;
	if (k->n_constants)
		add_option(w, "constants",
			constants_text(o->a, k->constants, k->n_constants));
}

void
add_cache(struct printer *o, struct buf *w)
{
	if (o->k->k->measure.warm)
		add_option(w, "cache", str_of(cache_mode_name(CACHE_WARM)));
}

const char *
device_file(struct arena *a, size_t i)
{
	return i ? str_fmt(a, ".lanewise/device-%zu.json", i).s : DEVICE_FILE;
}

const char *
kernel_file(struct printer *o, const char *name)
{
	return fs_join(o->a, o->k->dir, name);
}

static size_t
device_index(struct printer *o, const struct size *size)
{
	return o->k->device_of[size - o->k->k->sizes];
}

const char *
device_of(struct printer *o, const struct size *size)
{
	return device_file(o->a, device_index(o, size));
}

void
print_device(struct printer *o, const struct size *size)
{
	size_t i = device_index(o, size);
	if (!i)
		return;
	print_var(o, "device", str_of(device_of(o, size)));
	if (plan_measures(o->p))
		print_var(o, "pool", str_fmt(o->a, "gpu%zu", i));
}

bool
plan_measures(const struct plan *p)
{
	return strcmp(p->backend, "model") != 0;
}

void
print_report_edge(
	struct printer *o, const char *dir, struct paths ranks, struct paths lines)
{
	struct buf w = {.a = o->a};
	struct paths ranked = {0};
	for (size_t i = 0; i < ranks.n; i++) {
		add_option(&w, "rank", str_of(ranks.v[i]));
		paths_add(o->a, &ranked,
			fs_join(o->a, fs_dirname(o->a, ranks.v[i]), "ranked.json"));
	}
	const char *text = str_fmt(o->a, "%s/report.txt", dir).s;
	/* Sources are excerpted in the text, so the staged leaves are inputs as well. */
	for (size_t i = 0; i < o->p->leaves.n; i++)
		paths_add(o->a, &lines, o->p->leaves.v[i]->staged);
	ninja_build(&o->b, &(struct ninja_edge){.rule = "report",
				   .outs = LIST(fs_join(o->a, dir, "report.json")),
				   .implicit_outs = LIST(text),
				   .ins = ranks.v,
				   .implicit_ins = lines.v,
				   .order_ins = ranked.v});
	print_var(o, "text", str_of(text));
	print_var(o, "words", buf_str(&w));
}
