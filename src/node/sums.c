#include "node/sums.h"

#include "base/arena.h"
#include "base/die.h"
#include "base/fs.h"
#include "base/hash.h"
#include "base/map.h"

#include <errno.h>

/* The file is written anew when it has more lines than these and than twice its paths. */
enum { LINES_MANY = 1000 };
/* As many bytes wait: some fifty lines, of which a kill makes no great number of files
 * that differ from an older line. */
enum { QUEUE_BYTES = 4 << 10 };

void
sums_line(struct buf *b, const char *path, struct str bytes)
{
	char hex[HASH_HEX + 1];

	hash_hex(hash_bytes(bytes), hex);
	buf_addf(b, "%s %s\n", hex, path);
}

void
sums_append(const char *file, struct str lines)
{
	(void)fs_try_append(file, lines);
}

void
sums_queue_flush(struct sums_queue *q)
{
	if (q->lines.n)
		sums_append(q->file, buf_str(&q->lines));
	q->lines.n = 0;
}

void
sums_queue_add(struct sums_queue *q, const char *file, struct str lines)
{
	if (!q->file || strcmp(q->file, file) != 0) {
		sums_queue_flush(q);
		q->file = arena_copy(q->lines.a, file, strlen(file));
	}
	buf_addstr(&q->lines, lines);
	if (q->lines.n >= QUEUE_BYTES)
		sums_queue_flush(q);
}

struct sums {
	struct map paths;
	struct str *hash; /* by index in paths */
	size_t cap, lines;
	bool odd; /* has what is no line: the next one would be joined to it */
};

/* A path is one of the graph's own: a damaged line names nothing else to remove. */
static bool
is_path(struct str path)
{
	return str_starts(path, ".lanewise/") && !str_has(path, STR_LIT("/../"));
}

static void
read_sums(struct arena *a, struct str text, struct sums *s)
{
	struct str line, hash;

	s->paths.a = a;
	for (; str_line(&text, &line); s->lines++) {
		bool whole = line.s[line.n] == '\n';
		if (!whole || !str_split(&line, ' ', &hash) || hash.n != HASH_HEX ||
			!is_path(line)) {
			s->odd = true;
			continue;
		}
		arena_grow(a, s->hash, s->paths.n, s->cap);
		size_t i = map_put(&s->paths, line, NULL);
		s->hash[i] = hash;
	}
}

static bool
is_damaged(struct arena *a, struct str path, struct str hash)
{
	char hex[HASH_HEX + 1];
	struct hash now;

	if (!hash_file(str_c(a, path), &now))
		return false; /* it is not there, or no file: others will say so */
	hash_hex(now, hex);
	return !str_is(hash, hex);
}

static void
write_anew(struct arena *a, const char *file, const struct sums *s)
{
	struct buf b = {.a = a};

	for (size_t i = 0; i < s->paths.n; i++)
		if (fs_exists(str_c(a, s->paths.keys[i])))
			buf_addf(&b, "%.*s %.*s\n", STR_ARG(s->hash[i]),
				STR_ARG(s->paths.keys[i]));
	(void)fs_try_write(file, buf_str(&b), NULL);
}

size_t
sums_check(struct arena *a, const char *file)
{
	struct sums s = {0};
	struct str text, first = {0};
	size_t n = 0;

	if (!fs_try_read(a, file, &text))
		return 0;
	read_sums(a, text, &s);
	for (size_t i = 0; i < s.paths.n; i++) {
		struct arena_mark m = arena_mark(a);
		bool bad = is_damaged(a, s.paths.keys[i], s.hash[i]);
		if (bad)
			fs_remove(str_c(a, s.paths.keys[i]));
		arena_pop(a, m);
		if (bad && !n++)
			first = s.paths.keys[i];
	}
	if (n == 1)
		warn("'%.*s' is not what was written: it is made again", STR_ARG(first));
	else if (n)
		warn("'%.*s' and %zu more are not what was written: they are made again",
			STR_ARG(first), n - 1);
	if (s.odd || (s.lines > LINES_MANY && s.lines > 2 * s.paths.n))
		write_anew(a, file, &s);
	return n;
}
