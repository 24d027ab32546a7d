/*
 * Foreign text as C: whatever a name or a value holds, it stays a name, a value or a
 * comment.
 */
#ifndef APPLY_TUNED_TEXT_H
#define APPLY_TUNED_TEXT_H

#include "base/buf.h"
#include "format/json.h"

/* Characters that an identifier cannot have become '_'; a digit in front gets one. */
struct str tuned_identifier(struct arena *a, struct str s, bool upper);
/* The same for what stands after another name. */
struct str tuned_suffix(struct arena *a, struct str s, bool upper);
/* A string literal, in ASCII, without trigraphs. */
void tuned_add_literal(struct buf *b, struct str s);
/* A number, a string literal, or a boolean as 1 and 0; v NULL: 0. */
void tuned_add_value(struct buf *b, const struct json *v);
/* Inside of a comment that it can neither end nor continue. */
void tuned_add_comment(struct buf *b, struct str s);
/* " * S\n" */
void tuned_comment_line(struct buf *b, struct str s);

#endif
