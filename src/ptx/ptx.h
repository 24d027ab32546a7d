/*
 * PTX text as data: a module of functions, each an array of decoded instructions.
 *
 *     struct ptx_module *m = ptx_parse(a, &source, &diag);   NULL after a diag_error
 *
 * Everything lives in the arena and points into the source text, which must stay.
 * Nothing is interpreted here: the parser knows what is written and what it names, the
 * control-flow graph (cfg.h) what runs after what, the gate what it means.
 *
 * Written for PTX 6 to 9 as nvcc, NVRTC, clang 14 to 22 and rustc print it, inline asm
 * included.  An opcode or directive that is not known is kept or skipped; a name,
 * bracket or number that makes no sense is an error at its place.  Time and memory are
 * linear in the text whatever it holds (at most about 120 bytes for each): a register
 * range `%r<4000000000>` costs nothing, nesting is at most PTX_DEPTH_MAX deep.
 */
#ifndef PTX_PTX_H
#define PTX_PTX_H

#include "base/str.h"
#include "ptx/ptx_ops.h"

struct arena;
struct diag;
struct source;

#define PTX_NONE UINT32_MAX /* "no index", wherever an index may be absent */

enum {
	PTX_DEPTH_MAX = 64,     /* nested { } in one function */
	PTX_OPERANDS_MAX = 64,  /* top-level operands of one instruction */
	PTX_PARTS_MAX = 4096,   /* operand entries of one instruction, parts included */
	PTX_WAYS_MAX = 1 << 20, /* targets of all brx.idx of a function together */
	PTX_TEXT_MAX = 1 << 26, /* bytes of a module */
};

/* Index of a register inside its function; register 0 is the carry flag (CC.CF), which
 * add.cc writes and addc reads. */
typedef uint32_t ptx_reg;
enum { PTX_REG_CC = 0 };

/*
 * A spelling of an opcode, decoded once; instructions that are spelled alike share it.
 */
struct ptx_form {
	struct str text; /* "setp.lt.and.s32" */
	enum ptx_op op;
	enum ptx_nature nature;
	enum ptx_type type[4]; /* in order of writing; PTX_T_NONE past the last */
	unsigned n_types;
	enum ptx_cmp cmp;      /* set, setp */
	enum ptx_sub sub;      /* see PTX_SUBS */
	enum ptx_round round;  /* the last one written */
	enum ptx_space space;  /* the first one written; NONE is generic */
	enum ptx_space space2; /* the second (cp.async.bulk.DST.SRC) */
	enum ptx_sem sem;
	enum ptx_scope scope;
	unsigned vec;     /* 1, 2, 4, 8 for .v2 .v4 .v8; never 0 */
	uint64_t flags;   /* bits 1 << PTX_FBIT_*; bar.* has ALIGNED */
	unsigned results; /* leading operands written; see PTX_OPS */
	unsigned odd;     /* modifiers that no table knows (kept in text) */
};

#define PTX_HAS(form, flag) (((form)->flags >> PTX_FBIT_##flag & 1) != 0)

enum ptx_operand_kind {
	PTX_O_NONE,  /* absent (the prototype of a direct call) */
	PTX_O_SINK,  /* _ */
	PTX_O_REG,   /* id: register; part: 0, or 'x' 'y' 'z' 'w' of a vector register */
	PTX_O_INT,   /* i: value; WARP_SZ is the integer 32 */
	PTX_O_F32,   /* i: the 32 bits */
	PTX_O_F64,   /* i: the 64 bits; also decimal floats */
	PTX_O_SREG,  /* id: enum ptx_sreg; part: 'x' 'y' 'z' 'w' or 0; unknown ones: name
		      */
	PTX_O_VAR,   /* id: index in module vars; i: byte offset (mov.u64 %rd, buf+4) */
	PTX_O_FUNC,  /* id: index in module funcs */
	PTX_O_LABEL, /* id: index in function labels */
	PTX_O_TABLE, /* id: index in function tables (.branchtargets, .calltargets) */
	PTX_O_PROTO, /* id: index in module protos (.callprototype) */
	PTX_O_NAME,  /* id: index in module names: declared nowhere that we know */
	PTX_O_ADDR, /* [base + i, ...]: parts: the base (REG VAR NAME INT), then what else
		       the brackets hold (tensor coordinates) */
	PTX_O_VEC,  /* {a, b, ...}: parts */
	PTX_O_PAIR, /* p|q: two parts */
	PTX_O_LIST, /* (a, b, ...) of call: parts */
};

/*
 * One entry of an operand.  Parts follow their owner directly: the next operand of the
 * same level is o + 1 + o->n.
 */
