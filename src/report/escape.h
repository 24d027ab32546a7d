/*
 * Foreign text (names, messages, source lines) in the languages of CI services.  Whatever
 * the bytes are, they stay text: no element, no command, no markup, no line of its own.
 */
#ifndef REPORT_ESCAPE_H
#define REPORT_ESCAPE_H

#include "base/buf.h"

/* Text of an XML 1.0 element or of an attribute in double quotes.  What XML cannot hold
 * (control characters, bytes that are not UTF-8) becomes U+FFFD; line breaks and tabs
 * stay, in an attribute as references. */
void xml_text(struct buf *b, struct str s);
void xml_attribute(struct buf *b, struct str s);

/* Markdown as GitHub and GitLab read it.  Running text: markup, mentions and addresses do
 * nothing, a line break is a space.  A name in the code font, also within a table. */
void markdown_text(struct buf *b, struct str s);
void markdown_code(struct buf *b, struct str s);
/* Whole lines in a fence that they cannot end. */
void markdown_block(struct buf *b, struct str lines);

/* The message, and a property, of a workflow command of GitHub Actions. */
void workflow_message(struct buf *b, struct str s);
void workflow_property(struct buf *b, struct str s);

#endif
