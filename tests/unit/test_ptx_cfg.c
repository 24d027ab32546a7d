#include "captured.h"

#include "ptx/cfg.h"

#define HEAD         ".version 8.5\n.target sm_90\n.address_size 64\n"
#define REGS         ".reg .pred %p<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>;\n"
#define KERNEL(body) HEAD ".visible .entry k()\n{\n" REGS body "\n}\n"

static const struct cfg *
build(struct captured *c, const char *text)
{
	const struct ptx_module *m = ptx_parse(&c->a, captured_source(c, text), &c->d);
	if (!m)
		fail_msg("refused: %s", captured_take(c));
	return cfg_build(&c->a, m, false);
}

/* The block that a label begins. */
static uint32_t
at(const struct cfg *c, const char *label)
{
	for (uint32_t i = 0; i < c->f->n_labels; i++)
		if (str_is(c->f->labels[i].name, label)) {
			uint32_t ins = c->f->labels[i].ins;
			uint32_t v = ins < c->f->n_ins ? c->bb_of[ins] : c->n - 1;
			return ins < c->f->n_ins && c->f->ins[ins].split ? v - 1 : v;
		}
	fail_msg("no label %s", label);
	return 0;
}

static void
a_branch_has_two_ways(void **state)
{
	const struct cfg *c = build(*state,
		KERNEL("setp.eq.s32 %p1, %r1, 0; @!%p1 bra E; bar.sync 0; E: ret;"));
	assert_int_equal(c->n, 3);
	const struct bb *b = c->bb;
	assert_int_equal(b[0].term, CFG_BRANCH);
	assert_int_equal(b[0].n_ins, 1);
	assert_true(b[0].cond_neg);
	assert_int_equal(b[0].succ[0], 2);
	assert_int_equal(b[0].succ[1], 1);
	assert_int_equal(b[1].term, CFG_FALL);
	assert_int_equal(b[2].term, CFG_RET);
	assert_int_equal(b[2].succ[0], c->exit);
	assert_int_equal(b[2].n_pred, 2);
	assert_int_equal(b[0].ipdom, 2);
	assert_int_equal(b[1].idom, 0);
	assert_int_equal(b[2].idom, 0);
	assert_true(b[1].has_site && b[0].reaches_site && !b[2].reaches_site);
	assert_true(c->has_site && !c->irreducible);
}

static void
guarded_sync_becomes_a_branch(void **state)
{
	const struct cfg *c =
		build(*state, KERNEL("L: @%p1 bar.sync 0;\n@!%p2 exit;\nbra.uni L;"));
	assert_int_equal(c->n, 5);
	const struct bb *b = c->bb;
	assert_int_equal(b[0].term, CFG_BRANCH);
	assert_int_equal(b[0].n_ins, 0);
	assert_int_equal(b[0].term_ins, 0);
	assert_true(b[0].cond_neg);
	assert_int_equal(b[0].succ[0], 2);
	assert_int_equal(b[0].succ[1], 1);
	assert_int_equal(b[1].n_ins, 1);
	assert_true(b[1].has_site && !b[0].has_site);
	assert_int_equal(b[2].term, CFG_BRANCH);
	assert_false(b[2].cond_neg);
	assert_int_equal(b[3].term, CFG_EXIT);
	assert_int_equal(b[4].succ[0], 0);
	assert_int_equal(b[0].line, 7);
	assert_int_equal(c->bb_of[0], 1);
	assert_true(b[2].loop_exit && !b[0].loop_exit && b[4].in_loop && !b[3].in_loop);
}

static void
guards_of_ordinary_instructions_stay(void **state)
{
	const struct cfg *c = build(*state, KERNEL("@%p1 mov.u32 %r1, 1; ret;"));
	assert_int_equal(c->n, 1);
}

static void
traps_do_not_move_the_join(void **state)
{
	const struct cfg *c = build(*state,
		HEAD ".func __assertfail();\n.entry k() {" REGS
		     "@%p1 bra T; @%p2 bra A; bar.sync 0; bra J;\n"
		     "T: trap;\nA: call.uni __assertfail;\nJ: bar.sync 1; ret; }");
	c++; /* the kernel */
	assert_int_equal(c->bb[at(c, "T")].term, CFG_TRAP);
	assert_int_equal(c->bb[at(c, "A")].term, CFG_TRAP);
	assert_int_equal(c->bb[at(c, "A")].n_ins, 1);
	assert_int_equal(c->bb[at(c, "A")].n_succ, 0);
	assert_false(c->bb[at(c, "A")].can_exit);
	assert_int_equal(c->bb[0].ipdom, 1);
	assert_int_equal(c->bb[1].ipdom, 2);
	assert_int_equal(c->bb[2].ipdom, at(c, "J"));
	assert_int_equal(c->bb[at(c, "T")].ipdom, c->exit);
}

/* if (a) { if (b) return; sync } sync */
static void
early_exits_do_not_move_the_second_join(void **state)
{
	const struct cfg *c =
		build(*state, KERNEL("@%p1 bra J; @%p2 bra X; bar.warp.sync -1; J: "
				     "bar.sync 0; ret; X: ret;"));
	uint32_t j = at(c, "J");
	assert_int_equal(c->bb[0].ipdom, c->exit);
	assert_int_equal(c->bb[0].ipdom2, j);
	assert_int_equal(c->bb[1].ipdom, c->exit);
	assert_int_equal(c->bb[1].ipdom2, 2);
}