struct ptx_operand {
	uint8_t kind; /* enum ptx_operand_kind */
	char part;    /* component or selector letter, or 0 */
	bool neg;     /* !p, or -%r of video instructions; numbers carry their sign */
	uint16_t n;   /* entries that belong to it, parts of parts included */
	uint32_t id;
	int64_t i;
};

struct ptx_ins {
	const struct ptx_form *form;
	const struct ptx_operand *ops; /* n_entries entries */
	uint32_t at;                   /* byte offset in the text */
	uint32_t line;                 /* 1-based line of the PTX text */
	uint32_t loc;                  /* index in module locs; 0 is none */
	ptx_reg guard;                 /* predicate of @p, or PTX_NONE */
	bool guard_neg;                /* @!p */
	/* The guard decides control (guarded sync, exit, ret, call): the control-flow
	 * graph makes it a branch around a block of this one instruction, where it is
	 * true. */
	bool split;
	uint16_t n_entries;
	uint8_t n_ops; /* top-level operands */
	uint8_t n_dst; /* of which so many leading ones are written */
};

struct ptx_regdecl {
	struct str name; /* as written, "%r12"; several registers may share it (scopes) */
	enum ptx_type type;
	uint8_t vec;    /* 1, 2, 4 */
	uint32_t scope; /* 0 is the function; each { } has its own number */
};

struct ptx_label {
	struct str name;
	uint32_t ins;   /* the instruction it precedes; n_ins at the end */
	uint32_t scope; /* as in ptx_regdecl */
	uint32_t line;
};

/* NAME: .branchtargets L0, L1; (label indices) or .calltargets f, g; (funcs) */
struct ptx_table {
	struct str name;
	bool calls;
	uint32_t n;
	uint32_t *to; /* label indices, or func indices */
};

enum ptx_linkage {
	PTX_LINK_NONE,
	PTX_LINK_VISIBLE,
	PTX_LINK_EXTERN,
	PTX_LINK_WEAK,
	PTX_LINK_COMMON,
};

/* A variable, parameter, or return parameter. */
struct ptx_var {
	struct str name;
	enum ptx_space space;
	enum ptx_type type;
	enum ptx_linkage link;
	uint8_t vec;
	bool array;               /* written with [] */
	bool dynamic;             /* extern array without a size: dynamic shared memory */
	bool ptr;                 /* .ptr parameter */
	enum ptx_space ptr_space; /* of a .ptr; NONE is generic */
	uint32_t align;           /* bytes; natural if not written */
	uint32_t ptr_align;       /* bytes, of a .ptr; 0 if not written */
	uint64_t bytes;           /* 0 if dynamic; saturates */
	uint32_t func;            /* index of the function it belongs to, or PTX_NONE */
	uint32_t param;           /* position among its function's params, or PTX_NONE */
	bool ret;                 /* param counts the return parameters */
	uint32_t scope;  /* as in ptx_regdecl; names repeat in different scopes */
	struct str init; /* text after '=', or empty */
	uint32_t at;     /* byte offset of its name */
	uint32_t line;
};

/* NAME: .callprototype (rets) _ (params); only the counts matter to a caller */
struct ptx_proto {
	struct str name;
	struct str text; /* after ".callprototype", without the semicolon */
	uint32_t n_rets;
	uint32_t n_params;
	bool noreturn;
};

struct ptx_dim {
	uint32_t v[3]; /* x y z, missing ones 1; all 0 if not written */
};

struct ptx_func {
	struct str name;
	bool entry;    /* .entry */
	bool defined;  /* has a body */
	bool noreturn; /* .noreturn, or __assertfail */
	bool traps;    /* does nothing but trap, whatever it is called with */
	bool opaque;   /* no body here, and no system call: it may synchronise */
	enum ptx_linkage link;
	uint32_t index; /* in module funcs */
	uint32_t body;  /* index of the function whose body runs: its own, or an aliasee's
			 */
	uint32_t at;    /* byte offset of its name */
	uint32_t line;

	/* Module vars [params, params + n_params), and the same for rets; in the
	 * definition's spelling once there is one. */
	uint32_t params, n_params;
	uint32_t rets, n_rets;
	/* All of its module vars: parameters and those of the body, [vars, vars +
	 * n_vars). */
	uint32_t vars, n_vars;

	struct ptx_dim maxntid; /* bounds the product */
	struct ptx_dim reqntid; /* exact */
	struct ptx_dim cluster; /* .reqnctapercluster */
	bool explicit_cluster;
	uint32_t minnctapersm, maxnreg, maxclusterrank; /* 0 if not written */

