/*
 * The machine: one block of a class of blocks, run on the slice.
 *
 * A group is a set of lanes at one place with one call stack.  A branch with a known
 * predicate splits a group; the halves share a join at the branch's post-dominator.  One
 * unknown that all undecided lanes share makes the whole world fork: one copy assumes it
 * true, the other false, and both run until the join completes and are merged.  Several
 * unknowns make an uncertain region: each side runs with the lanes that surely and those
 * that possibly take it, and the group carries a record (predicate, polarity, lanes).
 *
 * A group blocks at a barrier, a collective or a join.  When nothing runs, collectives
 * are completed, then barriers, then the innermost join is given up, and what is blocked
 * then is a deadlock.
 */
#ifndef SIMT_SIMT_H
#define SIMT_SIMT_H

#include "ptx/lines.h"
#include "simt/breach.h"
#include "simt/query.h"
#include "simt/rules.h"
#include "slice/slice.h"
#include "value/symbol.h"

/* A condition that a group's lanes are only possibly under. */
struct unc {
	const struct unc *up;
	uint32_t depth; /* records below, this one included */
	struct val pred;
	bool when; /* the lanes are here if pred equals this */
	struct lmask who;
};

struct jstack {
	const struct jstack *up;
	uint32_t join, depth;
};

/* Where a call returns to. */
struct ret {
	const struct ret *up;
	uint32_t frame, bb, ip, depth;
	const struct ptx_ins *ins;
};

/* Lanes that would have exited if pred were not `when`; before, after: world.exits. */
struct stay {
	const struct stay *up;
	struct val pred;
	bool when;
	struct lmask who;
	uint64_t before, after;
};

struct group {
	struct lmask mask;
	uint32_t frame, bb, ip; /* ip counts relevant instructions of bb */
	const struct jstack *joins;
	const struct ret *calls;
	const struct unc *unc;
	const struct stay *stay;
};

struct join {
	uint32_t id, frame, bb;
	bool soft; /* given up: pass through */
	struct lmask expect;
	struct lmask passed;   /* went on then, without others of their own warp */
	const struct unc *unc; /* of the group that split */
	struct group *arrived;
	uint32_t n, cap;
};

/* One warp set at a CTA barrier. */
struct arrival {
	uint32_t id;
	bool waits; /* .sync or .red; g is blocked */
	bool counted;
	uint32_t count;
	const struct ptx_ins *ins;
	struct group g;     /* .arrive: only the mask */
	struct lmask alive; /* when it arrived */
	bool unsure;        /* lanes may have been gone then */
	uint64_t tick;      /* as memory.h counts */
};

struct meeting {
	struct group g; /* blocked at a collective */
	const struct ptx_ins *ins;
	struct lmask left; /* went on from it, named by the masks of who waits */
};

/* How often a block met others: at least and at most. */
enum { SYNC_CLUSTER, SYNC_GRID, SYNC_KINDS };
struct sync {
	uint32_t least, most;
};

static inline void
sync_count(struct sync *c)
{
	c->least++;
	c->most += c->most < UINT32_MAX;
}

static inline void
sync_cover(struct sync *c, const struct sync *other)
{
	c->least = other->least < c->least ? other->least : c->least;
	c->most = other->most > c->most ? other->most : c->most;
}

struct fact {
	uint32_t sym;
	bool is;
};

struct visit {
	uint32_t frame, bb, n;
};

enum { MBARS_MAX = 32, CLOCK_PARTS = WARPS_MAX + MBARS_MAX };

/* What somebody knows to have happened: of each warp the number of its last event, of
 * each mbarrier how many of its phases are complete (a vector clock). */
struct clock {
	uint32_t of[CLOCK_PARTS];
};

/* Events to be known, by warp; 0: none. */
struct events {
	uint32_t of[WARPS_MAX];
};

/* A named barrier: what those who arrive at the open phase know, and the arrivals of the
 * open phase, of the last one, and of those that single warps completed since. */
struct named {
	struct clock arriving;
	struct events open, last, alone;
};

/* NULL in a world: everything is known to all. */
struct clocks {
	const struct clock **lane;  /* by lane; NULL knows of nothing; shared */
	uint32_t events[WARPS_MAX]; /* how many each warp has done */
	struct named *named[16];
};

