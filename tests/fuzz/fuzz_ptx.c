/*
 * Any bytes as PTX: parsing, graphs, printing and line splitting neither crash nor hang,
 * and what was understood is understood again after printing.
 */
#include "base/arena.h"
#include "base/diag.h"
#include "ptx/cfg.h"
#include "ptx/lines.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static FILE *
nowhere(void)
{
	static FILE *f;
	if (!f)
		f = fopen("/dev/null", "w");
	return f;
}

static void
check_graph(const struct cfg *c)
{
	for (uint32_t v = 0; v < c->n; v++) {
		const struct bb *b = &c->bb[v];
		if (!b->reachable)
			continue;
		if (b->rpo == PTX_NONE || !cfg_dominates(c, b->idom, v))
			BUG("block %u: no dominator", v);
		if (b->ipdom > c->exit || b->ipdom2 > c->exit ||
			(b->in_loop != (b->scc < c->n_scc)))
			BUG("block %u: no place to meet", v);
	}
}

static void
check_walks(const struct ptx_func *f, const struct ptx_ins *ins)
{
	ptx_reg r;
	struct ptx_walk w = ptx_reads(ins);
	while (ptx_walk_next(&w, &r))
		if (r >= f->n_regs)
			BUG("a register out of range");
	w = ptx_writes(ins);
	while (ptx_walk_next(&w, &r))
		if (r >= f->n_regs)
			BUG("a register out of range");
	ptx_membermask(ins);
	ptx_barrier_id(ins);
	ptx_barrier_count(ins);
}

static void
check_print(struct arena *a, const struct ptx_module *m, struct diag *d)
{
	struct source src = {"printed", ptx_print(a, m)};
	const struct ptx_module *again = ptx_parse(a, &src, d);
	if (!again)
		BUG("printed text is not understood:\n%.*s", STR_ARG(src.text));
	struct str text = ptx_print(a, again); /* entries may come in another order */
	if (text.n != src.text.n)
		BUG("printed twice, differs:\n%.*s\n----\n%.*s", STR_ARG(src.text),
			STR_ARG(text));
}

static void
check_split(struct arena *a, struct str text, struct diag *d)
{
	struct ptx_split s = ptx_split_lines(a, text, STR_LIT("/tmp/"));
	struct source src = {"lines", s.lines};
	struct ptx_lines l;
	if (!ptx_lines_read(a, &src, d, &l))
		BUG("map is not understood:\n%.*s", STR_ARG(s.lines));
	struct ptx_line none = {0};
	for (uint32_t i = 0; i < 20; i++) {
		const struct ptx_line *at = ptx_lines_find(&l, i);
		ptx_line_shown(at ? at : &none);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct arena a = {0};
	struct diag d = {.to = nowhere()};
	struct source src = {"fuzz.ptx", {(const char *)data, n}};
	struct ptx_module *m = ptx_parse(&a, &src, &d);
	if (m) {
		const struct cfg *c = cfg_build(&a, m, false);
		for (uint32_t i = 0; i < m->n_funcs; i++) {
			check_graph(&c[i]);
			for (uint32_t k = 0; k < m->funcs[i].n_ins; k++)
				check_walks(&m->funcs[i], &m->funcs[i].ins[k]);
			for (uint32_t k = 0; k < m->funcs[i].n_ins && k < 100; k++)
				ptx_ins_text(m, &m->funcs[i].ins[k]);
		}
		check_print(&a, m, &d);
	} else if (!d.errors)
		BUG("failed without a word");
	check_split(&a, src.text, &d);
	arena_release(&a);
	return 0;
}
