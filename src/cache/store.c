#include "cache/store.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/die.h"
#include "base/fs.h"
#include "base/hash.h"
#include "cache/quota.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static const char MAGIC[] = "lanewise-entry 2";

enum { PARTS_MAX = 64 };

const char *
store_path(struct arena *a, const char *root, const char *hex)
{
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

static bool
entry_parse(struct arena *a, struct str text, struct str *key, struct store_part **parts,
	size_t *n)
{
	struct str line;
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
	if (!take(&text, key_bytes, key))
		return false;
	for (size_t i = 0; i < *n; i++)
		if (!take(&text, sizes[i], &(*parts)[i].bytes))
			return false;
	return text.n == 0;
}

bool
store_entry_parse(struct arena *a, struct str text, struct str key,
	struct store_part **parts, size_t *n)
{
	struct str got;
	return entry_parse(a, text, &got, parts, n) && str_eq(got, key);
}

bool
store_entry_key(struct arena *a, struct str text, struct str *key)
{
	struct store_part *parts;
	size_t n;
	return entry_parse(a, text, key, &parts, &n);
}

/* Whoever may write the store is trusted with it; in one that only its owner may write,
 * nobody else's file has any business. */
static bool
is_owned_well(const char *root, const struct stat *entry)
{
	struct stat store;
	if (entry->st_uid == geteuid() || entry->st_uid == 0)
		return true;
	return stat(root, &store) == 0 &&
	       (entry->st_uid == store.st_uid || (store.st_mode & (S_IWGRP | S_IWOTH)));
}

/* Not to wait for a pipe, nor to follow a link out of the store. */
static int
open_entry(const char *path, const char **why)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	if (fd < 0 && errno != ENOENT && errno != ENOTDIR)
		*why = errno == ELOOP ? "it is a link" : strerror(errno);
	return fd;
}

/* The bytes of an entry's file: a regular one that belongs to us, to root, or to the
 * owner of the store, or lies in a store that a group shares.  False with *why: what is
 * wrong with what is there, or NULL when nothing is. */
static bool
store_read(struct arena *a, const char *root, const char *hex, struct str *text,
	const char **why)
{
	struct stat st;
	*why = NULL;
	int fd = open_entry(store_path(a, root, hex), why);
	if (fd < 0)
		return false;
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
		*why = S_ISDIR(st.st_mode) ? "it is a folder" : "it is no file";
	else if (!is_owned_well(root, &st))
		*why = "it belongs to somebody who does not own the cache";
	else if (!fs_try_read_fd(a, fd, 2 * (size_t)STORE_ENTRY_MAX, text))
		*why = strerror(errno);
	else
		(void)futimens(fd, NULL); /* its last use; a store may be read-only */
	close(fd);
	return !*why;
}

bool
store_get(struct arena *a, const char *root, struct str key, struct store_part **parts,
	size_t *n)
{
	char hex[HASH_HEX + 1];
	struct str text, got;
	const char *why;
	hash_hex(hash_bytes(key), hex);
	if (store_read(a, root, hex, &text, &why)) {
		if (entry_parse(a, text, &got, parts, n)) {
			if (str_eq(got, key))
				return true;
			why = "its key is another one";
		} else {
			why = "its bytes are not those that were stored";
		}
	}
	if (why)
		warn("cache: no use of '%s': %s; the work is done again",
			store_path(a, root, hex), why);
	return false;
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

bool
store_check(struct arena *a, const char *root, const char *hex, struct str *text,
	struct str *key, const char **why)
{
	char own[HASH_HEX + 1];
	if (!store_read(a, root, hex, text, why))
		return false;
	if (!store_entry_key(a, *text, key)) {
		*why = "its bytes are not those that were stored";
		return false;
	}
	hash_hex(hash_bytes(*key), own);
	if (strcmp(own, hex) != 0)
		*why = "its key has another name";
	return !*why;
}

bool
store_write(struct arena *a, const char *root, const char *hex, struct str text)
{
	const char *path = store_path(a, root, hex);
	struct stat old;
	bool changed, replaces = lstat(path, &old) == 0 && S_ISREG(old.st_mode);
	if (!fs_try_write(path, text, &changed))
		return false;
	if (changed)
		quota_add(root, hex, replaces ? 0 : 1,
			(int64_t)text.n - (replaces ? (int64_t)old.st_size : 0));
	return true;
}

void
store_put(struct arena *a, const char *root, struct str key,
	const struct store_part *parts, size_t n)
{
	size_t total = 0;
	char hex[HASH_HEX + 1];
	for (size_t i = 0; i < n; i++)
		total += parts[i].bytes.n;
	if (total > STORE_ENTRY_MAX || total > quota_entry_max(root) || n > PARTS_MAX)
		return;
	hash_hex(hash_bytes(key), hex);
	struct str text = store_entry_text(a, key, parts, n);
	if (!store_write(a, root, hex, text) &&
		(errno == ENOSPC || errno == EDQUOT || errno == EIO || errno == EFBIG))
		warn("cache: cannot keep '%s': %s; the next run does the work again",
			store_path(a, root, hex), strerror(errno));
}