	uint32_t loc; /* the first .loc of its body, its own line; index in module locs */
	struct ptx_ins *ins;
	uint32_t n_ins;
	struct ptx_regdecl *regs; /* [0] is the carry flag */
	uint32_t n_regs;          /* of a range %r<N> only those that are used */
	struct ptx_label *labels;
	uint32_t n_labels;
	struct ptx_table *tables;
	uint32_t n_tables;

	uint64_t shared_bytes; /* static shared declared in the body, with alignment */
	uint64_t local_bytes;  /* .local declared in the body */
	uint32_t ends_at;      /* byte offset of the closing brace */
};

/* One .loc: where code came from.  locs[0] is "unknown". */
struct ptx_loc {
	uint32_t file, line, col; /* file: number of a .file; 0 is unknown */
	uint32_t up;              /* the loc it was inlined at, or 0 */
	struct str name;          /* file name when it was written instead of a number */
};

struct ptx_module {
	const struct source *src;
	unsigned version;          /* major * 10 + minor: 90 */
	struct str target;         /* "sm_90a" */
	unsigned sm;               /* 90; 0 if not of the form sm_N */
	char sm_suffix;            /* 'a', 'f' or 0 */
	struct str target_options; /* after the first comma: "debug" */
	unsigned address_bits;     /* 32 or 64 */

	struct ptx_func *funcs; /* in order of first mention */
	struct ptx_var *vars;   /* of the module and its functions, in order of writing */
	uint32_t n_funcs, n_vars;
	struct ptx_proto *protos;
	struct str *names; /* see PTX_O_NAME */
	uint32_t n_protos, n_names;
	struct ptx_form **forms; /* distinct spellings */
	struct ptx_loc *locs;
	uint32_t n_forms, n_locs;
	struct str *files;   /* names by number of .file, without quotes; empty if none */
	struct str *aliases; /* pairs: alias, aliasee */
	uint32_t n_files;    /* highest number + 1 */
	uint32_t n_aliases;  /* pairs */
	uint64_t shared_bytes; /* static .shared of the module, with alignment */
};

/* NULL: the text is not PTX that we understand; reported. */
struct ptx_module *ptx_parse(struct arena *a, const struct source *src, struct diag *d);

/* The function of a name, or NULL.  Aliases are followed. */
struct ptx_func *ptx_find_func(const struct ptx_module *m, struct str name);

/* The k-th top-level operand, or NULL. */
const struct ptx_operand *ptx_operand(const struct ptx_ins *ins, unsigned k);
/* The k-th direct part of an operand, or NULL. */
const struct ptx_operand *ptx_part(const struct ptx_operand *o, unsigned k);
/* How many direct parts it has. */
unsigned ptx_parts(const struct ptx_operand *o);
#define PTX_NEXT(o) ((o) + 1 + (o)->n)

/*
 * The operands of a call, always four: the LIST of return variables, the target (FUNC,
 * REG, or NAME), the LIST of arguments, and the PROTO or TABLE of an indirect call (NONE
 * if it is direct).
 */
struct ptx_call {
	const struct ptx_operand *rets, *target, *args, *proto;
};
struct ptx_call ptx_call_of(const struct ptx_ins *ins);

/* The membermask of a warp collective, or NULL if it names none (aligned matrix
 * operations, shfl and vote without .sync). */
const struct ptx_operand *ptx_membermask(const struct ptx_ins *ins);
/* Barrier number and thread count of a CTA barrier; count NULL: all threads. */
const struct ptx_operand *ptx_barrier_id(const struct ptx_ins *ins);
const struct ptx_operand *ptx_barrier_count(const struct ptx_ins *ins);

/*
 * Registers an instruction writes or reads, the carry flag included.  Reads include the
 * guard, address bases and, when the instruction may leave them as they were (a guard
 * that is not split, an accumulator), the destinations.  Variables are not registers.
 *
 *     struct ptx_walk w = ptx_reads(ins);
 *     while (ptx_walk_next(&w, &reg)) ...
 */
struct ptx_walk {
	const struct ptx_ins *ins;
	const struct ptx_operand *o, *end;
	unsigned extra; /* implicit ones still to come */
	bool writes;
};
struct ptx_walk ptx_writes(const struct ptx_ins *ins);
struct ptx_walk ptx_reads(const struct ptx_ins *ins);
bool ptx_walk_next(struct ptx_walk *w, ptx_reg *reg);

/* Registers inside one operand, parts included. */
struct ptx_walk ptx_operand_regs(const struct ptx_operand *o);

/* PTX text of a module that parses to the same structure; scoped registers get names of
 * their own.  Comments, .loc and debug sections are not printed. */
struct str ptx_print(struct arena *a, const struct ptx_module *m);
/* One instruction as written in the source, without its guard's branch: for messages. */
struct str ptx_ins_text(const struct ptx_module *m, const struct ptx_ins *ins);

#endif
