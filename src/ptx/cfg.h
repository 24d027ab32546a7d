/*
 * The control-flow graph of a PTX function, and where its threads meet again.
 *
 * Blocks are numbered in order of writing; bb[n] is the virtual exit.  A guarded
 * instruction that decides control (ins->split) ends its block with a branch around a
 * block that holds only that instruction; both keep its line and location.
 *
 * Two maps say where the halves of a branch reconverge:
 *   ipdom   the immediate post-dominator.  Blocks that can never reach the exit (they
 *	     trap, call a noreturn function, or loop for ever) are ignored.
 *   ipdom2  the same in the graph without early exits: edges into tails from which no
 *	     site can be reached are dropped where the true post-dominator is the exit or
 *	     an empty return block, unless a block would lose its last way to the exit;
 *	     so is what blocks do that have a site and then only return, but the last.
 *	     Without it one `return` inside an `if` makes every enclosing branch
 *	     reconverge at the exit only.  Where it says nothing new, and in functions
 *	     that are not entries, it equals ipdom.  A loop exit by early return
 *	     (loop_exit set, ipdom2 in the same loop) should use ipdom.
 *
 * A site is an instruction where threads wait for or read each other: BARRIER, CLUSTER,
 * COLLECTIVE or WARPGROUP, or a call to a function that has one or that may end its
 * threads (exit), or an indirect call.
 *
 * All algorithms are iterative and nearly linear (digraph.h); 100,000 blocks are fine.
 */
#ifndef PTX_CFG_H
#define PTX_CFG_H

#include "ptx/ptx.h"

enum cfg_term {
	CFG_FALL,   /* succ[0] */
	CFG_JUMP,   /* succ[0] */
	CFG_BRANCH, /* cond true: succ[0]; false: succ[1] */
	CFG_SWITCH, /* succ[i] is the block of table entry i (duplicates stay) */
	CFG_RET,    /* succ[0] is the virtual exit; also the end of the body */
	CFG_EXIT,   /* succ[0] is the virtual exit */
	CFG_TRAP,   /* none: trap, or a call that does not return (the last of `ins`) */
};

struct bb {
	uint32_t first, n_ins; /* func->ins[first, first + n_ins), terminator excluded */
	enum cfg_term term;
	uint32_t term_ins; /* the instruction behind the terminator, or PTX_NONE; the
			      split instruction itself when its guard was made a branch */
	ptx_reg cond;      /* CFG_BRANCH: predicate */
	bool cond_neg;     /* taken when the predicate is false */
	uint32_t line;     /* PTX line of its first instruction or terminator */

	uint32_t n_succ, n_pred;
	uint32_t *succ; /* virtual exit included */
	uint32_t *pred; /* reachable ones only; each edge once per occurrence */

	bool reachable;    /* from the entry */
	bool can_exit;     /* the virtual exit is reachable from here */
	bool has_site;     /* holds a site (split ones are in their own block) */
	bool reaches_site; /* has a site, or one is reachable from here */
	bool in_loop;      /* in a strongly connected component with an edge */
	bool loop_exit;    /* in a loop, and some successor is not in the same one */

	uint32_t rpo;   /* position in reverse postorder, or PTX_NONE */
	uint32_t idom;  /* immediate dominator, itself for the entry; PTX_NONE if none */
	uint32_t ipdom; /* see above; the virtual exit if nothing better */
	uint32_t ipdom2;
	uint32_t scc; /* component number if in_loop, else PTX_NONE */
};

struct cfg {
	const struct ptx_module *m;
	const struct ptx_func *f;
	struct bb *bb; /* n + 1: bb[n] is the virtual exit */
	uint32_t n;
	uint32_t exit; /* == n */
	uint32_t *rpo; /* reachable blocks in reverse postorder; the exit is not in it */
	uint32_t n_rpo;
	uint32_t *bb_of; /* block of each instruction (of its block, not of its guard) */
	uint32_t n_scc;
	uint32_t *dom_in,
		*dom_out; /* a dominates b: in[a] <= in[b] and out[b] <= out[a] */
	bool has_site;    /* a reachable block has one, or ends threads of a caller */
	bool mbarriers;   /* operations on mbarriers are sites */
	bool irreducible; /* some loop can be entered at more than one block */
};

/*
 * The graphs of all functions: result[i] is that of m->funcs[i], with n == 0 when it has
 * no body.  Sites are known across calls (recursion included).  mbarriers: what is done
 * to an mbarrier is a site, too.
 */
struct cfg *cfg_build(struct arena *a, const struct ptx_module *m, bool mbarriers);

/* a dominates b (both reachable). */
bool cfg_dominates(const struct cfg *c, uint32_t a, uint32_t b);

/* Is this instruction of c's function a site?  cfgs is cfg_build's result. */
bool cfg_is_site(const struct cfg *cfgs, const struct cfg *c, const struct ptx_ins *ins);

#endif
