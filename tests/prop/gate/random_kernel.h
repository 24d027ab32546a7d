/*
 * Random structured kernels, as the fuzzer of the gate makes, prints and runs them.
 *
 * A kernel is an entry and up to two functions, each a list of instructions: nested
 * statements are flattened as they are made.  Any instruction but a label may be blanked
 * (INS_NOTHING) and what is left still is a kernel, so that one that shows a disagreement
 * can be made smaller.
 *
 * The same seed makes the same kernel with every compiler: each random number is drawn in
 * a statement of its own.
 */
#ifndef PROP_RANDOM_KERNEL_H
#define PROP_RANDOM_KERNEL_H

#include "base/arena.h"
#include "base/rng.h"
#include "base/str.h"

enum {
	VARS = 4,        /* of a function, without counters and masks */
	LOOPS_MAX = 5,   /* of a function */
	COUNTERS = VARS, /* counter of loop i, then its bound */
	MASKS = COUNTERS + 2 * LOOPS_MAX,
	MASK_VARS = 2,
	SLOTS = MASKS + MASK_VARS, /* registers of a function */
	CODE_MAX = 420,
	FUNCS_MAX = 3,
	LABELS_MAX = 200,
	WAYS = 4, /* of a switch */
	THREADS_MAX = 128,
	UNIFORM_WORDS = 8, /* of memory; then LANE_WORDS for each thread of a block */
	LANE_WORDS = 4,
	/* Shared words: of the block, then one for each warp, then one for each thread.
	 */
	FLAGS = 4,
	WARP_WORDS = FLAGS,
	SLOT_WORDS = WARP_WORDS + THREADS_MAX / 32,
	SHARED_WORDS = SLOT_WORDS + THREADS_MAX,
	LOCAL_WORDS = 4, /* of a function's frame */
	NAMED_MAX = 8,
};

enum expr_op {
	EX_CONST,
	EX_LINEAR, /* index of the thread in its block */
	EX_TID_X,
	EX_TID_Y,
	EX_LANE,
	EX_WARP,
	EX_CTA_X,
	EX_CTA_Y,
	EX_ARG,
	EX_VAR,
	EX_LOAD,      /* the same word for all */
	EX_LOAD_LANE, /* a word of the thread's own */
	EX_ATOMIC,    /* whatever it is */
	EX_ADD,       /* from here on two operands */
	EX_SUB,
	EX_MUL,
	EX_AND,
	EX_SHR,
	EX_MIN,
	N_EXPR_OPS
};
struct expr {
	enum expr_op op;
	uint32_t k;
	const struct expr *a, *b;
};

enum compare { CMP_LT, CMP_EQ, CMP_GE }; /* signed */
struct cond {
	enum compare cmp;
	const struct expr *a, *b;
};

enum area { AREA_SHARED, AREA_LOCAL };

enum mask_kind { MASK_CONST, MASK_VAR, MASK_TILE };
struct mask {
	enum mask_kind kind;
	uint32_t v; /* lanes; register; lanes of a tile */
};

enum ins_op {
	INS_NOTHING,
	INS_SET,        /* var = e */
	INS_BARRIER,    /* kind 1: not aligned */
	INS_BARRIER_OR, /* var = whether c holds anywhere */
	INS_NAMED_SYNC, /* barrier e, k threads */
	INS_NAMED_ARRIVE,
	INS_SYNCWARP,
	INS_VOTE,    /* var = any (kind 0) or all (1) of c */
	INS_BALLOT,  /* var = lanes with c */
	INS_SHUFFLE, /* var = e of lane ^ k, of k, of lane + k, of lane - k (kind 0..3) */
	INS_MATCH,   /* var = lanes with the same e (kind 0), or all or none (1) */
	INS_REDUX,   /* var = sum (kind 0) or minimum (1) of e */
	INS_STORE,   /* word k + at of its area = e; kind 1: volatile, 2: added to it */
	INS_LOAD,    /* var = word k + at of its area */
	INS_UNLESS,  /* go to label k unless c */
	INS_GUARD,   /* the same, printed as the guard of the next instruction */
	INS_JUMP,
	INS_LABEL,  /* k */
	INS_SWITCH, /* to way[e & 3] */
	INS_ROUND0, /* loop k begins */
	INS_ROUND,  /* loop k goes round */
	INS_CALL,   /* var = function k of e */
	INS_RETURN,
	INS_EXIT,
};
struct ins {
	enum ins_op op;
	uint32_t var, kind, k;
	uint32_t way[WAYS];
	struct mask mask;
	const struct expr *e, *at;
	enum area area;
	uint32_t unit; /* belongs together with others of this number, if not 0 */
	struct cond c;
	uint32_t loops; /* those around it, as bits */
};

struct code {
	struct ins v[CODE_MAX];
	unsigned n, loops;
};

struct random_kernel {
	struct code func[FUNCS_MAX]; /* the entry first */
	unsigned n_funcs, labels;
	uint32_t args[2];
	uint32_t block[3], grid[3];
	bool data;  /* it reads memory */
	bool named; /* it uses counted barriers */
};

/* Makes kernel `serial` of the stream `seed`.  Expressions live in a. */
void random_kernel_make(struct arena *a, struct random_kernel *k, uint64_t seed,
	uint64_t serial, bool data);

/* Its text: one entry "k" (pointer, u32, u32) and its functions. */
struct str random_kernel_ptx(struct arena *a, const struct random_kernel *k);

/* It has local words, which begin as its first variables: 0 is the argument of a call. */
bool random_code_has_frame(const struct code *c);

#endif
