/*
 * Ninja's log, .lanewise/.ninja_log: which command made which file, of inputs how new.
 * Version 5, which Ninja 1.10 and 1.11 read and write: a line an output,
 *
 *     START \t END \t MTIME_NS \t OUTPUT \t HASH
 *
 * where HASH is MurmurHash64A of the command with seed 0xDECAFBADDECAFBAD (build_log.cc).
 */
#ifndef GRAPH_NINJA_LOG_H
#define GRAPH_NINJA_LOG_H

#include "base/buf.h"
#include "base/map.h"

struct ninja_log {
	struct map outs;
	uint64_t *hash; /* by index in outs: of the last command */
	size_t cap;
	bool present;
};

uint64_t ninja_log_hash(struct str command);
/* False when the file is of another version. An absent file is an empty log. */
bool ninja_log_read(struct arena *a, const char *path, struct ninja_log *log);
/* A line for one output. */
void ninja_log_line(struct buf *b, struct str out, int64_t mtime_ns, uint64_t hash);
/* Appends lines to a log that is there, or begins one; false with errno set. */
bool ninja_log_append(
	struct arena *a, const char *path, const struct ninja_log *log, struct str lines);

#endif
