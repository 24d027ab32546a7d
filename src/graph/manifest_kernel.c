#include "graph/manifest.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/fs.h"
#include "base/hash.h"
#include "format/ninja.h"
#include "graph/points.h"
#include "graph/printer.h"
#include "model/signature.h"

#include <inttypes.h>
#include <math.h>

static int
compute_capability(const struct plan *p)
{
	return p->device->cc_major * 10 + p->device->cc_minor;
}

static const char *const *
staged_deps(struct printer *o, const struct leaf *f)
{
	struct paths l = {0};
	for (size_t i = 0; i < f->n_deps; i++)
		paths_add(o->a, &l, o->p->leaves.v[f->deps[i]]->staged);
	return l.v;
}

static void
add_list(struct buf *words, const char *name, const char *const *list)
{
	for (; list && *list; list++)
		add_option(words, name, str_of(*list));
}

static struct str
lower_words(struct printer *o, const struct plan_specialization *s)
{
	const struct kernel *k = o->k->k;
	struct buf w = {.a = o->a};
	struct str rest = s->defines, define;
	add_list(&w, "dep", staged_deps(o, s->source));
	while (str_split(&rest, ' ', &define))
		if (define.n)
			add_option(&w, "define", define);
	add_option(&w, "include", str_of(fs_dirname(o->a, s->source->staged)));
	for (size_t i = 0; i < o->k->n_includes; i++)
		add_option(&w, "include", str_of(o->k->includes[i]));
	for (size_t i = 0; i < k->n_flags; i++)
		add_option(&w, "flag",
			specialization_flag(o->a, k, s->candidate, k->flags[i].s));
	if (k->command.s.n)
		add_option(&w, "command", k->command.s);
	if (o->k->toolchain->native) {
		add_option(&w, "entry", k->entry.s);
		add_option(&w, "signature", signature_text(o->a, k));
	}
	return buf_str(&w);
}

static void
print_lower(struct printer *o, const struct plan_specialization *s)
{
	const char *lines = file_of(o, "ptx", s->name, ".lines");
	ninja_build(&o->b, &(struct ninja_edge){.rule = "lower",
				   .outs = LIST(file_of(o, "ptx", s->name, ".ptx")),
				   .implicit_outs = LIST(lines),
				   .ins = LIST(s->source->staged),
				   .implicit_ins = staged_deps(o, s->source)});
	print_var(o, "s", s->name);
	print_word_var(o, "  ", "name", str_of(s->source->path));
	print_var(o, "lines", str_of(lines));
	print_var(o, "words", lower_words(o, s));
}

/* Several specializations may run the baseline; each reference names its own point. */
static void
add_reference_words(struct printer *o, struct buf *w, const struct plan_specialization *s)
{
	for (size_t i = 0; i < o->k->n_references; i++) {
		const struct plan_reference *r = &o->k->references[i];
		if (r->baseline < 0)
			continue;
		const struct plan_point *pt = &o->k->points[r->baseline];
		if (&o->k->specializations[pt->specialization] == s)
			buf_addf(w, " --reference %s|%.*s", r->file, STR_ARG(pt->name));
	}
}

static void
print_gate(struct printer *o, const struct plan_specialization *s)
{
	const char *verdict = file_of(o, "gate", s->name, ".verdict.json");
	struct buf w = {.a = o->a};
	for (size_t i = 0; i < s->n_points; i++) {
		const struct plan_point *pt = &o->k->points[s->points[i]];
		buf_addf(&w, "%s--point %.*s|%.*s|%.*s", i ? " " : "", STR_ARG(pt->name),
			STR_ARG(pt->launch), STR_ARG(pt->shape));
	}
	add_reference_words(o, &w, s);
	if (o->p->unsafe)
		buf_adds(&w, " --unsafe");
	ninja_build(&o->b, &(struct ninja_edge){.rule = "gate",
				   .outs = LIST(file_of(o, "gate", s->name, ".dd")),
				   .implicit_outs = LIST(verdict),
				   .ins = LIST(file_of(o, "ptx", s->name, ".ptx")),
				   .implicit_ins = LIST(LIMITS_FILE)});
	print_var(o, "s", s->name);
	print_var(o, "verdict", str_of(verdict));
	print_var(o, "points", buf_str(&w));
}

