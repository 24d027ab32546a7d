/*
 * What the graph wrote, by hash: SUMS_FILE, a line an output, of which the last counts:
 *
 *     XXH3-128 PATH
 *
 * Nodes append to it, the front end compares before it starts Ninja: a file whose bytes
 * are not those that were written (a flipped bit, a truncated copy, a disk that was full)
 * is removed, so that it is made again, or recalled.  Ninja alone looks at times, and
 * would take it.  A file without a line is not judged; a lost line, or one of a writer
 * that was killed before it wrote, costs a recall and no more.
 */
#ifndef NODE_SUMS_H
#define NODE_SUMS_H

#include "base/buf.h"

#define SUMS_FILE ".lanewise/sums"

/* A line for one output, to be appended with others. */
void sums_line(struct buf *b, const char *path, struct str bytes);
/* A log that cannot be written is no reason to fail: what it lacks is not judged. */
void sums_append(const char *file, struct str lines);

/* Lines of a process that makes many outputs, to be appended at once. */
struct sums_queue {
	struct buf lines;
	const char *file; /* they are for; NULL: none was added */
};
/* Appends when there are many.  Those of a process that is killed are lost. */
void sums_queue_add(struct sums_queue *q, const char *file, struct str lines);
void sums_queue_flush(struct sums_queue *q);

/* Removes what differs, says so, and returns how many there were.  Nobody else may be at
 * work: it also writes the file anew when it is damaged, or most of its lines are old. */
size_t sums_check(struct arena *a, const char *file);

#endif