/* An mbarrier: arrivals are counted, bytes are assumed to come. */
struct mbar {
	uint32_t root; /* symbol that its address is counted from, or 0 */
	uint32_t offset;
	bool live;
	bool bytes;       /* the open phase expects some, and nothing brings any */
	bool stuck;       /* for ever: nothing brings them */
	bool tx, last_tx; /* the phase (open, last) waits for bytes, too */
	uint32_t count, pending;
	uint32_t phase; /* the open one; its parity is the lowest bit */
	uint32_t base;  /* the first since it was set up */
	struct clock arriving, done;
	struct events init, open, last;
	struct events waits; /* for the last complete phase */
	const struct ptx_ins *waited;
};

/* Lanes that wait for a phase of an mbarrier. */
struct mwait {
	struct group g;
	const struct ptx_ins *ins;
	uint32_t bar, phase;
};

struct world {
	struct val *regs;
	uint32_t n_regs, cap_regs;
	struct group *run;
	uint32_t n_run, cap_run;
	struct arrival *bar;
	uint32_t n_bar, cap_bar;
	struct meeting *coll;
	uint32_t n_coll, cap_coll;
	struct join *join; /* those not completed, oldest first */
	uint32_t n_join, cap_join;
	struct fact *path;
	uint32_t n_path, cap_path;
	struct visit *visit;
	uint32_t n_visit, cap_visit;
	struct lmask carrived,
		cdone;         /* at the cluster barrier; past it and not yet told */
	struct meeting *cwait; /* blocked there */
	uint32_t n_cwait, cap_cwait;
	struct meeting *cpart; /* parts of warps at its aligned forms */
	uint32_t n_cpart, cap_cpart;
	const struct clock *carriving, *cknown; /* what they bring, what they learn */
	const struct ptx_ins *cat;              /* the last arrival */
	struct sync sync[SYNC_KINDS];
	bool side;               /* one side of an uncertain region */
	struct lmask exited;     /* surely gone */
	struct lmask may_exit;   /* possibly gone */
	struct lmask exit_split; /* of those: the warp does not leave as a whole */
	struct lmask exit_part;  /* of those: the warpgroup does not */
	struct lmask pending;    /* possibly gone inside the uncertain region that runs */
	uint64_t exits;          /* which lanes may be gone: changes when others may be */
	uint32_t exits_in;       /* the loop that last changed it at its head */
	struct lmask bypass;     /* went past a barrier that others waited at */
	struct lmask ahead;      /* of those: others of their own warp waited (once) */
	struct clocks *clocks;   /* NULL: all phases are known to all */
	struct mbar *mbar;       /* where the slice has mbarriers */
	uint32_t n_mbar, cap_mbar;
	struct mwait *mwait;
	uint32_t n_mwait, cap_mwait;
	bool partial;        /* not all that its path allows leads here */
	struct touch *touch; /* by word (memory.h) */
	uint32_t n_touch;
	uint64_t epoch; /* of the touches that count */
	bool sure;      /* a hazard has happened in it, whatever its path leaves open */
	unsigned taint;
};

enum outcome { OUT_DONE, OUT_BACK, OUT_END };

struct entry;
struct result {
	enum outcome kind;
	struct entry *e; /* OUT_BACK: the loop that it came back to */
	struct world *w;
};
struct results {
	struct result *v;
	size_t n, cap;
};

/* A branch under which we are, and to which a loop may come back. */
struct entry {
	uint32_t frame, bb;
	const struct world *head;
	struct group g;                /* as in the head */
	struct lmask need, need_split; /* lanes that came back uncertain */
	unsigned misses;
	uint32_t id;
	struct sym_time began; /* older symbols do not change in the loop */
};

struct frame {
	uint32_t func, up;
	const struct ptx_ins *ins; /* the call */
	uint32_t base;             /* of its slots in world.regs */
};

struct sim_limits {
	uint32_t steps, forks, loop_trips, depth;
};

struct sim {
	struct arena *out; /* reports */
	struct arena *mem; /* worlds; dropped with the class */
	const struct slice *s;
	const struct ptx_module *m;
	const struct gate_query *q;
	struct domain d;
	struct sim_limits max;

	struct lmask full;
	unsigned n_warps;
	struct val tid[3];
	bool single_block;     /* of the class */
	bool no_workspace;     /* somebody asks for the grid's, and there is none */
	struct memory *memory; /* words that are followed (memory.h), or NULL */
	bool *unfollowed; /* by variable: not followed after all; outlives the class */
	bool trace; /* follow undefined values to where they are used (undefined.c) */