/* sub: "" for the admitted, "unsafe/" for the refused, whose machine code is kept apart.
 */
static void
print_compile(struct printer *o, const struct plan_specialization *s, const char *sub)
{
	const char *folder = str_fmt(o->a, "%scubin", sub).s;
	const char *facts = file_of(o, folder, s->name, ".facts.json");
	const char *verdict = file_of(o, "gate", s->name, ".verdict.json");
	ninja_build(&o->b, &(struct ninja_edge){.rule = "compile",
				   .outs = LIST(file_of(o, folder, s->name, ".cubin")),
				   .implicit_outs = LIST(facts),
				   .ins = LIST(file_of(o, "ptx", s->name, ".ptx")),
				   .order_ins = LIST(verdict)});
	print_var(o, "s", s->name);
	print_var(o, "verdict", str_of(verdict));
	print_var(o, "facts", str_of(facts));
	if (*sub)
		print_var(o, "words", STR_LIT("--allow-unsafe"));
}

/* Inputs out of files are inputs of every edge that runs the point. */
static const char *const *
with_data(struct printer *o, const struct plan_point *pt, const char *const *list)
{
	struct paths l = {0};
	for (; *list; list++)
		paths_add(o->a, &l, *list);
	for (list = pt->files.inputs; list && *list; list++)
		paths_add(o->a, &l, *list);
	return l.v;
}

static struct str
bench_words(struct printer *o, const struct plan_point *pt, const char *sub)
{
	const struct verify_spec *v = &o->k->k->verify;
	struct buf w = {.a = o->a};
	if (!plan_measures(o->p)) {
		if (!isnan(pt->bytes))
			add_option(&w, "bytes", number_word(o, pt->bytes));
		if (!isnan(pt->flops))
			add_option(&w, "flops", number_word(o, pt->flops));
		return buf_str(&w);
	}
	if (pt->reference >= 0) {
		const struct plan_reference *r = &o->k->references[pt->reference];
		add_option(&w, "reference", str_of(r->file));
		add_option(&w, "reference-by", reference_by(o, pt));
		add_tolerances(o, &w, v);
	}
	add_constants(o, &w);
	add_cache(o, &w);
	if (o->p->epoch)
		add_option(&w, "epoch", str_fmt(o->a, "%ld", o->p->epoch));
	if (v->nondeterministic)
		buf_adds(&w, " --nondeterministic");
	if (*sub)
		add_option(&w, "unsafe", str_of(o->p->unsafe));
	return buf_str(&w);
}

/* Compilers and oracles run on the processors that a host kernel is timed on: all of
 * them are done before the first is. */
static const char *const *
bench_guards(struct printer *o, const char *verdict)
{
	struct paths l = {0};
	paths_add(o->a, &l, verdict);
	if (strcmp(o->p->backend, "host") != 0)
		return l.v;
	paths_add(o->a, &l, "compile");
	for (size_t i = 0; i < o->k->n_references; i++)
		paths_add(o->a, &l, o->k->references[i].file);
	return l.v;
}

static void
print_bench(struct printer *o, const struct plan_specialization *s,
	const struct plan_point *pt, const char *sub)
{
	const char *cubins = str_fmt(o->a, "%scubin", sub).s;
	const char *facts = file_of(o, cubins, s->name, ".facts.json");
	const char *verdict = file_of(o, "gate", s->name, ".verdict.json");
	const char *reference =
		pt->reference >= 0 ? o->k->references[pt->reference].file : NULL;
	ninja_build(&o->b,
		&(struct ninja_edge){.rule = "bench",
			.outs = LIST(file_of(
				o, str_fmt(o->a, "%sbench", sub).s, pt->name, ".json")),
			.ins = LIST(file_of(o, cubins, s->name, ".cubin")),
			.implicit_ins = with_data(
				o, pt, LIST(facts, device_of(o, pt->size), reference)),
			.order_ins = bench_guards(o, verdict)});
	print_var(o, "point", pt->name);
	print_var(o, "facts", str_of(facts));
	print_var(o, "verdict", str_of(verdict));
	print_word_var(o, "  ", "launch", pt->launch);
	if (plan_measures(o->p))
		print_word_var(o, "  ", "args", pt->args);
	print_var(o, "words", bench_words(o, pt, sub));
	print_device(o, pt->size);
}

