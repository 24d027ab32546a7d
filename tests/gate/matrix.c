/*
 * The labelled kernels as another compiler lowers them: tests/gate/NAME.cu is compiled
 * and every launch of tests/gate/launches.txt judged on that PTX.
 *
 *     matrix TARGET TOOLCHAIN CC FROM EVERY [FLAG]...
 *
 * Kernels FROM, FROM + EVERY, ... are taken. Prints one line for each launch whose answer
 * is not the label's and for each kernel left out, and the sums; TARGET is what it calls
 * itself. Exit status: 0 the answers are right, 1 they are not, 77 the toolchain is not
 * here. Caveats are told and do not count: another compiler's code may be harder. Nor do
 * lines of debug code: its line table does not say where functions were inlined.
 */
#include "base/diag.h"
#include "toolchain/toolchain.h"
#include "unit/labelled.h"

struct matrix {
	struct arena a;
	const char *target;
	const struct toolchain *t;
	unsigned cc;
	const char *const *flags;
	unsigned kernels, left_out;
	unsigned exact, accepted, needless, wrong, lines;
};

static const struct ptx_module *
lower(struct matrix *x, struct str name)
{
	const char *path =
		tests_path(&x->a, str_fmt(&x->a, "gate/%.*s.cu", STR_ARG(name)).s);
	struct lower_request q = {.name = path,
		.path = path,
		.defines = (const char *const[]){NULL},
		.includes = (const char *const[]){NULL},
		.flags = x->flags,
		.cc = (int)x->cc,
		.timeout_ns = 120 * INT64_C(1000000000)};
	struct lower_result r = {0};
	struct diag d = {0};
	struct source *src = arena_new(&x->a, struct source);

	if (!fs_try_read(&x->a, path, &q.source)) {
		printf("%s %.*s: no source, PTX only\n", x->target, STR_ARG(name));
		return NULL;
	}
	if (x->cc < 90 && str_has(q.source, STR_LIT("__CUDA_ARCH__"))) {
		printf("%s %.*s: other code before sm_90, which the labels are for\n",
			x->target, STR_ARG(name));
		return NULL;
	}
	if (!x->t->lower(&x->a, &q, &r) || !r.ok) {
		struct str why = r.err_message.n ? r.err_message : r.log;
		struct str first = {0};

		str_line(&why, &first);
		printf("%s %.*s: not compiled: %.*s\n", x->target, STR_ARG(name),
			STR_ARG(first));
		return NULL;
	}
	*src = (struct source){path, r.ptx};
	return ptx_parse(&x->a, src, &d);
}

static void
judge(struct matrix *x, const struct label *l, const struct gate_kernel *k)
{
	struct verdict v = label_check(&x->a, l, k, false);
	const char *what = NULL;

	if (v.kind == l->expected)
		x->exact++;
	else if (label_accepts(l, v.kind))
		x->accepted++, what = "accepted";
	else if (is_opposite(l->expected, v.kind))
		x->wrong++, what = "WRONG";
	else
		x->needless++, what = "not accepted";
	if (what)
		printf("%s %.*s: %s, label %s: %s\n", x->target,
			STR_ARG(label_text(&x->a, l)), verdict_name(v.kind),
			verdict_name(l->expected), what);
	if (!label_blames(&x->a, l, &v)) {
		x->lines++;
		printf("%s %.*s: blames line %u, label %.*s: WRONG LINE\n", x->target,
			STR_ARG(label_text(&x->a, l)),
			v.n_findings ? (unsigned)v.findings[0].line : 0,
			STR_ARG(l->lines));
	}
}

/* Kernels from, from + every, ... of the list. */
static void
run(struct matrix *x, const struct labels *all, unsigned from, unsigned every)
{
	const struct gate_kernel *k = NULL;
	struct str last = {0}, why = {0};
	unsigned nth = 0;

	for (size_t i = 0; i < all->n; i++) {
		const struct label *l = &all->v[i];

		if (!str_eq(l->kernel, last)) {
			last = l->kernel;
			k = NULL;
			if (nth++ % every != from)
				continue;
			const struct ptx_module *m = lower(x, last);

			x->kernels++;
			if (m && !(k = gate_prepare(&x->a, m, last, &why)))
				printf("%s %.*s: %.*s\n", x->target, STR_ARG(last),
					STR_ARG(why));
			x->left_out += !k;
		}
		if (k)
			judge(x, l, k);
	}
}

static bool
option(const char *s, unsigned *out)
{
	int64_t v;

	*out = 0;
	if (!str_to_i64(str_of(s), &v) || v < 0 || v > 999)
		return false;
	*out = (unsigned)v;
	return true;
}

int
main(int argc, char **argv)
{
	struct matrix x = {.target = argc > 1 ? argv[1] : "?"};
	unsigned from, every;
	bool debug = false;

	if (argc < 6 || !(x.t = toolchain_find(str_of(argv[2]))) ||
		!option(argv[3], &x.cc) || !option(argv[4], &from) ||
		!option(argv[5], &every) || from >= every) {
		fprintf(stderr,
			"usage: matrix TARGET TOOLCHAIN CC FROM EVERY [FLAG]...\n");
		return 2;
	}
	x.flags = (const char *const *)argv + 6;
	for (int i = 6; i < argc; i++)
		debug = debug || !strcmp(argv[i], "-G") ||
			!strcmp(argv[i], "--device-debug");
	struct toolchain_info info = x.t->probe(&x.a);

	if (!info.present || (unsigned)info.max_cc < x.cc) {
		printf("skipped: %s: %.*s\n", x.target, STR_ARG(info.why));
		return 77;
	}
	struct labels all = labels_read(&x.a, tests_path(&x.a, "gate/launches.txt"));

	run(&x, &all, from, every);
	printf("%s: %.*s: %u kernels, %u left out; launches: %u exact, %u accepted "
	       "caveats, %u other caveats, %u wrong, %u blame another line\n",
		x.target, STR_ARG(info.version), x.kernels, x.left_out, x.exact,
		x.accepted, x.needless, x.wrong, x.lines);
	return x.wrong || (!debug && x.lines);
}
