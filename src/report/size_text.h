/* One kernel at one size as text: the champion, the ranking, what failed. */
#ifndef REPORT_SIZE_TEXT_H
#define REPORT_SIZE_TEXT_H

#include "base/buf.h"
#include "perf/ranking.h"

/* top: how many of the ranking are shown besides champion and baseline; 0: all. */
void size_text(
	struct buf *b, const struct ranking *r, const struct rank_size *s, size_t top);

#endif