	struct frame *frame;
	uint32_t n_frames, cap_frames, n_slots;
	uint32_t next_join, next_entry, next_load;
	struct entry **active;
	size_t n_active, cap_active;

	uint32_t steps, forks, depth;
	/* Over the ends of all worlds; least > most: none has ended. */
	struct sync sync[SYNC_KINDS];
	unsigned sync_taint;            /* of the worlds that ended */
	const struct ptx_ins *sync_cat; /* a cluster barrier */
	struct lmask reachable_lanes;   /* that meet in a collective at different sites */

	const struct ptx_ins *unmodelled; /* STOP_UNMODELLED: what */
	unsigned unmodelled_taint;
	const struct ptx_ins *unordered; /* an arrival that may come a phase too early */
	uint32_t peeked; /* a wait that did not block: what the next one waits for */
	bool lost;     /* who arrived where is not known: no hazard is certain any more */
	bool unseen;   /* a world was left before its end */
	bool may_trap; /* threads trap under a condition: none is enough for a hazard */
	bool doomed;   /* the world that runs has a certain hazard: no need to go on in it
			*/

	struct lane_out *lane_out[2]; /* scratch of lane_out.c */
	struct lane *stride;          /* scratch of stride.c */

	struct breach *breach;
	size_t n_breaches, cap_breaches;
};

/* Runs the block class lo..hi (ctaid).  STOP_NONE: the reports are complete; otherwise
 * see d->why: split, budget or a definite finding. */
enum stop_why sim_run(struct sim *s);

/* ---- world.c ---- */
struct world *world_new(struct sim *s);
struct world *world_copy(struct sim *s, const struct world *w);
bool world_same_shape(struct sim *s, const struct world *a, const struct world *b);
void world_push(struct sim *s, struct world *w, const struct group *g);
/* The same, as part of a group that is at the same place. */
void world_rejoin(struct sim *s, struct world *w, const struct group *g);
struct val *world_reg(struct sim *s, struct world *w, uint32_t slot);
struct val world_get(const struct world *w, uint32_t slot);
struct join *world_join(struct world *w, uint32_t id);
void world_drop_join(struct world *w, uint32_t id);
/* From here on w stands for what happens where the symbol is so. */
void world_assume(struct sim *s, struct world *w, uint32_t sym, bool is);
/* Which lanes may be gone, and why not the others, is not the same in all that w stands
 * for. */
void world_forget_stays(struct sim *s, struct world *w);
struct lmask world_alive(const struct sim *s, const struct world *w);
bool jstack_same(const struct jstack *a, const struct jstack *b);
void results_add(struct sim *s, struct results *r, enum outcome k, struct entry *e,
	struct world *w);
void *sim_alloc(struct sim *s, size_t n, size_t size);
/* The same, not zeroed. */
void *sim_raw(struct sim *s, size_t n, size_t size);
void sim_charge(struct sim *s, size_t bytes);

/* ---- simt.c ---- */
void sim_schedule(struct sim *s, struct world *w, uint32_t stop_join, bool has_stop,
	struct results *out);
/* Moves a group to a block: false when it left the run (joined, exited, returned out). */
bool sim_enter(struct sim *s, struct world *w, struct group *g, uint32_t bb);
void sim_retire(struct sim *s, struct world *w, const struct group *g);
uint32_t sim_new_join(struct sim *s, struct world *w, const struct group *g, uint32_t bb);
const struct jstack *sim_push_join(struct sim *s, const struct jstack *up, uint32_t id);
void sim_note_parting(struct sim *s, struct world *w, const struct group *g, uint32_t at);
void sim_split(struct sim *s, struct world *w, const struct group *g, uint32_t at,
	const struct lmask *part, const uint32_t *to, unsigned n);
const struct slice_func *sim_func(const struct sim *s, const struct group *g);
void sim_step_count(struct sim *s);

/* ---- branch.c ---- */
struct sides {
	struct lmask yes, no, unsure;
	uint32_t sym[2]; /* first distinct unknowns */
	unsigned n_sym;  /* at most 2 are counted */
};
struct sides branch_sides(struct sim *s, const struct world *w, const struct group *g,
	const struct val *pred, bool neg);
