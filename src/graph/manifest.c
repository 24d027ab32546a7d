#include "graph/manifest.h"

#include "base/arena.h"
#include "base/hash.h"
#include "format/ninja.h"
#include "graph/launchers.h"
#include "graph/printer.h"
#include "node/sums.h"

static void
print_head(struct printer *o, const struct manifest_names *names)
{
	static const char *const rules[] = {
		"graph", "stage", "lower", "gate", "compile", "rank", "report"};
	buf_addf(&o->b,
		"# Written by 'lanewise graph' from %s; edit that, not this.\n"
		"ninja_required_version = 1.10\n"
		"builddir = .lanewise\n",
		names->spec);
	print_word_var(o, "", "lanewise", str_of(names->lanewise));
	buf_adds(&o->b,
		"node = exec $lanewise node --events " EVENTS_FILE " --sums " SUMS_FILE
		" --cache " CACHE_DIR " --launch " LAUNCH_FILE "\n");
	ninja_var(&o->b, "", "graph_options", str_of(names->options));
	/* One that measures and one that waits, so that the device never does. */
	for (size_t i = 0; i < o->p->n_devices; i++)
		buf_addf(&o->b, "\npool %s\n  depth = 2\n",
			i ? str_fmt(o->a, "gpu%zu", i).s : "gpu");
	buf_addc(&o->b, '\n');
	for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
		buf_addf(&o->b, "include .lanewise/rules/%s.ninja\n", rules[i]);
	buf_adds(&o->b, plan_measures(o->p) ? "include .lanewise/rules/bench.ninja\n"
					      "include .lanewise/rules/final.ninja\n"
					      "include .lanewise/rules/certify.ninja\n"
					    : "include .lanewise/rules/estimate.ninja\n");
}

static void
print_graph_edge(struct printer *o, const struct manifest_names *names)
{
	struct paths in = {0}, out = {0};
	for (size_t i = 0; i < o->p->leaves.n; i++)
		paths_add(o->a, &in, o->p->leaves.v[i]->path);
	for (const char *const *t = names->tools; *t; t++)
		paths_add(o->a, &in, *t);
	for (size_t i = 0; i < o->p->n_kernels; i++)
		paths_add(o->a, &out, manifest_kernel_file(o->a, &o->p->kernels[i]));
	buf_addc(&o->b, '\n');
	ninja_build(&o->b, &(struct ninja_edge){.rule = "graph",
				   .outs = LIST(names->file),
				   .implicit_outs = out.v,
				   .ins = LIST(names->spec),
				   .implicit_ins = in.v});
	/* A file of these that is gone is a reason to write the graph anew, not an error.
	 */
	if (in.n)
		ninja_build(&o->b, &(struct ninja_edge){.rule = "phony", .outs = in.v});
}

static void
print_leaves(struct printer *o)
{
	buf_addc(&o->b, '\n');
	for (size_t i = 0; i < o->p->leaves.n; i++) {
		const struct leaf *f = o->p->leaves.v[i];
		if (f->outside)
			continue;
		ninja_build(&o->b, &(struct ninja_edge){.rule = "stage",
					   .outs = LIST(f->staged),
					   .ins = LIST(f->path)});
		print_var(o, "sha", str_of(f->hash));
	}
}

static void
print_kernels(struct printer *o, const struct str *texts)
{
	buf_addc(&o->b, '\n');
	for (size_t i = 0; i < o->p->n_kernels; i++) {
		buf_adds(&o->b, "subninja ");
		ninja_path(&o->b, manifest_kernel_file(o->a, &o->p->kernels[i]));
		/* Ninja reloads when this file changes, not when the other does. */
		buf_addf(&o->b, "\n# %s\n", hash_short(o->a, texts[i], 16));
	}
}

static void
print_targets(struct printer *o)
{
	static const char *const targets[] = {"gate", "compile", "bench", "final", "rank",
		"results", "certify", "apply", "check"};
	for (size_t t = 0; t < sizeof targets / sizeof targets[0]; t++) {
		struct paths l = {0};
		for (size_t i = 0; i < o->p->n_kernels; i++)
			paths_add(o->a, &l,
				str_fmt(o->a, "%s-%.*s", targets[t],
					STR_ARG(o->p->kernels[i].k->name))
					.s);
		ninja_phony(&o->b, targets[t], l.v);
	}
	/* 'show' and others read the results of what was reported. */
	ninja_phony(&o->b, "report", LIST(".lanewise/report.json", "results"));
	ninja_build(&o->b, &(struct ninja_edge){.rule = "print",
				   .outs = LIST(".lanewise/printed"),
				   .ins = LIST(".lanewise/report.txt")});
	ninja_phony(&o->b, "tune", LIST(".lanewise/printed", "report"));
	buf_adds(&o->b, "default tune\n");
}

static void
print_whole_report(struct printer *o)
{
	struct paths ranks = {0}, lines = {0};
	for (size_t i = 0; i < o->p->n_kernels; i++) {
		o->k = &o->p->kernels[i];
		paths_add(o->a, &ranks, kernel_file(o, "rank.json"));
		for (size_t s = 0; s < o->k->n_specializations; s++)
			paths_add(o->a, &lines,
				file_of(o, "ptx", o->k->specializations[s].name,
					".lines"));
	}
	buf_addc(&o->b, '\n');
	print_report_edge(o, ".lanewise", ranks, lines);
}

struct str
manifest_text(struct arena *a, const struct plan *p, const struct manifest_names *names,
	const struct str *kernel_texts)
{
	struct printer o = {.a = a, .b = {.a = a}, .p = p};
	print_head(&o, names);
	print_graph_edge(&o, names);
	print_leaves(&o);
	print_kernels(&o, kernel_texts);
	print_whole_report(&o);
	print_targets(&o);
	return buf_str(&o.b);
}

const char *
manifest_kernel_file(struct arena *a, const struct plan_kernel *k)
{
	return str_fmt(a, "%s/build.ninja", k->dir).s;
}
