/*
 * The file that `lower` writes: PTX, or, when the source does not compile, a text of PTX
 * comments that says so, since a candidate that fails is data:
 *
 *     // lanewise/lower-failed.v1
 *     // bad.cu:3:5: error: identifier "y" is undefined
 *     // ...the compiler's log, line by line
 */
#ifndef NODE_LOWERED_H
#define NODE_LOWERED_H

#include "base/buf.h"
#include "model/verdict.h"

void lowered_write_failure(struct buf *b, struct str file, unsigned line, unsigned col,
	struct str message, struct str log);
/* True when the text is such a failure; *out is then an ERROR finding of rule "lower". */
bool lowered_failure(struct arena *a, struct str text, struct finding *out);

#endif