struct cell branch_resolve(struct sim *s, const struct world *w, struct cell c);
/* Ends a block.  True: the group goes on.  False: it left the run, and if *forked the
 * results are in out. */
bool branch_term(struct sim *s, struct world *w, struct group *g, struct results *out,
	bool *forked);

/* ---- widen.c ---- */
/* Worlds of one shape become one; sym: the symbol in whose truth two of them differ, or
 * 0. */
void fork_merge(struct sim *s, struct results *in, uint32_t sym, struct results *out);
struct world *fork_merge_two(struct sim *s, struct world *a, struct world *b);
/* The head that covers itself and the states that came back; NULL: it did already. */
struct world *fork_widen(struct sim *s, const struct world *head,
	const struct results *backs, const struct entry *e);
/* ---- leave.c ---- */
/* Lanes `all` left a loop in w, those of `who` each or, where not in `split`, each warp
 * in a trip of its own: what the loop changed since `before` is another unknown for each.
 */
void fork_leave(struct sim *s, const struct world *before, struct world *w,
	const struct lmask *all, const struct lmask *who, const struct lmask *split);

/* ---- widen.c ---- */
/* The lanes that came back uncertain stay so at the head: a generic condition, the same
 * for a warp that always came back as a whole. */
const struct unc *fork_loop_condition(struct sim *s, const struct unc *base,
	const struct lmask *who, const struct lmask *split);

/* ---- fork.c ---- */
void fork_run(struct sim *s, struct world *w, const struct group *g,
	const struct val *pred, bool forced, struct results *out);

/* ---- order.c: who comes after what was done to shared words; nothing is done where
 * memory is not followed ---- */
/* All that `from` did (and `early`, before it arrived) is done before what `to` does. */
void order_barrier(struct sim *s, struct world *w, const struct lmask *from,
	const struct lmask *to, uint32_t id);
/* Each warp by itself: lanes with one mask are ordered among themselves.  mask: of lanes
 * `who`; `there` meet them with the same. */
void order_warps(struct sim *s, struct world *w, const struct lmask *who,
	const struct lmask *there, const struct val *mask);
uint64_t order_now(const struct sim *s);
/* w has been either a or b: touches.  True: w, which was a, is changed. */
bool order_join(
	struct sim *s, struct world *w, const struct world *a, const struct world *b);
/* w goes on as x. */
void order_take(struct sim *s, struct world *w, const struct world *x);
/* Both sides of an uncertain branch ran since `when`, and w goes on after both: nothing
 * orders what one did with what the other did. */
void order_both(struct sim *s, struct world *w, const struct world *a,
	const struct world *b, uint64_t when);
/* Lanes of a side ended there: what they wrote when may be seen in w. */
void order_absorb(
	struct sim *s, struct world *w, const struct world *ended, uint64_t when);

/* ---- step.c, sreg.c, load.c, call.c ---- */
struct val step_unknown(struct sim *s, unsigned flags);
uint32_t step_slot(const struct sim *s, const struct group *g, uint32_t value);
/* Width of a register of the function that g runs. */
unsigned step_reg_bits(const struct sim *s, const struct group *g, ptx_reg r);
bool step_value_wanted(const struct sim *s, const struct group *g, uint32_t value);
struct val step_sreg(struct sim *s, const struct ptx_operand *o);
/* Writes under the guard of the instruction. */
void step_put_slot(struct sim *s, struct world *w, const struct group *g,
	const struct ptx_ins *ins, uint32_t slot, const struct val *v);
void step_put(struct sim *s, struct world *w, const struct group *g,
	const struct ptx_ins *ins, const struct ptx_operand *o, struct val v);
/* Every register of an operand becomes unknown. */
void step_put_unknown(struct sim *s, struct world *w, const struct group *g,
	const struct ptx_ins *ins, const struct ptx_operand *o, unsigned flags);
void step_load(
	struct sim *s, struct world *w, const struct group *g, const struct ptx_ins *ins);
void step_store_param(struct sim *s, struct world *w, const struct group *g,
	const struct ptx_ins *ins, uint32_t var, int64_t off, uint32_t bytes);
struct val step_read(struct sim *s, struct world *w, const struct group *g,
	const struct ptx_operand *o);
struct val step_reg(struct sim *s, struct world *w, const struct group *g, ptx_reg r);
void step_write(struct sim *s, struct world *w, const struct group *g, ptx_reg r,
	const struct val *v);