static void
print_rows(struct printer *o, const struct plan_specialization *s, const char *sub)
{
	const char *dd = file_of(o, "gate", s->name, ".dd");
	const char *dir =
		str_fmt(o->a, "%s%s%s", o->k->dir, *sub ? "/" : "", *sub ? "unsafe" : "")
			.s;
	ninja_build(
		&o->b, &(struct ninja_edge){.rule = "collect",
			       .outs = LIST(file_of(o, str_fmt(o->a, "%srows", sub).s,
				       s->name, ".json")),
			       .ins = LIST(file_of(o, "gate", s->name, ".verdict.json")),
			       .order_ins = LIST(dd)});
	print_var(o, "s", s->name);
	print_var(o, "dir", str_of(dir));
	print_var(o, "dyndep", str_of(dd));
}

static void
print_stamp(struct printer *o, const struct plan_specialization *s)
{
	const char *dd = file_of(o, "gate", s->name, ".dd");
	ninja_build(&o->b, &(struct ninja_edge){.rule = "stamp",
				   .outs = LIST(file_of(o, "compiled", s->name, "")),
				   .order_ins = LIST(dd)});
	print_var(o, "s", s->name);
	print_var(o, "dyndep", str_of(dd));
}

static void
print_specialization(struct printer *o, const struct plan_specialization *s)
{
	buf_adds(&o->b, "\n");
	print_lower(o, s);
	print_gate(o, s);
	print_compile(o, s, "");
	for (size_t i = 0; i < s->n_points; i++)
		print_bench(o, s, &o->k->points[s->points[i]], "");
	print_rows(o, s, "");
	print_stamp(o, s);
	if (!o->p->unsafe)
		return;
	print_compile(o, s, "unsafe/");
	for (size_t i = 0; i < s->n_points; i++)
		print_bench(o, s, &o->k->points[s->points[i]], "unsafe/");
	print_rows(o, s, "unsafe/");
}

static void
print_oracle(struct printer *o)
{
	const struct leaf *f = o->k->oracle;
	if (!f)
		return;
	struct buf w = {.a = o->a};
	add_list(&w, "dep", staged_deps(o, f));
	add_option(&w, "include", str_of(fs_dirname(o->a, f->staged)));
	for (size_t i = 0; i < o->k->n_includes; i++)
		add_option(&w, "include", str_of(o->k->includes[i]));
	ninja_build(
		&o->b, &(struct ninja_edge){.rule = "oracle",
			       .outs = LIST(str_fmt(o->a, "%s/oracle.so", o->k->dir).s),
			       .ins = LIST(f->staged),
			       .implicit_ins = staged_deps(o, f)});
	print_var(o, "words", buf_str(&w));
	print_word_var(o, "  ", "compiler", o->p->compiler);
}

