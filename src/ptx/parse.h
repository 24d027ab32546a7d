/*
 * The parser's state, shared by its files:
 *   parse.c    the module: directives, debug sections, .loc
 *   decl.c	variables, parameters, function headers
 *   body.c     function bodies: scopes, labels, instructions
 *   operand.c  operands
 *
 * Every function that reads returns false after an error, which was reported then; the
 * first error ends the parse.  `p->t` is the token that was read but not yet used.
 */
#ifndef PTX_PARSE_H
#define PTX_PARSE_H

#include "base/arena.h"
#include "base/diag.h"
#include "ptx/lex.h"
#include "ptx/loctab.h"
#include "ptx/ptx.h"
#include "ptx/symtab.h"

/* .reg .b32 %r<N>; a register exists once it is named. */
struct range {
	uint64_t count;
	enum ptx_type type;
	uint8_t vec;
	uint32_t scope;
};

/* An open { }. */
struct open_scope {
	uint32_t number;
	bool has_names;
};

/* A label or table that was named, to be found when its function has ended. */
struct label_use {
	uint32_t *id;  /* where its index goes; once the operand has its final place */
	unsigned part; /* until then: index in parser.part */
	struct token word;
	uint32_t scope;
	bool table;
};

/* A name that nothing declared where it was used; it must not be declared after that. */
struct early_use {
	struct token word;
	struct str stem;
	uint32_t hash; /* of the stem */
	uint32_t scope;
};

struct parser {
	struct arena *a;
	const struct source *src;
	struct diag *d;
	struct lex lex;
	struct token t;
	bool failed;

	struct ptx_module *m;
	size_t cap_funcs, cap_vars, cap_protos, cap_names, cap_forms, cap_aliases;
	struct symtab globals; /* module names */
	struct symtab forms;   /* opcode spellings */
	struct loctab locs;
	struct symtab known; /* names declared nowhere */
	uint32_t n_scopes;   /* numbers given out; 0 is the module */

	/* The function being read. */
	struct ptx_func f;
	struct symtab names;
	struct open_scope open[PTX_DEPTH_MAX + 1]; /* [0] is the function */
	unsigned depth;
	uint32_t first_scope;
	uint32_t *parent; /* of scope first_scope + i */
	size_t n_parent, cap_parent;
	struct range *ranges;
	size_t n_ranges, cap_ranges;
	struct label_use *uses;
	size_t n_uses, cap_uses;
	struct early_use *early;
	size_t n_early, cap_early;
	size_t cap_ins, cap_regs, cap_labels, cap_tables;
	uint32_t loc; /* the last .loc */

	/* The instruction being read. */
	struct ptx_operand *part; /* scratch */
	unsigned n_part;
	size_t cap_part;
	size_t n_use_from; /* uses[] of this instruction start here */
	struct ptx_operand *slab;
	size_t slab_left, slab_size; /* entries */
};

bool parse_fail(struct parser *p, const struct token *at, const char *fmt, ...)
	PRINTF(3, 4);
/* Reads the next token into p->t; a malformed one is reported and becomes TOK_END. */
void parse_next(struct parser *p);

static inline bool
parse_is(const struct parser *p, char mark)
{
	return p->t.kind == TOK_MARK && p->t.mark == mark;
}

/* A name that can be declared: no dots in it. */
static inline bool
parse_is_name(const struct parser *p)
{
	return p->t.kind == TOK_WORD && p->t.stem == p->t.text.n;
}

static inline bool
parse_is_dot(const struct parser *p, const char *text)
{
	return p->t.kind == TOK_DOT && str_is(p->t.text, text);
}

/* Uses the mark if it is next. */
bool parse_take(struct parser *p, char mark);
bool parse_expect(struct parser *p, char mark);
/* An integer, perhaps negative. */
bool parse_int(struct parser *p, int64_t *v);
/* A size or count that fits 32 bits. */
bool parse_u32(struct parser *p, uint32_t *v);
/* Skips a balanced (...) or {...} whose opening mark is next. */
bool parse_skip_group(struct parser *p);
/* Skips to the semicolon, or over a block that ends the directive. */
bool parse_skip_directive(struct parser *p);
/* `.file` or `.loc`, the dotted word being next. */
bool parse_place(struct parser *p);

/* `.global .align 4 .b8 x[16] = {...}, y;` the space being next. */
bool decl_vars(struct parser *p, enum ptx_linkage link);
/* `.reg .b32 %r<9>, %x;` */
bool decl_regs(struct parser *p);
bool decl_func(struct parser *p, enum ptx_linkage link);
/* NAME: .callprototype ...; the dotted word being next. */
bool decl_proto(struct parser *p, const struct token *name);
/* Index of the function of that name, made if there is none. */
bool decl_func_index(struct parser *p, const struct token *name, uint32_t *index);

/* From after the opening brace up to and with the closing one. */
bool body_read(struct parser *p);
void body_declare(
	struct parser *p, const struct token *name, enum sym_kind kind, uint32_t id);
uint32_t body_new_reg(struct parser *p, struct str name, enum ptx_type type, uint8_t vec,
	uint32_t scope);
/* What a name means here (the first `n` bytes of the token), or NULL. */
struct sym *body_find(struct parser *p, struct str name, uint32_t hash);

/* One operand, appended to p->part. */
bool operand_read(struct parser *p, unsigned depth);
/* The operands of a call, in the shape of struct ptx_call. */
bool operand_read_call(struct parser *p);
/* A label or table name. */
bool operand_read_label(struct parser *p, bool table);
/* Notes the use of the label or table that is next (not consumed). */
void operand_use_label(struct parser *p, unsigned part, bool table);

/* ---- traps.c ---- */
/* Fills `traps` of the functions. */
void ptx_find_traps(struct ptx_module *m);

/* ---- opaque.c ---- */
/* Fills `opaque` of the functions. */
void ptx_find_opaque(struct ptx_module *m);

#endif
