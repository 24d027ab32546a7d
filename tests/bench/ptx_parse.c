/*
 * How fast PTX is read: ptx_parse [-c] [-s] [-n SECONDS] FILE...
 * Prints megabytes a second of parsing (with -c: and of building the graphs too; with -s:
 * and of slicing every entry), the best of as many runs as fit.  Times are of the
 * processor.  -d dumps the graphs instead, for comparison with others.
 */
#include "base/arena.h"
#include "base/diag.h"
#include "base/fs.h"
#include "ptx/cfg.h"
#include "slice/slice.h"

#include <inttypes.h>
#include <time.h>

enum work { PARSE, GRAPHS, SLICES };

static void
dump_func(const struct cfg *c)
{
	printf("func %.*s ins %u blocks %u\n", STR_ARG(c->f->name), c->f->n_ins, c->n);
	for (uint32_t v = 0; v < c->n; v++) {
		const struct bb *b = &c->bb[v];
		if (!b->reachable)
			continue;
		printf("%u: line %u term %d ins %u ipdom %d ipdom2 %d loop %d site %d\n",
			v, b->line, (int)b->term, b->n_ins,
			b->ipdom == c->exit ? -1 : (int)b->ipdom,
			b->ipdom2 == c->exit ? -1 : (int)b->ipdom2, b->in_loop,
			b->has_site);
	}
}

static bool
dump(const char *file)
{
	struct arena a = {0};
	struct diag d = {0};
	struct source src = {file, fs_read(&a, file)};
	const struct ptx_module *m = ptx_parse(&a, &src, &d);
	if (!m)
		return false;
	const struct cfg *c = cfg_build(&a, m, false);
	for (uint32_t i = 0; i < m->n_funcs; i++)
		if (c[i].n)
			dump_func(&c[i]);
	for (uint32_t i = 0; i < m->n_forms; i++)
		if (m->forms[i]->op == PTX_UNKNOWN)
			printf("unknown %.*s\n", STR_ARG(m->forms[i]->text));
	arena_release(&a);
	return true;
}

static int64_t
cpu_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void
prepare(struct arena *a, const struct ptx_module *m, enum work work)
{
	const struct cfg *c = work >= GRAPHS ? cfg_build(a, m, false) : NULL;
	for (uint32_t i = 0; work == SLICES && i < m->n_funcs; i++)
		if (m->funcs[i].entry && m->funcs[i].defined)
			slice_build(a, m, c, &m->funcs[i], SLICE_REGISTERS);
}

static bool
measure(const char *file, enum work work, double seconds)
{
	static const char *const what[] = {
		"parse", "parse and graphs", "parse, graphs and slices"};
	struct arena text = {0}, a = {0};
	struct diag d = {0};
	struct source src = {file, fs_read(&text, file)};
	int64_t best = INT64_MAX, begin = cpu_ns();
	unsigned runs = 0;
	uint64_t ins = 0;
	while (runs < 3 || (double)(cpu_ns() - begin) < seconds * 1e9) {
		int64_t t = cpu_ns();
		const struct ptx_module *m = ptx_parse(&a, &src, &d);
		if (!m)
			return false;
		prepare(&a, m, work);
		t = cpu_ns() - t;
		best = t < best ? t : best;
		ins = 0;
		for (uint32_t i = 0; i < m->n_funcs; i++)
			ins += m->funcs[i].n_ins;
		arena_release(&a);
		runs++;
	}
	printf("%s: %zu bytes, %" PRIu64
	       " instructions, %s %.3f ms, %.0f MB/s (%u runs)\n",
		file, src.text.n, ins, what[work], (double)best / 1e6,
		(double)src.text.n * 1e3 / (double)best, runs);
	arena_release(&text);
	return true;
}

int
main(int argc, char **argv)
{
	bool dumps = false, ok = true;
	enum work work = PARSE;
	double seconds = 1;
	int i = 1;
	for (; i < argc && argv[i][0] == '-'; i++) {
		if (argv[i][1] == 'c')
			work = GRAPHS;
		else if (argv[i][1] == 's')
			work = SLICES;
		else if (argv[i][1] == 'd')
			dumps = true;
		else if (argv[i][1] == 'n' && i + 1 < argc)
			str_to_f64(str_of(argv[++i]), &seconds);
	}
	for (; i < argc; i++)
		ok &= dumps ? dump(argv[i]) : measure(argv[i], work, seconds);
	return ok ? 0 : 1;
}