static void
print_baseline(struct printer *o, const struct plan_reference *r)
{
	const struct plan_point *pt = &o->k->points[r->baseline];
	const struct plan_specialization *s = &o->k->specializations[pt->specialization];
	const char *dd = file_of(o, "gate", s->name, ".dd");
	struct buf w = {.a = o->a};
	ninja_build(&o->b,
		&(struct ninja_edge){.rule = "baseline",
			.outs = LIST(r->file),
			.ins = LIST(file_of(o, "gate", s->name, ".verdict.json")),
			.implicit_ins = with_data(o, pt, LIST(device_of(o, pt->size))),
			.order_ins = LIST(dd)});
	print_device(o, pt->size);
	print_var(o, "point", pt->name);
	print_var(o, "cubin", str_of(file_of(o, "cubin", s->name, ".cubin")));
	print_var(o, "facts", str_of(file_of(o, "cubin", s->name, ".facts.json")));
	print_word_var(o, "  ", "launch", pt->launch);
	print_word_var(o, "  ", "args", pt->inputs);
	add_constants(o, &w);
	if (w.n)
		print_var(o, "words", buf_str(&w));
	print_var(o, "dyndep", str_of(dd));
}

static void
print_expected(struct printer *o, const struct plan_reference *r)
{
	const struct plan_point *pt = &o->k->points[r->point];
	struct buf w = {.a = o->a};
	add_list(&w, "npy", pt->files.npy);
	ninja_build(&o->b,
		&(struct ninja_edge){
			.rule = "expected", .outs = LIST(r->file), .ins = pt->files.npy});
	print_word_var(o, "  ", "args", r->args);
	print_var(o, "words", buf_str(&w));
}

static void
print_references(struct printer *o)
{
	for (size_t i = 0; i < o->k->n_references; i++) {
		const struct plan_reference *r = &o->k->references[i];
		if (r->baseline >= 0) {
			print_baseline(o, r);
			continue;
		}
		const struct plan_point *pt = &o->k->points[r->point];
		if (pt->files.npy) {
			print_expected(o, r);
			continue;
		}
		ninja_build(&o->b,
			&(struct ninja_edge){.rule = "reference",
				.outs = LIST(r->file),
				.ins = LIST(str_fmt(o->a, "%s/oracle.so", o->k->dir).s),
				.implicit_ins = pt->files.inputs});
		print_word_var(o, "  ", "args", r->args);
	}
}

/* One target a stage: "gate-reduce". */
static void
print_targets(struct printer *o)
{
	static const struct {
		const char *target, *sub, *ext;
	} stages[] = {
		{"gate", "gate", ".dd"},
		{"compile", "compiled", ""},
		{"bench", "rows", ".json"},
	};
	struct str name = o->k->k->name;
	for (size_t t = 0; t < 3; t++) {
		struct paths l = {0};
		for (size_t i = 0; i < o->k->n_specializations; i++)
			paths_add(o->a, &l,
				file_of(o, stages[t].sub, o->k->specializations[i].name,
					stages[t].ext));
		ninja_phony(&o->b,
			str_fmt(o->a, "%s-%.*s", stages[t].target, STR_ARG(name)).s, l.v);
	}
	struct paths finals = {0};
	for (size_t i = 0; i < o->k->k->n_sizes && plan_measures(o->p); i++)
		paths_add(o->a, &finals, of_size(o, "final", &o->k->k->sizes[i]));
	ninja_phony(&o->b, str_fmt(o->a, "final-%.*s", STR_ARG(name)).s, finals.v);
	struct paths certificates = {0};
	for (size_t i = 0; i < o->k->k->n_sizes && plan_measures(o->p); i++)
		paths_add(o->a, &certificates, of_size(o, "certify", &o->k->k->sizes[i]));
	ninja_phony(
		&o->b, str_fmt(o->a, "certify-%.*s", STR_ARG(name)).s, certificates.v);
	ninja_phony(&o->b, str_fmt(o->a, "rank-%.*s", STR_ARG(name)).s,
		LIST(kernel_file(o, "rank.json")));
	const char *report = kernel_file(o, "report.json");
	ninja_phony(&o->b, str_fmt(o->a, "report-%.*s", STR_ARG(name)).s,
		LIST(report, kernel_file(o, "results.json")));
	const char *shown = str_fmt(o->a, "%s/printed", o->k->dir).s;
	ninja_build(
		&o->b, &(struct ninja_edge){.rule = "print",
			       .outs = LIST(shown),
			       .ins = LIST(str_fmt(o->a, "%s/report.txt", o->k->dir).s)});
	ninja_phony(&o->b, str_fmt(o->a, "tune-%.*s", STR_ARG(name)).s,
		LIST(shown, report, kernel_file(o, "results.json")));
	ninja_phony(&o->b, str_fmt(o->a, "results-%.*s", STR_ARG(name)).s,
		LIST(kernel_file(o, "results.json")));
}

