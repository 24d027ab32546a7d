/*
 * Located diagnostics: the user's text is wrong.  A function that finds the
 * mistake reports it here, once, and returns false; callers pass false up
 * without printing again.  Shown on stderr as
 *
 *     lanewise.json:12:9: error: unknown key 'tyle' (did you mean 'tile'?)
 *       12 |   "tyle": 32,
 *          |   ^
 */
#ifndef BASE_DIAG_H
#define BASE_DIAG_H

#include "base/die.h"
#include "base/str.h"

#include <stdio.h>

/* A text that positions point into. */
struct source {
	const char *name; /* as the user wrote it */
	struct str text;
};

struct diag {
	FILE *to;           /* NULL: stderr */
	unsigned errors;    /* how many were reported */
	bool quiet;         /* errors are counted only */
	unsigned limit;     /* stop printing after so many; 0: 20 */
	const char *blamed; /* name of the text of the last error, or NULL */
};

/* A position; line and column are 1-based, 0 is "the whole file". */
struct place {
	const struct source *src;
	unsigned line;
	unsigned col;
};

/* The place of a byte offset in a source. */
struct place source_place(const struct source *src, size_t offset);
/* The text of a 1-based line, without its newline; empty past the end. */
struct str source_line(const struct source *src, unsigned line);

void diag_error(struct diag *d, struct place at, const char *fmt, ...) PRINTF(3, 4);
void diag_warn(struct diag *d, struct place at, const char *fmt, ...) PRINTF(3, 4);
void diag_note(struct diag *d, struct place at, const char *fmt, ...) PRINTF(3, 4);

#endif
