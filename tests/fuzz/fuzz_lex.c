/*
 * Any bytes as tokens: every token lies inside the text and after the one before, lines
 * only rise, and the text ends or a wrong byte is said.
 */
#include "base/die.h"
#include "ptx/lex.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void
check_token(const struct lex *l, const struct token *t, const struct lex *before)
{
	if (t->at < before->pos || t->at > l->pos || l->pos > l->text.n)
		BUG("token at %u, between %u and %u", t->at, before->pos, l->pos);
	if (t->line < before->line || t->line > l->line || l->end != before->pos)
		BUG("token on line %u", t->line);
	if (t->text.n && (t->text.s < l->text.s + t->at ||
				 t->text.s + t->text.n > l->text.s + l->pos))
		BUG("a text outside its token");
	if (t->kind == TOK_WORD && (t->stem > t->text.n || t->hash != lex_hash(t->text)))
		BUG("word '%.*s'", STR_ARG(t->text));
	struct str c = lex_comment(l, l->pos);
	if (c.n && (c.s < l->text.s || c.s + c.n > l->text.s + l->text.n))
		BUG("a comment outside the text");
}

static uint32_t
lines_before(struct str text, uint32_t at)
{
	uint32_t n = 1;
	for (uint32_t i = 0; i < at; i++)
		n += text.s[i] == '\n';
	return n;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct lex l = {.text = {(const char *)data, n}, .line = 1};
	for (;;) {
		struct lex before = l;
		struct token t = {0};
		lex_next(&l, &t);
		check_token(&l, &t, &before);
		if (t.kind == TOK_BAD && (!t.why || !*t.why))
			BUG("wrong without a reason");
		if (t.kind == TOK_BAD || t.kind == TOK_END) {
			if (n < 10000 && t.line != lines_before(l.text, t.at))
				BUG("line %u of byte %u", t.line, t.at);
			return 0;
		}
		if (l.pos <= t.at)
			BUG("token %d of no length", (int)t.kind);
	}
}
