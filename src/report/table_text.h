/* The ranking of one size as a table of at most 100 columns. */
#ifndef REPORT_TABLE_TEXT_H
#define REPORT_TABLE_TEXT_H

#include "base/buf.h"
#include "perf/ranking.h"

/* At least one candidate is ranked.  top: rows besides champion and baseline; 0: all. */
void table_text(struct buf *b, const struct rank_size *s, size_t top);

#endif
