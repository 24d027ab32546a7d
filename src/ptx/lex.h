/*
 * PTX tokens, one at a time, straight from the text; nothing is allocated.
 *
 * A WORD is an identifier with everything that is glued to it by dots and double colons
 * ("setp.lt.s32", "%tid.x"); a DOT is one dotted word ("." + "shared::cta"), so that
 * ".reg.b32" and ".reg .b32" read alike.  Comments are skipped.
 */
#ifndef PTX_LEX_H
#define PTX_LEX_H

#include "base/str.h"

enum token_kind {
	TOK_END,
	TOK_WORD,
	TOK_DOT,
	TOK_INT,  /* value; wraps modulo 2^64 when `big` */
	TOK_F32,  /* 0f3F800000: value holds the bits */
	TOK_F64,  /* 0d..., 1.5, 1e3: value holds the bits */
	TOK_STR,  /* text without the quotes, escapes as written */
	TOK_MARK, /* one character of punctuation, in `mark` */
	TOK_BAD,  /* `why` says what is wrong at `at` */
};

struct token {
	enum token_kind kind;
	char mark;
	bool big;    /* the integer does not fit 64 bits */
	uint32_t at; /* byte offset */
	uint32_t line;
	uint32_t hash; /* of text, for WORD and DOT */
	uint32_t stem; /* WORD: length up to the first dot */
	struct str text;
	uint64_t value;
	const char *why;
};

struct lex {
	struct str text;
	uint32_t pos;
	uint32_t line;
	uint32_t end; /* offset after the last token that was read */
};

void lex_next(struct lex *l, struct token *t);
/* The hash that tokens carry. */
uint32_t lex_hash(struct str s);
/* The rest of the line after the last token read, as a comment: text after "//". */
struct str lex_comment(const struct lex *l, uint32_t after);

#endif
