#include "cache/store.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/fs.h"
#include "base/hash.h"

static const char MAGIC[] = "lanewise-entry 2";

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

/* "part NAME BYTES" */
static bool
part_line(struct str line, struct store_part *p, uint64_t *n)
{
	struct str word;
	return str_split(&line, ' ', &word) && str_is(word, "part") &&
	       str_split(&line, ' ', &p->name) && str_to_u64(line, n);
}

static const char *
first_line(struct arena *a, struct str rest)
{
	char hex[HASH_HEX + 1];
	hash_hex(hash_bytes(rest), hex);
	return str_fmt(a, "%s xxh128:%s", MAGIC, hex).s;
}

bool
store_entry_parse(struct arena *a, struct str text, struct str key,
	struct store_part **parts, size_t *n)
{
	struct str line, got;
	uint64_t key_bytes, sizes[PARTS_MAX];
	if (!str_split(&text, '\n', &line) || !str_is(line, first_line(a, text)) ||
		!str_split(&text, '\n', &line) || !str_starts(line, "key ") ||
		!str_to_u64(str_sub(line, 4, line.n), &key_bytes))
		return false;
	*parts = arena_news(a, PARTS_MAX, struct store_part);
	*n = 0;
	while (str_split(&text, '\n', &line) && line.n) {
		if (*n == PARTS_MAX || !part_line(line, &(*parts)[*n], &sizes[*n]))
			return false;
		++*n;
	}
	if (!take(&text, key_bytes, &got) || !str_eq(got, key))
		return false;
	for (size_t i = 0; i < *n; i++)
		if (!take(&text, sizes[i], &(*parts)[i].bytes))
			return false;
	return text.n == 0;
}

bool
store_get(struct arena *a, const char *root, struct str key, struct store_part **parts,
	size_t *n)
{
	struct str text;
	return fs_try_read(a, entry_path(a, root, key), &text) &&
	       store_entry_parse(a, text, key, parts, n);
}

struct str
store_entry_text(
	struct arena *a, struct str key, const struct store_part *parts, size_t n)
{
	struct buf b = {.a = a}, all = {.a = a};
	buf_addf(&b, "key %zu\n", key.n);
	for (size_t i = 0; i < n; i++) {
		buf_adds(&b, "part ");
		buf_addstr(&b, parts[i].name);
		buf_addf(&b, " %zu\n", parts[i].bytes.n);
	}
	buf_addc(&b, '\n');
	buf_addstr(&b, key);
	for (size_t i = 0; i < n; i++)
		buf_addstr(&b, parts[i].bytes);
	buf_addf(&all, "%s\n", first_line(a, buf_str(&b)));
	buf_addstr(&all, buf_str(&b));
	return buf_str(&all);
}

void
store_put(struct arena *a, const char *root, struct str key,
	const struct store_part *parts, size_t n)
{
	size_t total = 0;
	for (size_t i = 0; i < n; i++)
		total += parts[i].bytes.n;
	if (total > ENTRY_MAX || n > PARTS_MAX)
		return;
	struct str text = store_entry_text(a, key, parts, n);
	(void)fs_try_write(entry_path(a, root, key), text, NULL);
}
