#include "cache/key.h"

#include "base/hash.h"

void
key_begin(struct buf *key, const char *node, unsigned revision)
{
	buf_addf(key, "lanewise-key 1\nnode %s %u\n", node, revision);
}

void
key_param(struct buf *key, const char *name, struct str value)
{
	buf_addf(key, "param %s ", name);
	for (size_t i = 0; i < value.n; i++) {
		if (value.s[i] == '\n')
			buf_adds(key, "\\n");
		else if (value.s[i] == '\\')
			buf_adds(key, "\\\\");
		else
			buf_addc(key, value.s[i]);
	}
	buf_addc(key, '\n');
}

void
key_input(struct buf *key, const char *name, struct str bytes, bool present)
{
	char hex[HASH_HEX + 1];
	hash_hex(hash_bytes(bytes), hex);
	buf_addf(key, "input %s %s%s\n", name, present ? "xxh128:" : "absent",
		present ? hex : "");
}
