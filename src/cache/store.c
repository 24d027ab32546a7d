#include "cache/store.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/fs.h"
#include "base/hash.h"

static const char MAGIC[] = "lanewise-entry 1";

/* Larger results are cheaper to make again than to keep. */
enum { ENTRY_MAX = 64 << 20, PARTS_MAX = 64 };

static const char *
entry_path(struct arena *a, const char *root, struct str key)
{
	char hex[HASH_HEX + 1];
	hash_hex(hash_bytes(key), hex);
	return str_fmt(a, "%s/%.2s/%s", root, hex, hex).s;
}

static bool
take(struct str *rest, uint64_t n, struct str *out)
{
	if (n > rest->n)
		return false;
	*out = str_sub(*rest, 0, n);
	*rest = str_sub(*rest, n, rest->n);
	return true;
}

/* "part NAME BYTES xxh128:HEX" */
static bool
part_line(struct str line, struct store_part *p, uint64_t *n, struct str *hash)
{
	struct str word;
	return str_split(&line, ' ', &word) && str_is(word, "part") &&
	       str_split(&line, ' ', &p->name) && str_split(&line, ' ', &word) &&
	       str_to_u64(word, n) && str_split(&line, ' ', hash) && line.n == 0;
}

static bool
hash_agrees(struct str bytes, struct str want)
{
	char hex[HASH_HEX + 1];
	hash_hex(hash_bytes(bytes), hex);
	return str_starts(want, "xxh128:") && str_is(str_sub(want, 7, want.n), hex);
}

static bool
entry_parse(struct arena *a, struct str text, struct str key, struct store_part **parts,
    size_t *n)
{
	struct str line, got, hashes[PARTS_MAX];
	uint64_t key_bytes, sizes[PARTS_MAX];
	if (!str_line(&text, &line) || !str_is(line, MAGIC) || !str_line(&text, &line) ||
	    !str_starts(line, "key ") || !str_to_u64(str_sub(line, 4, line.n), &key_bytes))
		return false;
	*parts = arena_news(a, PARTS_MAX, struct store_part);
	*n = 0;
	while (str_line(&text, &line) && line.n) {
		if (*n == PARTS_MAX || !part_line(line, &(*parts)[*n], &sizes[*n], &hashes[*n]))
			return false;
		++*n;
	}
	if (!take(&text, key_bytes, &got) || !str_eq(got, key))
		return false;
	for (size_t i = 0; i < *n; i++)
		if (!take(&text, sizes[i], &(*parts)[i].bytes) ||
		    !hash_agrees((*parts)[i].bytes, hashes[i]))
			return false;
	return text.n == 0;
}

bool
store_get(struct arena *a, const char *root, struct str key, struct store_part **parts,
    size_t *n)
{
	struct str text;
	return fs_try_read(a, entry_path(a, root, key), &text) &&
	       entry_parse(a, text, key, parts, n);
}

void
store_put(struct arena *a, const char *root, struct str key, const struct store_part *parts,
    size_t n)
{
	struct buf b = {.a = a};
	char hex[HASH_HEX + 1];
	size_t total = 0;
	for (size_t i = 0; i < n; i++)
		total += parts[i].bytes.n;
	if (total > ENTRY_MAX || n > PARTS_MAX)
		return;
	buf_addf(&b, "%s\nkey %zu\n", MAGIC, key.n);
	for (size_t i = 0; i < n; i++) {
		hash_hex(hash_bytes(parts[i].bytes), hex);
		buf_addf(&b, "part %.*s %zu xxh128:%s\n", STR_ARG(parts[i].name),
		    parts[i].bytes.n, hex);
	}
	buf_addc(&b, '\n');
	buf_addstr(&b, key);
	for (size_t i = 0; i < n; i++)
		buf_addstr(&b, parts[i].bytes);
	(void)fs_try_write(entry_path(a, root, key), buf_str(&b), NULL);
}
