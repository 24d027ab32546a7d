/*
 * The words of an expression.  An error is reported once and turns the rest of the text
 * into its end, so that the parser stops by itself.
 */
#ifndef FORMAT_EXPR_LEX_H
#define FORMAT_EXPR_LEX_H

#include "format/expr_node.h"

enum token_kind { TOKEN_END, TOKEN_CONST, TOKEN_NAME, TOKEN_MARK };

struct token {
	enum token_kind kind;
	struct str text;
	struct value value; /* TOKEN_CONST */
};

/* Zero but for a, e and d is ready; word_next() reads the first token. */
struct lexer {
	struct arena *a;
	const struct expr *e;
	struct diag *d;
	struct token t; /* the current one */
	size_t start;   /* offset of t */
	size_t i;       /* offset after t */
	bool failed;
};

void word_next(struct lexer *l);
/* Is the current token this keyword or mark?  word_take() steps over it if so. */
bool word_is(const struct lexer *l, const char *word);
bool word_take(struct lexer *l, const char *word);
void word_fail(struct lexer *l, size_t offset, struct str message);

#endif