void step_write_slot(struct sim *s, struct world *w, const struct lmask *mask,
	uint32_t slot, const struct val *v);
/* True if the destination matters. */
bool step_wanted(const struct sim *s, const struct group *g, const struct ptx_operand *o);
void step_plain(
	struct sim *s, struct world *w, struct group *g, const struct ptx_ins *ins);
/* True: the group is where it should go on (in the callee or after the call).  False: it
 * was split or left the run, and if *forked the results are in out. */
bool step_call(struct sim *s, struct world *w, struct group *g, const struct ptx_ins *ins,
	struct results *out, bool *forked);
/* The parts of it: a function, none that matters, and one named by a register. */
bool call_function(struct sim *s, struct world *w, struct group *g,
	const struct ptx_ins *ins, const struct ptx_func *to);
bool call_skip(
	struct sim *s, struct world *w, struct group *g, const struct ptx_ins *ins);
bool call_indirect(struct sim *s, struct world *w, struct group *g,
	const struct ptx_ins *ins, struct results *out, bool *forked);
void step_return(struct sim *s, struct world *w, struct group *g);

/* ---- vector_clock.c ---- */
struct clocks *clock_copy(struct sim *s, const struct clocks *c);
bool clock_same(const struct sim *s, const struct clocks *a, const struct clocks *b);
void clock_raise(struct clock *to, const struct clock *from);
bool clock_covers(const struct clock *k, const struct events *e);
/* What the lanes of m in one warp know. */
const struct clock *clock_of(
	struct sim *s, struct world *w, const struct lmask *m, unsigned warp);
/* They do something that others may have to know: its number. */
uint32_t clock_tick(struct sim *s, struct world *w, const struct lmask *m, unsigned warp);
void clock_learn(struct sim *s, struct world *w, const struct lmask *m, unsigned warp,
	const struct clock *what);
/* The lanes of m tell each other, those of n_warps adjacent warps. */
void clock_meet(struct sim *s, struct world *w, const struct lmask *m, unsigned n_warps);
/* Everything is known to all. */
void clock_forget(struct world *w);
void phase_arrive(struct sim *s, struct world *w, const struct lmask *m, uint32_t id,
	const struct ptx_ins *ins);
void phase_complete(
	struct sim *s, struct world *w, uint32_t id, const struct lmask *waiters);
/* A count of 32. */
void phase_alone(struct sim *s, struct world *w, const struct lmask *m, uint32_t id,
	const struct ptx_ins *ins);
void phase_all(struct sim *s, struct world *w, const struct lmask *m, uint32_t id,
	const struct ptx_ins *ins);

/* ---- mbarrier.c, mbarrier_wait.c: where the slice has them ---- */
/* True if the group goes on; otherwise it was put away. */
bool mbarrier_step(
	struct sim *s, struct world *w, struct group *g, const struct ptx_ins *ins);
/* Who is there and has to tell: the run is left, what it found is no answer. */
void mbarrier_unmodelled(struct sim *s, const struct ptx_ins *ins, unsigned taint,
	const char *why) __attribute__((noreturn));
/* Lanes wait for the phase of mbarrier i that the operand names: as above. */
bool mbarrier_wait(struct sim *s, struct world *w, const struct group *g,
	const struct ptx_ins *ins, uint32_t i, const struct ptx_operand *which);
/* The lanes of m know that so many phases are complete. */
bool mbarrier_knows(
	const struct clock *k, const struct mbar *b, uint32_t i, int64_t phases);
/* Its open phase has become complete: waiters run. */
void mbarrier_release(struct sim *s, struct world *w, uint32_t i);
/* A branch on a wait that may not have blocked: takes the side that waits.  False: it is
 * none. */
bool mbarrier_branch(struct sim *s, struct world *w, const struct group *g,
	const struct val *pred, struct sides *v);
void mbarrier_deadlock(struct sim *s, struct world *w);
void mbarrier_all_known(struct world *w);
bool mbarrier_same(const struct world *a, const struct world *b);

/* ---- barrier.c ---- */
/* True if the group goes on; otherwise it was put away. */
bool barrier_arrive(
	struct sim *s, struct world *w, struct group *g, const struct ptx_ins *ins);
