#include "graph/ninja_log.h"

#include "base/arena.h"
#include "base/fs.h"

#include <errno.h>
#include <stdlib.h>

enum { V_MURMUR = 5, V_MURMUR_TOO = 6, V_RAPID = 7 };

int
ninja_log_version(int ninja)
{
	switch (ninja) {
	case 110:
	case 111: return V_MURMUR;
	case 112: return V_MURMUR_TOO;
	case 113: return V_RAPID;
	}
	return 0;
}

/* MurmurHash2, 64-bit version, by Austin Appleby (public domain). */
static uint64_t
murmur_hash(struct str command)
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

static uint64_t
word_at(const unsigned char *p, size_t bytes)
{
	uint64_t w = 0;
	for (size_t i = 0; i < bytes; i++)
		w |= (uint64_t)p[i] << (8 * i);
	return w;
}

/* The two halves of the product of two words. */
static void
multiply(uint64_t *low, uint64_t *high)
{
	__extension__ unsigned __int128 product = *low;
	product *= *high;
	*low = (uint64_t)product;
	*high = (uint64_t)(product >> 64);
}

static uint64_t
mix(uint64_t x, uint64_t y)
{
	multiply(&x, &y);
	return x ^ y;
}

/* Of a text of at most 16 bytes. */
static void
short_words(const unsigned char *p, size_t n, uint64_t *x, uint64_t *y)
{
	*x = *y = 0;
	if (n >= 4) {
		size_t in = n >= 8 ? 4 : 0;
		*x = word_at(p, 4) << 32 | word_at(p + n - 4, 4);
		*y = word_at(p + in, 4) << 32 | word_at(p + n - 4 - in, 4);
	} else if (n) {
		*x = (uint64_t)p[0] << 56 | (uint64_t)p[n / 2] << 32 | p[n - 1];
	}
}

/* rapidhash V1 by Nicolas De Carli, after wyhash by Wang Yi;
 * github.com/Nicoshev/rapidhash has its definition. */
static uint64_t
rapid_hash(struct str command)
{
	static const uint64_t secret[3] = {
		0x2d358dccaa6c78a5u, 0x8bb84b93962eacc9u, 0x4b33a62ed433d4a3u};
	const unsigned char *p = (const unsigned char *)command.s;
	size_t n = command.n, left = n;
	uint64_t seed = 0xbdd89aa982704029u, x, y;
	seed ^= mix(seed ^ secret[0], secret[1]) ^ n;
	if (n <= 16) {
		short_words(p, n, &x, &y);
	} else {
		uint64_t lane[3] = {seed, seed, seed};
		for (bool first = true; first ? left > 48 : left >= 48; first = false) {
			for (size_t i = 0; i < 3; i++, p += 16)
				lane[i] = mix(word_at(p, 8) ^ secret[i],
					word_at(p + 8, 8) ^ lane[i]);
			left -= 48;
		}
		seed = n > 48 ? lane[0] ^ lane[1] ^ lane[2] : seed;
		if (left > 16)
			seed = mix(word_at(p, 8) ^ secret[2],
				word_at(p + 8, 8) ^ seed ^ secret[1]);
		if (left > 32)
			seed = mix(word_at(p + 16, 8) ^ secret[2],
				word_at(p + 24, 8) ^ seed);
		x = word_at(p + left - 16, 8);
		y = word_at(p + left - 8, 8);
	}
	x ^= secret[1];
	y ^= seed;
	multiply(&x, &y);
	return mix(x ^ secret[0] ^ n, y ^ secret[1]);
}

uint64_t
ninja_log_hash(int version, struct str command)
{
	return version == V_RAPID ? rapid_hash(command) : murmur_hash(command);
}

static const char *
head_of(struct arena *a, int version)
{
	return str_fmt(a, "# ninja log v%d\n", version).s;
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
ninja_log_read(struct arena *a, const char *path, int version, struct ninja_log *log)
{
	struct str text, line;
	log->outs.a = a;
	log->version = version;
	if (!fs_try_read(a, path, &text))
		return errno == ENOENT;
	if (!str_starts(text, head_of(a, version)))
		return true;
	log->present = true;
	log->torn = text.s[text.n - 1] != '\n';
	while (log->torn && text.n && text.s[text.n - 1] != '\n')
		text.n--; /* Ninja does not see it either */
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
	if (!log->present)
		return fs_try_write(path,
			str_fmt(a, "%s%.*s", head_of(a, log->version), STR_ARG(lines)),
			NULL);
	if (log->torn)
		lines = str_fmt(a, "\n%.*s", STR_ARG(lines));
	return fs_try_append(path, lines);
}
