/*
 * Properties of the PTX layer against slow and obvious oracles:
 *   - dominators, components and joins against reachability with a node removed;
 *   - parsing what was printed gives the same structure, on random kernels.
 * LANEWISE_SEED chooses the stream; a failure prints it.
 */
#include "unit/captured.h"

#include "base/rng.h"
#include "ptx/cfg.h"
#include "ptx/digraph.h"

enum { NODES = 12, GRAPHS = 3000, KERNELS = 400 };

static uint64_t
seed(void)
{
	const char *s = getenv("LANEWISE_SEED");
	uint64_t v = 20260101;
	if (s)
		str_to_u64(str_of(s), &v);
	return v;
}

/* ---- graphs ---- */

static bool edge[NODES][NODES];

static void
reach(uint32_t n, uint32_t from, uint32_t without, bool *seen)
{
	uint32_t stack[NODES], k = 0;
	memset(seen, 0, NODES);
	if (from == without)
		return;
	seen[from] = true;
	stack[k++] = from;
	while (k) {
		uint32_t v = stack[--k];
		for (uint32_t w = 0; w < n; w++)
			if (edge[v][w] && w != without && !seen[w]) {
				seen[w] = true;
				stack[k++] = w;
			}
	}
}

/* The strict dominator of v that all others dominate. */
static uint32_t
slow_idom(uint32_t n, uint32_t root, uint32_t v)
{
	bool dom[NODES] = {0}, seen[NODES];
	for (uint32_t d = 0; d < n; d++) {
		reach(n, root, d, seen);
		dom[d] = d != v && !seen[v];
	}
	for (uint32_t d = 0; d < n; d++) {
		if (!dom[d])
			continue;
		bool last = true;
		for (uint32_t e = 0; e < n; e++) {
			reach(n, root, e, seen);
			last &= !dom[e] || e == d || !seen[d];
		}
		if (last)
			return d;
	}
	return UINT32_MAX;
}

static struct graph
random_graph(struct arena *a, struct rng *r, uint32_t *n)
{
	uint32_t from[NODES * 3], to[NODES * 3];
	size_t k = 0;
	*n = 1 + (uint32_t)rng_below(r, NODES);
	memset(edge, 0, sizeof edge);
	for (uint64_t m = rng_below(r, (uint64_t)*n * 3); k < m; k++) {
		from[k] = (uint32_t)rng_below(r, *n);
		to[k] = (uint32_t)rng_below(r, *n);
		edge[from[k]][to[k]] = true;
	}
	return graph_new(a, *n, from, to, k);
}

static void
check_dominators(struct arena *a, const struct graph *g, uint32_t n)
{
	struct graph r = graph_reverse(a, g);
	uint32_t idom[NODES];
	bool seen[NODES];
	graph_dominators(a, g, &r, 0, idom);
	reach(n, 0, UINT32_MAX, seen);
	for (uint32_t v = 0; v < n; v++) {
		uint32_t want = v == 0 ? 0 : seen[v] ? slow_idom(n, 0, v) : UINT32_MAX;
		if (idom[v] != want)
			fail_msg("idom of %u is %u, not %u", v, idom[v], want);
	}
}

static void
check_components(struct arena *a, const struct graph *g, uint32_t n)
{
	uint32_t scc[NODES];
	bool from_root[NODES], from_v[NODES], from_w[NODES];
	graph_scc(a, g, 0, scc);
	reach(n, 0, UINT32_MAX, from_root);
	for (uint32_t v = 0; v < n; v++) {
		bool cycle = false;
		reach(n, v, UINT32_MAX, from_v);
		for (uint32_t w = 0; w < n; w++) {
			reach(n, w, UINT32_MAX, from_w);
			bool mutual = from_root[v] && from_v[w] && from_w[v];
			cycle |= mutual && (v != w || edge[v][v]);
			if (v != w && mutual)
				assert_int_equal(scc[v], scc[w]);
			else if (v != w && scc[v] != UINT32_MAX)
				assert_int_not_equal(scc[v], scc[w]);
		}
		assert_int_equal(cycle, scc[v] != UINT32_MAX);
	}
}

static void
graphs_agree_with_reachability(void **state)
{
	struct captured *c = *state;
	struct rng r = {seed()};
	for (unsigned i = 0; i < GRAPHS; i++) {
		struct arena_mark m = arena_mark(&c->a);
		uint32_t n;
		struct graph g = random_graph(&c->a, &r, &n);
		check_dominators(&c->a, &g, n);
		check_components(&c->a, &g, n);
		arena_pop(&c->a, m);
	}
}

