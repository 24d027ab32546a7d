/*
 * Content hashes: XXH3-128 (xxHash; not cryptographic: fine against accident, not
 * against an attacker who may write the cache).  Text form: 32 lower-case hex digits.
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include "base/str.h"

struct hash {
	uint64_t hi, lo;
};

enum { HASH_HEX = 32 };

struct hash hash_bytes(struct str s);
/* Hash of a file's bytes; false if it cannot be read. */
bool hash_file(const char *path, struct hash *out);
/* 32 hex digits and a NUL. */
void hash_hex(struct hash h, char out[HASH_HEX + 1]);
/* The first `digits` hex digits of the hash of s, in the arena. */
const char *hash_short(struct arena *a, struct str s, size_t digits);

#endif