static void
loops(void **state)
{
	const struct cfg *c = build(
		*state, KERNEL("H: setp.eq.s32 %p1, %r1, 0; @%p1 bra E;\n"
			       "I: add.s32 %r1, %r1, 1; @%p2 bra I; bra H; E: ret;"));
	uint32_t h = at(c, "H"), i = at(c, "I"), e = at(c, "E");
	assert_int_equal(c->n_scc, 1);
	assert_true(c->bb[h].in_loop && c->bb[i].in_loop && !c->bb[e].in_loop);
	assert_int_equal(c->bb[h].scc, c->bb[i].scc);
	assert_true(c->bb[h].loop_exit && !c->bb[i].loop_exit);
	assert_true(cfg_dominates(c, h, i) && !cfg_dominates(c, i, h));
	assert_true(cfg_dominates(c, i, i));
	assert_false(c->irreducible);
	c = build(*state,
		KERNEL("@%p1 bra B; A: add.s32 %r1, %r1, 1; @%p2 bra C; B: bar.sync 0;\n"
		       "@%p3 bra A; C: ret;"));
	assert_true(c->irreducible);
	c = build(*state, KERNEL("L: bar.sync 0; bra L;"));
	assert_false(c->bb[0].can_exit);
	assert_int_equal(c->bb[0].ipdom, c->exit);
	assert_true(c->bb[0].in_loop && !c->bb[0].loop_exit);
}

static void
switches(void **state)
{
	const struct cfg *c =
		build(*state, KERNEL("T: .branchtargets A, B, A; brx.idx %r1, T;\n"
				     "A: bar.sync 0; bra.uni B; B: ret; ret;"));
	const struct bb *b = &c->bb[0];
	assert_int_equal(b->term, CFG_SWITCH);
	assert_int_equal(b->n_succ, 3);
	assert_int_equal(b->succ[0], b->succ[2]);
	assert_int_equal(b->succ[1], at(c, "B"));
	assert_int_equal(b->ipdom, at(c, "B"));
	assert_false(c->bb[c->n - 1].reachable);
	assert_int_equal(c->bb[c->n - 1].rpo, PTX_NONE);
}

static void
sites_are_seen_through_calls(void **state)
{
	const struct cfg *c = build(*state,
		HEAD ".extern .func vprintf();\n.extern .func x();\n.func f() { call g; "
		     "ret; }\n"
		     ".func g() { call f; bar.sync 0; ret; }\n.func h() { call vprintf; "
		     "ret; }\n"
		     ".entry k() { .reg .b64 %rd<2>; call f; call h; ret; }\n"
		     ".entry i() { .reg .b64 %rd<2>; P: .callprototype _ (); call %rd1, "
		     "P; ret; }\n.entry j() { call x; ret; }");
	static const bool sites[] = {false, true, true, true, false, true, true, true};
	const struct ptx_module *m = c[1].m;
	assert_int_equal(m->n_funcs, 8);
	for (uint32_t i = 0; i < m->n_funcs; i++) {
		assert_int_equal(c[i].has_site, sites[i]);
		assert_int_equal(m->funcs[i].opaque, i == 1);
	}
	const struct ptx_func *k = ptx_find_func(m, STR_LIT("k"));
	assert_true(cfg_is_site(c, &c[k->index], &k->ins[0]));
	assert_false(cfg_is_site(c, &c[k->index], &k->ins[1]));
}

static void
labels_at_the_end(void **state)
{
	const struct cfg *c = build(*state, KERNEL("@%p1 bra E; @%p2 bar.sync 0; E:"));
	assert_int_equal(c->bb[c->n - 1].term, CFG_RET);
	assert_int_equal(c->bb[0].succ[0], c->n - 1);
	assert_int_equal(c->bb[1].succ[0], c->n - 1);
	c = build(*state, HEAD ".entry k() {}");
	assert_int_equal(c->n, 1);
	assert_int_equal(c->bb[0].term, CFG_RET);
}

/* A chain of guards that all lead to one place, long enough to hurt what is quadratic or
 * recursive. */
static void
a_hundred_thousand_blocks(void **state)
{
	struct captured *c = *state;
	enum { BRANCHES = 100000 };
	struct buf b = {.a = &c->a};
	buf_adds(&b, HEAD ".entry k() {" REGS);
	for (unsigned i = 0; i < BRANCHES; i++)
		buf_adds(&b, "@%p1 bra E;\n");
	buf_adds(&b, "E: ret; }");
	const struct cfg *g = build(c, buf_c(&b));
	assert_int_equal(g->n, BRANCHES + 1);
	assert_int_equal(g->bb[BRANCHES / 2].ipdom, BRANCHES);
	assert_int_equal(g->bb[BRANCHES].idom, 0);
	assert_int_equal(g->bb[BRANCHES - 1].idom, BRANCHES - 2);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		captured_test(a_branch_has_two_ways),
		captured_test(guarded_sync_becomes_a_branch),
		captured_test(guards_of_ordinary_instructions_stay),
		captured_test(traps_do_not_move_the_join),
		captured_test(early_exits_do_not_move_the_second_join),
		captured_test(loops),
		captured_test(switches),
		captured_test(sites_are_seen_through_calls),
		captured_test(labels_at_the_end),
		captured_test(a_hundred_thousand_blocks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