bool barrier_release_any(struct sim *s, struct world *w);
void barrier_check_partial(struct sim *s, struct world *w);
void barrier_deadlock(struct sim *s, struct world *w);
void barrier_left_open(struct sim *s, struct world *w);
bool barrier_someone_waits(const struct world *w);

/* ---- barrier_exit.c ---- */
/* Reports threads that are gone, or may be, when `here` meet at a barrier without a
 * count; by: one of those groups. */
void barrier_note_exits(struct sim *s, struct world *w, const struct lmask *here,
	const struct group *by, const struct ptx_ins *ins);
/* The same of a count, which warps that are gone do not make smaller. */
void barrier_note_missing_warps(struct sim *s, struct world *w, const struct group *g,
	const struct ptx_ins *ins, uint32_t count);

/* ---- cluster.c ---- */
/* True if the group goes on; otherwise it was put away. */
bool cluster_step(
	struct sim *s, struct world *w, struct group *g, const struct ptx_ins *ins);
bool cluster_release(struct sim *s, struct world *w);
void cluster_deadlock(struct sim *s, struct world *w);
bool cluster_same(const struct world *a, const struct world *b);

/* ---- barrier_red.c ---- */
/* The group alone took part. */
void barrier_red_alone(
	struct sim *s, struct world *w, const struct group *g, const struct ptx_ins *ins);
/* Each warp took part alone. */
void barrier_red_each_warp(
	struct sim *s, struct world *w, const struct group *g, const struct ptx_ins *ins);
/* Everybody who arrived at a barrier of this number. */
void barrier_red_all(struct sim *s, struct world *w, uint32_t id);

/* ---- collective.c ---- */
bool collective_meet(
	struct sim *s, struct world *w, struct group *g, const struct ptx_ins *ins);
bool collective_release(struct sim *s, struct world *w, bool give_up);

/* ---- undefined.c: what shuffles read from lanes that are not there ---- */
/* An undefined value of lane t, made by a shuffle. */
struct cell undefined_cell(
	struct sim *s, const struct group *g, const struct ptx_ins *shfl, unsigned t);
/* The operands of an instruction leave the registers: reports undefined ones. */
void undefined_use(
	struct sim *s, struct world *w, const struct group *g, const struct ptx_ins *ins);
void undefined_branch(struct sim *s, struct world *w, const struct group *g,
	const struct ptx_ins *ins, const struct val *pred);
/* SYM_UNDEFINED if an operand that is read may be undefined. */
unsigned undefined_sources(
	struct sim *s, struct world *w, const struct group *g, const struct ptx_ins *ins);

/* The membermask operand; all lanes of the warp where there is none. */
struct val collective_mask(
	struct sim *s, struct world *w, const struct group *g, const struct ptx_ins *ins);
struct cell collective_mask_cell(
	struct sim *s, const struct world *w, const struct val *v, unsigned t);
/* lane_result.c; `there`: all lanes that meet, g's and those of other groups. */
void collective_results(struct sim *s, struct world *w, const struct group *g,
	const struct ptx_ins *ins, const struct lmask *there);
/* Conditions of a lane that a key may hold. */
enum { UNC_KEY_MAX = 64 };

/* ---- unc.c: conditions of uncertain lanes ---- */
/* base is u, or u was pushed upon it. */
bool unc_within(const struct unc *u, const struct unc *base);
/* The lanes that came back to a loop uncertain, and those whose warp did not as a whole.
 */
void unc_note_need(
	struct sim *s, struct world *w, const struct group *g, struct entry *e);
const struct unc *unc_push(struct sim *s, const struct unc *up, const struct val *pred,
	bool when, const struct lmask *who);
struct lmask unc_lanes(const struct group *g);
/* All lanes of m are under the same conditions. */
bool unc_same(struct sim *s, const struct group *g, const struct lmask *m);
/* Conditions of lane t as cells {v: polarity, s: symbol}, oldest first; at most n. */
unsigned unc_key(
	struct sim *s, const struct group *g, unsigned t, struct cell *key, unsigned n);
/* Lanes `who` of g may leave, each when `pred` of it is `when` (pred NULL: whenever it is
 * here): adds to exit_split the warps that may not leave as a whole, and to exit_part the
 * warpgroups. */
void unc_exit(struct sim *s, struct world *w, const struct group *g,
	const struct lmask *who, const struct val *pred);

#endif
