/*
 * Ninja's log, .lanewise/.ninja_log: which command made which file, of inputs how new.
 * After a head, "# ninja log vN", a line an output:
 *
 *     START \t END \t MTIME_NS \t OUTPUT \t HASH
 *
 * What Ninja writes into it, as of its build_log.cc:
 *
 *     Ninja       log  HASH of the command
 *     1.10, 1.11  v5   MurmurHash64A with seed 0xDECAFBADDECAFBAD
 *     1.12        v6   the same
 *     1.13        v7   rapidhash (version 1, its own seed)
 *
 * Each discards the log of another version.
 */
#ifndef GRAPH_NINJA_LOG_H
#define GRAPH_NINJA_LOG_H

#include "base/buf.h"
#include "base/map.h"

struct ninja_log {
	int version;
	struct map outs;
	uint64_t *hash; /* by index in outs: of the last command */
	size_t cap;
	bool present;
	bool torn; /* its last line has no end */
};

/* The version of the log of Ninja MAJOR * 100 + MINOR, as of run_ninja_version(); 0: not
 * known, as of 1.14 and newer. */
int ninja_log_version(int ninja);
uint64_t ninja_log_hash(int version, struct str command);
/* What the file has for that version. A file that is absent, empty or of another version
 * is an empty log: Ninja begins a new one then.  False when it cannot be read. */
bool ninja_log_read(
	struct arena *a, const char *path, int version, struct ninja_log *log);
/* A line for one output. */
void ninja_log_line(struct buf *b, struct str out, int64_t mtime_ns, uint64_t hash);
/* Appends lines to a log that is there, or begins one; false with errno set. */
bool ninja_log_append(
	struct arena *a, const char *path, const struct ninja_log *log, struct str lines);

#endif
