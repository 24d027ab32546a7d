/* How times, ratios and long texts are shown: plain ASCII, 100 columns. */
#ifndef REPORT_SHOW_H
#define REPORT_SHOW_H

#include "base/buf.h"

/* One unit and one number of decimals for all times of a table. */
struct time_unit {
	const char *name; /* "ns", "us", "ms", "s" */
	double ns;
	int decimals;
};

struct time_unit time_unit_for(double ns);
/* "3.412", or "-" when it is not finite. */
struct str time_number(struct arena *a, const struct time_unit *u, double ns);
/* "3.412 us" in the unit that suits it. */
struct str time_text(struct arena *a, double ns);

/* "1234", "12.3": three digits or more; "-" when not finite. */
struct str amount_text(struct arena *a, double v);
/* "0 B", "1152 B", "48 KiB" */
struct str bytes_text(struct arena *a, int64_t n);

/* All show foreign text as base/shown.h does.  One cell: cut to `width` with ".." and
 * padded to it. */
void show_cell(struct buf *b, struct str s, size_t width);
/* Words of s from column `indent` on, continued at `indent`; ends the line.  `at` is the
 * column that the first line starts at. */
void show_wrap(struct buf *b, struct str s, size_t at, size_t indent);
/* The same as lines of their own, all at `indent`. */
void show_line(struct buf *b, size_t indent, struct str s);
/* "-- TITLE -----------" to the full width. */
void show_rule(struct buf *b, char c, struct str title);

#endif
