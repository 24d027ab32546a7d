#include "base/hash.h"

#include "base/arena.h"
#include "base/die.h"
#include "base/fs.h"

#include <stdio.h>
#include <xxhash.h>

struct hash
hash_bytes(struct str s)
{
	XXH128_hash_t h = XXH3_128bits(s.n ? s.s : "", s.n);
	return (struct hash){h.high64, h.low64};
}

bool
hash_file(const char *path, struct hash *out)
{
	struct arena a = {0};
	struct str s;
	bool ok = fs_try_read(&a, path, &s);
	if (ok)
		*out = hash_bytes(s);
	arena_release(&a);
	return ok;
}

void
hash_hex(struct hash h, char out[HASH_HEX + 1])
{
	snprintf(out, HASH_HEX + 1, "%016llx%016llx", (unsigned long long)h.hi,
		(unsigned long long)h.lo);
}

const char *
hash_short(struct arena *a, struct str s, size_t digits)
{
	char hex[HASH_HEX + 1];
	hash_hex(hash_bytes(s), hex);
	return arena_copy(a, hex, digits < HASH_HEX ? digits : HASH_HEX);
}
