/*
 * What is known of one kernel: points.json joined with the rows of all specializations,
 * as the entries of a ranking.  `rank` and `shortlist` start from the same entries.
 */
#ifndef NODE_JOINED_H
#define NODE_JOINED_H

#include "base/map.h"
#include "node/node.h"
#include "node/pointlist.h"
#include "node/rows.h"
#include "perf/objective.h"

/* Where a point is found in the rows. */
struct joined_at {
	const struct rows *rows; /* NULL: nowhere */
	const struct verdict *verdict;
	const struct result *result; /* NULL: it was not run */
};

struct joined {
	struct arena *a;
	const struct device *dev;
	const struct pointlist *list;
	struct map places;               /* candidate@size, in the order of the list */
	struct map names;                /* of points */
	struct joined_at *safe, *unsafe; /* by index in the list */
	struct objective objective; /* the caller's, before joined_size(); zero: time */
};

/* The words that both nodes begin with. */
enum joined_word { JOINED_KERNEL, JOINED_POINTS, JOINED_DEVICE, JOINED_ROW };

#define JOINED_WORDS \
	[JOINED_KERNEL] = {"kernel", NODE_PARAM, true, false}, \
	[JOINED_POINTS] = {"points", NODE_INPUT, true, false}, \
	[JOINED_DEVICE] = {"device", NODE_INPUT, true, false}, \
	[JOINED_ROW] = {"row", NODE_INPUT, false, true}

/* unsafe_row: the word of the rows of refused points, or -1.  False after a diag_error.
 */
bool joined_read(struct joined *j, struct node_call *c, long unsafe_row, struct diag *d);

/* The entries of one size: ranked by time, failed, refused; see perf/rank.h.  Who failed
 * in the final (NULL: there is none) failed. */
void joined_size(struct joined *j, const struct json *size, const struct final_record *f,
	struct rank_size *z);

/* The point of an entry, and where it was found. */
const struct point *joined_point(
	const struct joined *j, const struct rank_entry *e, struct str size);
const struct joined_at *joined_at(const struct joined *j, const struct point *p);

#endif
