/* Cells of comma-separated values, quoted where RFC 4180 says so. */
#ifndef SEARCH_CSV_H
#define SEARCH_CSV_H

#include "base/buf.h"

void csv_cell(struct buf *b, struct str s);

#endif