/* ---- random kernels ---- */

static void
random_reg(struct buf *b, struct rng *r, const char *kind)
{
	buf_addf(b, "%s%u", kind, (unsigned)rng_below(r, 6));
}

static void
random_operand(struct buf *b, struct rng *r)
{
	switch (rng_below(r, 6)) {
	case 0: buf_addf(b, "%d", (int)rng_below(r, 2000) - 1000); break;
	case 1: buf_adds(b, "%tid.x"); break;
	case 2: buf_addf(b, "0f%08X", (unsigned)rng_next(r)); break;
	case 3: buf_adds(b, "buf+8"); break;
	default: random_reg(b, r, "%r"); break;
	}
}

static void
random_statement(struct buf *b, struct rng *r, unsigned labels, unsigned depth)
{
	static const char *const sync[] = {"bar.sync 0", "barrier.cta.sync %r1, 64",
		"bar.warp.sync -1", "ret", "exit",
		"shfl.sync.down.b32 %r1|%p2, %r2, 1, 31, -1",
		"bar.red.or.pred %p1, 0, !%p2", "ld.global.v2.b32 {%r1, _}, [%rd1+-8]",
		"st.shared.b32 [buf+4], 7", "call.uni (%r1), f, (%r2, 4)",
		"add.cc.u32 %r1, %r2, 3", "frob.x.y %r1, {%r2, %r3}, [%rd1, {%r1}]",
		"trap", "call %rd1, (%r1), T"};
	uint64_t k = rng_below(r, 10);
	if (k == 0 && depth < 4) {
		buf_adds(b, "{ .reg .pred %p1; .reg .b32 %r<3>;\n");
		for (uint64_t n = rng_below(r, 5); n; n--)
			random_statement(b, r, labels, depth + 1);
		if (rng_below(r, 2))
			buf_adds(b, "LX: @%p1 bra LX;\n");
		buf_adds(b, "}\n");
		return;
	}
	if (rng_below(r, 2)) {
		buf_addf(b, "@%s", rng_below(r, 2) ? "!" : "");
		random_reg(b, r, "%p");
		buf_addc(b, ' ');
	}
	if (k < 4)
		buf_addf(b, "bra L%u", (unsigned)rng_below(r, labels));
	else if (k < 7)
		buf_adds(b, sync[rng_below(r, sizeof sync / sizeof sync[0])]);
	else {
		buf_adds(b, "mad.lo.s32 ");
		random_reg(b, r, "%r");
		for (unsigned i = 0; i < 3; i++) {
			buf_adds(b, ", ");
			random_operand(b, r);
		}
	}
	buf_adds(b, ";\n");
}

static const char *
random_kernel(struct arena *a, struct rng *r)
{
	struct buf b = {.a = a};
	unsigned labels = 1 + (unsigned)rng_below(r, 6);
	buf_adds(&b, ".version 8.5\n.target sm_90\n.address_size 64\n"
		     ".shared .align 16 .b8 buf[64];\n"
		     ".func (.reg .b32 r) f(.reg .b32 a, .param .b32 b) { mov.b32 r, a; "
		     "ret; }\n"
		     ".visible .entry k(.param .u64 p) .maxntid 64\n{\n"
		     ".reg .pred %p<6>; .reg .b32 %r<6>; .reg .b64 %rd<6>;\n"
		     "T: .calltargets f, f;\n");
	for (unsigned i = 0; i < labels; i++) {
		buf_addf(&b, "L%u:\n", i);
		for (uint64_t n = rng_below(r, 4); n; n--)
			random_statement(&b, r, labels, 0);
	}
	buf_adds(&b, rng_below(r, 2) ? "ret;\n}\n" : "}\n");
	return buf_c(&b);
}

static const struct ptx_module *
parse(struct captured *c, struct str text)
{
	struct source *src = arena_new(&c->a, struct source);
	*src = (struct source){"random.ptx", text};
	const struct ptx_module *m = ptx_parse(&c->a, src, &c->d);
	if (!m)
		fail_msg("%s\n%.*s", captured_take(c), STR_ARG(text));
	return m;
}

static void
assert_same_operand(const struct ptx_operand *x, const struct ptx_operand *y)
{
	assert_int_equal(x->kind, y->kind);
	assert_int_equal(x->part, y->part);
	assert_int_equal(x->neg, y->neg);
	assert_int_equal(x->n, y->n);
	assert_true(x->i == y->i);
	if (x->kind != PTX_O_FUNC && x->kind != PTX_O_VAR)
		assert_int_equal(x->id, y->id);
}

