/*
 * The rules of the gate, one line each: X(id, name, class, severity, title).
 *
 * Ids are stable: they appear in verdicts, reports and suppressions.  Severity is what a
 * certain violation makes of the verdict: REFUSE, EXIT (refused in the strict exit
 * policy, a caveat in the release policy), SITE (the same of the strict and the lenient
 * site policy), CAVEAT.  A violation that may or may not happen is always a caveat.  Each
 * rule has a page docs/reference/rules/ID.md.
 */
#ifndef SIMT_RULES_H
#define SIMT_RULES_H

#define GATE_RULES(X) \
	X(LW001, BAR_PARTIAL_WARP, "barrier", REFUSE, \
		"part of a warp executes a barrier") \
	X(LW002, BAR_DEADLOCK, "barrier", REFUSE, \
		"threads wait for others that never come") \
	X(LW003, BAR_SITES, "site", SITE, \
		"threads of one block meet at different barrier instructions") \
	X(LW004, CLUSTER_PARTIAL, "barrier", REFUSE, \
		"part of a block executes a cluster barrier") \
	X(LW005, BAR_EXITED, "exit", EXIT, "threads exit without the block's barrier") \
	X(LW006, COLL_EXITED, "exit", EXIT, \
		"lanes go past a warp collective that names them, and exit") \
	X(LW010, BAR_ID_RANGE, "named-barrier", REFUSE, "barrier number outside 0..15") \
	X(LW011, BAR_COUNT, "named-barrier", REFUSE, \
		"thread count is not a positive multiple of the warp size") \
	X(LW012, BAR_COUNT_MISMATCH, "named-barrier", REFUSE, \
		"one barrier is used with different thread counts") \
	X(LW013, BAR_DOUBLE_ARRIVE, "named-barrier", REFUSE, \
		"a warp arrives twice before the barrier completes") \
	X(LW014, BAR_OVERSUBSCRIBED, "named-barrier", REFUSE, \
		"more threads arrive than the barrier counts") \
	X(LW015, BAR_PHASE_RACE, "named-barrier", REFUSE, \
		"a warp may arrive before the previous phase completed") \
	X(LW016, BAR_STARVED, "named-barrier", REFUSE, \
		"fewer threads arrive than the barrier counts") \
	X(LW017, BAR_LEFT_OPEN, "named-barrier", REFUSE, \
		"arrivals at a barrier that counts more threads than the block has") \
	X(LW018, MBAR_STARVED, "barrier", REFUSE, \
		"threads wait at an mbarrier for arrivals that never come") \
	X(LW019, MBAR_OVERRUN, "barrier", REFUSE, \
		"an mbarrier may complete two phases while a thread waits for the " \
		"first") \
	X(LW020, MASK_CALLER, "mask", REFUSE, "a lane is not in its own membermask") \
	X(LW021, SHFL_ABSENT, "mask", REFUSE, \
		"a shuffle reads a lane that is not there") \
	X(LW022, MASK_CHANCE, "mask", CAVEAT, \
		"what lanes exchange depends on which of them are together") \
	X(LW030, COLL_ABSENT, "collective", REFUSE, \
		"lanes that the membermask names never come") \
	X(LW031, COLL_PARTIAL, "collective", REFUSE, \
		"part of a warp executes an aligned instruction") \
	X(LW032, WARPGROUP_PARTIAL, "collective", REFUSE, \
		"part of a warpgroup executes an aligned instruction") \
	X(LW033, COLL_SITES, "collective", CAVEAT, \
		"lanes of one warp meet at different instructions") \
	X(LW040, BLOCK_THREADS, "capacity", REFUSE, "too many threads in a block") \
	X(LW041, BLOCK_DIM, "capacity", REFUSE, "a block dimension is out of range") \
	X(LW042, GRID_DIM, "capacity", REFUSE, "a grid dimension is out of range") \
	X(LW043, MAXNTID, "capacity", REFUSE, \
		"more threads than the kernel was compiled for") \
	X(LW044, REQNTID, "capacity", REFUSE, \
		"another block shape than the kernel was compiled for") \
	X(LW045, CLUSTER_SHAPE, "capacity", REFUSE, "the cluster does not fit") \
	X(LW046, SHARED_BYTES, "capacity", REFUSE, "too much shared memory") \
	X(LW047, GRID_LAUNCH, "capacity", REFUSE, \
		"a barrier of the grid in a launch that is not cooperative") \
	X(LW050, DATA_BARRIER, "undecided", CAVEAT, \
		"a barrier under a condition that depends on data") \
	X(LW051, DATA_COLLECTIVE, "undecided", CAVEAT, \
		"a warp collective under a condition that depends on data") \
	X(LW052, DATA_SWITCH, "undecided", CAVEAT, "a switch that depends on data") \
	X(LW053, MASK_UNKNOWN, "undecided", CAVEAT, "the membermask is not known") \
	X(LW054, BAR_UNKNOWN, "undecided", CAVEAT, \
		"the barrier's number or thread count is not known") \
	X(LW055, MAY_EXIT, "exit", CAVEAT, "threads may have exited before a barrier") \
	X(LW056, CALL_UNKNOWN, "undecided", CAVEAT, "a call of what is not known") \
	X(LW057, RECURSION, "undecided", CAVEAT, "calls nest too deeply") \
	X(LW058, LOOP_STATE, "undecided", CAVEAT, "a loop's state does not stabilise") \
	X(LW059, MBARRIER, "undecided", CAVEAT, \
		"arrivals at an mbarrier could not be counted") \
	X(LW060, GRID_BARRIER, "barrier", REFUSE, \
		"blocks do not all reach a grid barrier") \
	X(LW061, BUDGET, "undecided", CAVEAT, "the analysis budget is spent") \
	X(LW062, NOT_SYNC, "undecided", CAVEAT, "a warp collective without .sync") \
	X(LW063, JUDGED_NOT, "undecided", CAVEAT, "the launch cannot be judged") \
	X(LW064, IRREDUCIBLE, "undecided", CAVEAT, \
		"lanes part in a loop that has several entries")

enum gate_rule {
#define X(id, name, class, severity, title) RULE_##name,
	GATE_RULES(X)
#undef X
		N_GATE_RULES
};

enum gate_severity { SEV_CAVEAT, SEV_EXIT, SEV_SITE, SEV_REFUSE };

struct gate_rule_info {
	const char *id, *klass, *title;
	enum gate_severity severity;
};

extern const struct gate_rule_info gate_rules[N_GATE_RULES];

#endif
