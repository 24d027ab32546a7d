/*
 * Foreign text (names, messages, bytes of files) made fit for a terminal and a log: a
 * control character, one that reorders what stands beside it, and a byte that is no UTF-8
 * are written out as \n, \r, \t, \x1b; other UTF-8 stays.  So is the first character of
 * what a CI service obeys wherever it reads a log: "::" that begins a line, and "##[",
 * "##vso[", "##teamcity[" anywhere.  A backslash is not doubled, so that text which was
 * shown once, as by a node whose output passes through Ninja, is not changed again.
 */
#ifndef BASE_SHOWN_H
#define BASE_SHOWN_H

#include "base/buf.h"

#include <stdio.h>

/* On one line.  Where a tab or a line break is the text's own, as in what a compiler
 * says, the second form keeps both. */
void shown_add(struct buf *b, struct str s);
void shown_add_lines(struct buf *b, struct str s);
struct str shown_text(struct arena *a, struct str s);
const char *shown_c(struct arena *a, struct str s); /* for printf("%s") */

/* The same to a stream; they need no memory. */
void shown_print(FILE *to, struct str s);
void shown_print_lines(FILE *to, struct str s);
/* Blanks and tabs as wide as what shown_print_lines() makes of one line. */
void shown_print_blank(FILE *to, struct str s);

#endif
