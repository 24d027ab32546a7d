#include "graph/ninja_log.h"

#include "base/arena.h"
#include "base/fs.h"

#include <errno.h>
#include <stdlib.h>

static const char HEAD[] = "# ninja log v5\n";

/* MurmurHash2, 64-bit version, by Austin Appleby (public domain). */
uint64_t
ninja_log_hash(struct str command)
{
	const uint64_t m = 0xc6a4a7935bd1e995u;
	const unsigned char *p = (const unsigned char *)command.s;
	size_t n = command.n;
	uint64_t h = 0xDECAFBADDECAFBADu ^ (n * m);
	for (; n >= 8; p += 8, n -= 8) {
		uint64_t k;
		memcpy(&k, p, 8);
		k *= m;
		k ^= k >> 47;
		h = (h ^ (k * m)) * m;
	}
	for (size_t i = 0; i < n; i++)
		h ^= (uint64_t)p[i] << (8 * i);
	if (n)
		h *= m;
	h ^= h >> 47;
	h *= m;
	return h ^ (h >> 47);
}

static bool
hex_to_u64(struct arena *a, struct str text, uint64_t *out)
{
	char *end;
	errno = 0;
	*out = strtoull(str_c(a, text), &end, 16);
	return text.n && !*end && errno == 0;
}

static void
read_line(struct arena *a, struct ninja_log *log, struct str line)
{
	struct str field[4];
	uint64_t hash;
	for (size_t i = 0; i < 4; i++)
		if (!str_split(&line, '\t', &field[i]))
			return;
	if (!hex_to_u64(a, line, &hash))
		return;
	arena_grow(a, log->hash, log->outs.n, log->cap);
	size_t i = map_put(&log->outs, field[3], NULL);
	log->hash[i] = hash;
}

bool
ninja_log_read(struct arena *a, const char *path, struct ninja_log *log)
{
	struct str text, line;
	log->outs.a = a;
	if (!fs_try_read(a, path, &text))
		return errno == ENOENT;
	if (!str_starts(text, HEAD))
		return false;
	log->present = true;
	while (str_line(&text, &line))
		read_line(a, log, line);
	return true;
}

void
ninja_log_line(struct buf *b, struct str out, int64_t mtime_ns, uint64_t hash)
{
	buf_addf(b, "0\t0\t%lld\t%.*s\t%llx\n", (long long)mtime_ns, STR_ARG(out),
		(unsigned long long)hash);
}

bool
ninja_log_append(
	struct arena *a, const char *path, const struct ninja_log *log, struct str lines)
{
	if (log->present)
		return fs_try_append(path, lines);
	return fs_try_write(path, str_fmt(a, "%s%.*s", HEAD, STR_ARG(lines)), NULL);
}
