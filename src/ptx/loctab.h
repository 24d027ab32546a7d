/*
 * The .file and .loc directives of a module as a table of places, each with the place it
 * was inlined at.  Three spellings of inlining are read:
 *
 *	.loc 2 110 3, function_name $L__info_string0, inlined_at 1 9 9	(nvcc, NVRTC)
 *	.loc 2 125 5	// mod.rs:125:5 @[ lib.rs:54:102 @[ main.rs:14:17 ] ]	(LLVM)
 *	.loc 1 9 9							(no inlining)
 *
 * `inlined_at` gives one level; that the caller was inlined itself is known from its own
 * .loc, which is written before.
 */
#ifndef PTX_LOCTAB_H
#define PTX_LOCTAB_H

#include "ptx/lex.h"
#include "ptx/ptx.h"

enum { LOCTAB_FILE_MAX = 1 << 16 }; /* numbers of .file are smaller */

struct loctab {
	struct arena *a;
	struct ptx_loc *locs; /* [0] is "unknown" */
	uint32_t n_locs;
	struct str *files; /* by number; empty if none */
	uint32_t n_files;  /* highest number + 1 */
	size_t cap_locs, cap_files;
	uint32_t *slots; /* locs by (file, line, col) */
	uint32_t n_slots;
};

void loctab_init(struct loctab *t, struct arena *a);

/*
 * Reads the directive whose dotted word was just read from l.  *next is then the token
 * after it.  NULL, or what is wrong with *next.
 */
const char *loctab_read_file(struct loctab *t, struct lex *l, struct token *next);
/* *loc is unchanged by a .loc without a line (code that the compiler made). */
const char *loctab_read_loc(
	struct loctab *t, struct lex *l, struct token *next, uint32_t *loc);

/* The name of a place's file: that of the .file, or the one written in the place itself.
 */
struct str loctab_name(
	const struct str *files, uint32_t n_files, const struct ptx_loc *l);

#endif
