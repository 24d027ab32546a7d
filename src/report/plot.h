/* Readings over time as a small text plot: 'o' counts, 'x' is void. */
#ifndef REPORT_PLOT_H
#define REPORT_PLOT_H

#include "base/buf.h"
#include "model/reading.h"

enum { PLOT_ROWS = 7, PLOT_COLUMNS = 72 };

/* Lines at `indent`; of more than PLOT_COLUMNS readings, several share a column. */
void plot_readings(struct buf *b, size_t indent, const struct reading *v, size_t n);

#endif
