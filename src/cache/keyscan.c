#include "cache/keyscan.h"

#include "base/arena.h"
#include "base/buf.h"
#include "cache/store.h"

#include <fcntl.h>
#include <unistd.h>

enum { HEAD_BYTES = 1 << 16, KEY_BYTES = 1 << 22, LINES_MAX = 4096 };

struct lines {
	struct str *v;
	size_t n, cap;
};

static struct str
read_head(struct arena *a, const char *path, size_t from, size_t most)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	if (fd < 0)
		return (struct str){0};
	char *text = arena_alloc(a, most + 1);
	ssize_t n = pread(fd, text, most, (off_t)from);
	close(fd);
	return (struct str){text, n > 0 ? (size_t)n : 0};
}

struct str
keyscan_read(struct arena *a, const char *root, const char *hex)
{
	const char *path = store_path(a, root, hex);
	struct str text = read_head(a, path, 0, HEAD_BYTES), line;
	struct str rest = text;
	uint64_t bytes = 0;
	while (str_split(&rest, '\n', &line) && line.n)
		if (str_starts(line, "key ") &&
			!str_to_u64(str_sub(line, 4, line.n), &bytes))
			return (struct str){0};
	if (bytes > KEY_BYTES || !rest.s)
		return (struct str){0};
	if (bytes > rest.n)
		rest = read_head(a, path, text.n - rest.n, bytes);
	return str_sub(rest, 0, bytes);
}

struct str
keyscan_node(struct str key)
{
	struct str line, word;
	while (str_line(&key, &line))
		if (str_split(&line, ' ', &word) && str_is(word, "node") &&
			str_split(&line, ' ', &word))
			return word;
	return (struct str){0};
}

static struct lines
lines_of(struct arena *a, struct str text)
{
	struct lines l = {0};
	struct str line;
	while (l.n < LINES_MAX && str_line(&text, &line)) {
		arena_grow(a, l.v, l.n, l.cap);
		l.v[l.n++] = line;
	}
	return l;
}

/* How many of y's first lines x's line is away from y's place j; y.n: it is not there. */
static size_t
next_equal(const struct lines *y, size_t j, struct str line)
{
	while (j < y->n && !str_eq(y->v[j], line))
		j++;
	return j;
}

/* Lines of keys come in one order, so looking ahead finds what a longest common
 * subsequence would, but for lines that stand there twice. */
static size_t
walk(struct buf *out, const struct lines *was, const struct lines *is)
{
	size_t i = 0, j = 0, differ = 0;
	for (; i < was->n || j < is->n;) {
		bool both = i < was->n && j < is->n;
		if (both && str_eq(was->v[i], is->v[j])) {
			if (out)
				buf_addf(out, "  %.*s\n", STR_ARG(was->v[i]));
			i++, j++;
			continue;
		}
		differ++;
		if (i < was->n && (j == is->n || next_equal(is, j, was->v[i]) == is->n)) {
			if (out)
				buf_addf(out, "- %.*s\n", STR_ARG(was->v[i]));
			i++;
		} else {
			if (out)
				buf_addf(out, "+ %.*s\n", STR_ARG(is->v[j]));
			j++;
		}
	}
	return differ;
}

struct str
keyscan_diff(struct arena *a, struct str was, struct str is)
{
	struct buf b = {.a = a};
	struct lines x = lines_of(a, was), y = lines_of(a, is);
	walk(&b, &x, &y);
	return buf_str(&b);
}

bool
keyscan_nearest(struct arena *a, const char *root, struct str key,
	struct shelf_entry *entry, struct str *found)
{
	struct shelf s = shelf_read(a, root, SHELF_ALL);
	struct lines wanted = lines_of(a, key);
	struct str node = keyscan_node(key);
	size_t best = SIZE_MAX;
	for (size_t i = 0; i < s.n; i++) {
		struct arena_mark m = arena_mark(a);
		struct str other = keyscan_read(a, root, s.v[i].hex);
		bool same_node = other.n && str_eq(keyscan_node(other), node);
		if (!same_node || str_eq(other, key)) {
			arena_pop(a, m);
			continue;
		}
		struct lines l = lines_of(a, other);
		size_t differ = walk(NULL, &l, &wanted);
		bool better = differ < best ||
			      (differ == best && s.v[i].used_ns > entry->used_ns);
		arena_pop(a, m);
		if (better) {
			best = differ;
			*entry = s.v[i];
		}
	}
	if (best == SIZE_MAX)
		return false;
	*found = keyscan_read(a, root, entry->hex);
	return true;
}
