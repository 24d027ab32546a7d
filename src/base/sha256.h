/* SHA-256 (FIPS 180-4): for names that others have defined by it; our own are
 * base/hash.h's. */
#ifndef BASE_SHA256_H
#define BASE_SHA256_H

#include "base/str.h"

enum { SHA256_BYTES = 32 };

void sha256(struct str s, unsigned char out[SHA256_BYTES]);

#endif