static void
assert_same_func(const struct ptx_func *f, const struct ptx_func *g)
{
	assert_int_equal(f->n_ins, g->n_ins);
	assert_int_equal(f->n_regs, g->n_regs);
	assert_int_equal(f->n_labels, g->n_labels);
	assert_int_equal(f->n_params, g->n_params);
	assert_memory_equal(&f->maxntid, &g->maxntid, sizeof f->maxntid);
	for (uint32_t i = 1; i < f->n_regs; i++)
		assert_int_equal(f->regs[i].type, g->regs[i].type);
	for (uint32_t i = 0; i < f->n_labels; i++)
		assert_int_equal(f->labels[i].ins, g->labels[i].ins);
	for (uint32_t i = 0; i < f->n_ins; i++) {
		const struct ptx_ins *x = &f->ins[i], *y = &g->ins[i];
		assert_true(str_eq(x->form->text, y->form->text));
		assert_int_equal(x->guard, y->guard);
		assert_int_equal(x->guard_neg, y->guard_neg);
		assert_int_equal(x->n_entries, y->n_entries);
		assert_int_equal(x->n_ops, y->n_ops);
		for (unsigned k = 0; k < x->n_entries; k++)
			assert_same_operand(&x->ops[k], &y->ops[k]);
	}
}

static void
printing_keeps_the_structure(void **state)
{
	struct captured *c = *state;
	struct rng r = {seed()};
	for (unsigned i = 0; i < KERNELS; i++) {
		const struct ptx_module *m = parse(c, str_of(random_kernel(&c->a, &r)));
		struct str text = ptx_print(&c->a, m);
		const struct ptx_module *n = parse(c, text);
		assert_int_equal(m->n_funcs, n->n_funcs);
		for (uint32_t k = 0; k < m->n_funcs; k++)
			assert_same_func(
				&m->funcs[k], ptx_find_func(n, m->funcs[k].name));
		struct str twice = ptx_print(&c->a, n);
		assert_true(str_eq(text, twice));
	}
}

/* ---- graphs of kernels ---- */

/* Can v reach the exit without passing `without`, over blocks that can exit? */
static bool
escapes(struct captured *c, const struct cfg *g, uint32_t v, uint32_t without)
{
	struct arena_mark m = arena_mark(&c->a);
	bool *seen = arena_news(&c->a, g->n + 1, bool);
	uint32_t *stack = arena_news(&c->a, g->n + 1, uint32_t), k = 0;
	stack[k++] = v;
	seen[v] = true;
	while (k && !seen[g->exit]) {
		const struct bb *b = &g->bb[stack[--k]];
		for (uint32_t i = 0; i < b->n_succ; i++) {
			uint32_t w = b->succ[i];
			if (w != without && !seen[w])
				seen[w] = true, stack[k++] = w;
		}
	}
	bool out = seen[g->exit];
	arena_pop(&c->a, m);
	return out;
}

static void
check_joins(struct captured *c, const struct cfg *g)
{
	for (uint32_t v = 0; v < g->n; v++) {
		const struct bb *b = &g->bb[v];
		if (!b->reachable)
			continue;
		assert_int_equal(b->can_exit, escapes(c, g, v, PTX_NONE));
		if (!b->can_exit || b->ipdom == g->exit) {
			for (uint32_t w = 0; b->can_exit && w < g->n; w++)
				assert_true(w == v || escapes(c, g, v, w));
			continue;
		}
		assert_false(escapes(c, g, v, b->ipdom));
		for (uint32_t w = 0; w < g->n; w++) /* nothing nearer */
			if (w != v && w != b->ipdom && !escapes(c, g, v, w))
				assert_false(escapes(c, g, b->ipdom, w));
	}
}

static void
joins_post_dominate(void **state)
{
	struct captured *c = *state;
	struct rng r = {seed() + 1};
	for (unsigned i = 0; i < KERNELS; i++) {
		const struct ptx_module *m = parse(c, str_of(random_kernel(&c->a, &r)));
		const struct cfg *g = cfg_build(&c->a, m, false);
		for (uint32_t k = 0; k < m->n_funcs; k++)
			check_joins(c, &g[k]);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		captured_test(graphs_agree_with_reachability),
		captured_test(printing_keeps_the_structure),
		captured_test(joins_post_dominate),
	};
	print_message("LANEWISE_SEED=%llu\n", (unsigned long long)seed());
	return cmocka_run_group_tests(tests, NULL, NULL);
}
