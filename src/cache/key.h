/*
 * The key of a piece of work is readable text; its hash only names the entry.  Every
 * piece is tagged and on a line of its own, so that no two different lists of pieces make
 * one text:
 *
 *     lanewise-key 1
 *     node lower 3
 *     param define TILE=128
 *     input source xxh128:6837d84aa34d1e14...
 *
 * Paths are never part of a key.
 */
#ifndef CACHE_KEY_H
#define CACHE_KEY_H

#include "base/buf.h"

void key_begin(struct buf *key, const char *node, unsigned revision);
/* Newlines and backslashes in the value are escaped. */
void key_param(struct buf *key, const char *name, struct str value);
/* hex: of the hash of its bytes; NULL when there is no such file. */
void key_input(struct buf *key, const char *name, const char *hex);

#endif
