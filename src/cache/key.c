#include "cache/key.h"

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
key_input(struct buf *key, const char *name, const char *hex)
{
	buf_addf(
		key, "input %s %s%s\n", name, hex ? "xxh128:" : "absent", hex ? hex : "");
}