static void
print_kernel_vars(struct printer *o)
{
	const struct kernel *k = o->k->k;
	struct str f = k->verify.function.s;
	buf_addf(&o->b,
		"# Written by 'lanewise graph': %" PRIu64
		" candidates, %zu specializations, "
		"%zu points\n",
		o->k->space->count, o->k->n_specializations, o->k->n_points);
	ninja_var(&o->b, "", "kernel", k->name);
	ninja_var(&o->b, "", "dir", str_of(o->k->dir));
	ninja_var(&o->b, "", "toolchain", str_of(o->k->toolchain->name));
	print_word_var(o, "", "version", o->k->toolchain_version);
	print_word_var(o, "", "assembler", o->p->assembler);
	print_word_var(o, "", "entry", k->entry.s);
	ninja_var(&o->b, "", "cc", str_fmt(o->a, "%d", compute_capability(o->p)));
	ninja_var(&o->b, "", "device", STR_LIT(DEVICE_FILE));
	ninja_var(&o->b, "", "exit", str_of(k->exit_release ? "release" : "strict"));
	ninja_var(&o->b, "", "site", str_of(k->site_lenient ? "lenient" : "strict"));
	ninja_var(&o->b, "", "admit", str_of(admit_name(k->admit)));
	ninja_var(&o->b, "", "timeout", str_fmt(o->a, "%.17g", k->timeout_s));
	ninja_var(&o->b, "", "seed", str_fmt(o->a, "%llu", (unsigned long long)k->seed));
	ninja_var(&o->b, "", "function", f.n ? f : STR_LIT("lanewise_oracle"));
}

struct str
manifest_kernel_text(struct arena *a, const struct plan *p, const struct plan_kernel *k)
{
	struct printer o = {.a = a, .b = {.a = a}, .p = p, .k = k};
	struct paths rank = {0}, lines = {0};
	print_kernel_vars(&o);
	print_oracle(&o);
	print_references(&o);
	for (size_t s = 0; s < k->n_specializations; s++) {
		print_specialization(&o, &k->specializations[s]);
		paths_add(a, &lines,
			file_of(&o, "ptx", k->specializations[s].name, ".lines"));
	}
	buf_adds(&o.b, "\n");
	if (plan_measures(p))
		print_finals(&o);
	print_rank(&o);
	if (plan_measures(p))
		print_certify(&o);
	print_ranked(&o);
	paths_add(a, &rank, fs_join(a, k->dir, "rank.json"));
	print_report_edge(&o, k->dir, rank, lines);
	print_targets(&o);
	print_apply(&o);
	return buf_str(&o.b);
}

struct str
manifest_seed_dyndep(struct arena *a, const struct plan *p, const struct plan_kernel *k,
	const struct plan_specialization *s)
{
	struct buf b = {.a = a};
	buf_addf(&b, "ninja_dyndep_version = 1\nbuild %s/rows/%.*s.json: dyndep\n",
		k->dir, STR_ARG(s->name));
	buf_addf(&b, "build %s/compiled/%.*s: dyndep\n", k->dir, STR_ARG(s->name));
	for (size_t i = 0; i < k->n_references; i++) {
		const struct plan_reference *r = &k->references[i];
		if (r->baseline >= 0 &&
			&k->specializations[k->points[r->baseline].specialization] == s)
			buf_addf(&b, "build %s: dyndep\n", r->file);
	}
	if (p->unsafe)
		buf_addf(&b, "build %s/unsafe/rows/%.*s.json: dyndep\n", k->dir,
			STR_ARG(s->name));
	return buf_str(&b);
}
