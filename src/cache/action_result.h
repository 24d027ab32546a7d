/*
 * The one message of the Bazel remote cache that its `ac/` folder holds, as far as an
 * entry of ours needs it: an ActionResult (build.bazel.remote.execution.v2) whose only
 * output file is the entry.  Servers that check what is put there find it well-formed,
 * and know which blob it keeps alive.
 */
#ifndef CACHE_ACTION_RESULT_H
#define CACHE_ACTION_RESULT_H

#include "base/sha256.h"

enum { SHA256_HEX = 2 * SHA256_BYTES };

struct action_result {
	char digest[SHA256_HEX + 1]; /* SHA-256 of the file: its name in `cas/` */
	uint64_t bytes;
};

void sha256_hex(struct str s, char out[SHA256_HEX + 1]);

struct str action_result_write(struct arena *a, const struct action_result *r);
/* The first output file; fields that are not known are skipped.  False when the message
 * is malformed or has no such file. */
bool action_result_read(struct str message, struct action_result *r);

#endif
