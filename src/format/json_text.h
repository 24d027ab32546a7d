/*
 * What JSON text must be before cJSON sees it: comments blanked, the grammar of RFC 8259
 * checked with an error that says what to do (cJSON only says where it gave up), and what
 * cJSON would let pass (control characters, NUL, bytes that are not UTF-8, leading zeros,
 * deep nesting) refused.
 */
#ifndef FORMAT_JSON_TEXT_H
#define FORMAT_JSON_TEXT_H

#include "base/diag.h"

enum { JSON_DEPTH_MAX = 200, JSON_NUMBER_MAX = 60 };

/* A copy of src's text in which comments are spaces (newlines stay), so that offsets are
 * those of the source; false after a diag_error. */
bool json_text_clean(
	struct arena *a, const struct source *src, struct str *out, struct diag *d);
#endif
