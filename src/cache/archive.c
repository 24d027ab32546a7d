#include "cache/archive.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/fs.h"
#include "cache/shelf.h"
#include "cache/store.h"

#include <errno.h>
#include <unistd.h>

static const char MAGIC[] = "lanewise-archive 1";

struct item {
	char hex[HASH_HEX + 1];
	struct str text;
	bool added;
};

struct items {
	struct item *v;
	size_t n, cap;
};

static const char *
first_line(struct arena *a, struct str rest)
{
	char hex[HASH_HEX + 1];
	hash_hex(hash_bytes(rest), hex);
	return str_fmt(a, "%s xxh128:%s", MAGIC, hex).s;
}

bool
archive_export(struct arena *a, const char *root, const char *file, struct quota *out,
	size_t *damaged, struct str *why)
{
	struct shelf s = shelf_read(a, root, SHELF_ALL);
	struct buf body = {.a = a}, all = {.a = a};
	*out = (struct quota){0};
	*damaged = 0;
	for (size_t i = 0; i < s.n; i++) {
		struct str text, key;
		const char *wrong;
		if (!store_check(a, root, s.v[i].hex, &text, &key, &wrong)) {
			++*damaged;
			continue;
		}
		if (body.n + text.n > ARCHIVE_MAX / 4) {
			*why = STR_LIT("more than 256 MiB do not fit into one file; "
				       "'lanewise cache prune --max 200M' first, or copy "
				       "the folder");
			return false;
		}
		buf_addf(&body, "entry %zu\n", text.n);
		buf_addstr(&body, text);
		out->entries++;
		out->bytes += text.n;
	}
	buf_addf(&all, "%s\n", first_line(a, buf_str(&body)));
	buf_addstr(&all, buf_str(&body));
	if (fs_try_write(file, buf_str(&all), NULL))
		return true;
	*why = str_fmt(a, "cannot write '%s': %s", file, fs_reason());
	return false;
}

/* "entry BYTES", the bytes. */
static bool
next_item(struct arena *a, struct str *rest, struct item *it)
{
	struct str line, key;
	uint64_t n;
	if (!str_split(rest, '\n', &line) || !str_starts(line, "entry ") ||
		!str_to_u64(str_sub(line, 6, line.n), &n) || n > rest->n)
		return false;
	it->text = str_sub(*rest, 0, n);
	*rest = str_sub(*rest, n, rest->n);
	if (!store_entry_key(a, it->text, &key))
		return false;
	hash_hex(hash_bytes(key), it->hex);
	return true;
}

static bool
read_items(struct arena *a, struct str text, struct items *l)
{
	struct str line;
	if (!str_split(&text, '\n', &line) || !str_is(line, first_line(a, text)))
		return false;
	while (text.n) {
		struct item it = {0};
		if (!next_item(a, &text, &it))
			return false;
		arena_grow(a, l->v, l->n, l->cap);
		l->v[l->n++] = it;
	}
	return true;
}

static void
take_out(struct arena *a, const char *root, const struct items *l)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->v[i].added) {
			(void)unlink(store_path(a, root, l->v[i].hex));
			quota_add(root, l->v[i].hex, -1, -(int64_t)l->v[i].text.n);
		}
}

static bool
is_here(struct arena *a, const char *root, const char *hex)
{
	struct str text, key;
	const char *wrong;
	return store_check(a, root, hex, &text, &key, &wrong);
}

bool
archive_import(struct arena *a, const char *root, const char *file, struct quota *in,
	struct str *why)
{
	struct str text;
	struct items l = {0};
	*in = (struct quota){0};
	if (!fs_try_read_most(a, file, ARCHIVE_MAX, &text)) {
		*why = str_fmt(a, "cannot read '%s': %s", file, fs_reason());
		return false;
	}
	if (!read_items(a, text, &l)) {
		*why = str_fmt(a,
			"'%s' is no archive of a cache, or it is damaged; nothing was "
			"taken from it",
			file);
		return false;
	}
	for (size_t i = 0; i < l.n; i++) {
		struct item *it = &l.v[i];
		if (is_here(a, root, it->hex))
			continue;
		if (!store_write(a, root, it->hex, it->text)) {
			*why = str_fmt(a,
				"cannot write into '%s': %s; nothing was taken over",
				root, strerror(errno));
			take_out(a, root, &l);
			return false;
		}
		it->added = true;
		in->entries++;
		in->bytes += it->text.n;
	}
	return true;
}
