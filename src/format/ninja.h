/* Writes Ninja syntax: https://ninja-build.org/manual.html, "Ninja file reference". */
#ifndef FORMAT_NINJA_H
#define FORMAT_NINJA_H

#include "base/buf.h"

/* False for what no escape helps: a line break, '|', and a tab, after which .ninja_log
 * reads wrongly and the file is never up to date. */
bool ninja_can_name(const char *path);
/* A path in a build line, one that Ninja can name: escapes "$", " " and ":". */
void ninja_path(struct buf *b, const char *path);
/* The value of a variable: escapes "$"; no line break (BUG). */
void ninja_value(struct buf *b, struct str value);
void ninja_var(struct buf *b, const char *indent, const char *name, struct str value);

/* One build statement, filled by the caller and printed in one go. */
struct ninja_edge {
	const char *rule;
	const char *const *outs; /* NULL-terminated lists; NULL is empty */
	const char *const *implicit_outs;
	const char *const *ins;
	const char *const *implicit_ins;
	const char *const *order_ins;
};
void ninja_build(struct buf *b, const struct ninja_edge *e);
void ninja_phony(struct buf *b, const char *name, const char *const *ins);

/* A word of a shell command line (Ninja hands commands to sh): quoted only if needed. */
void ninja_shell_word(struct buf *b, struct str word);

#endif
