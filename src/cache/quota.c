#include "cache/quota.h"

#include "base/arena.h"
#include "base/fs.h"
#include "cache/shelf.h"
#include "cache/store.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { COUNT_TEXT = 64, PATH_LIMIT = 4096, STRAY_S = 3600 };

bool
quota_parse(struct str text, uint64_t *bytes)
{
	static const char units[] = "kmgt";
	double number, scale = 1;
	text = str_trim(text);
	if (text.n) {
		char last = (char)(text.s[text.n - 1] | 0x20);
		const char *unit = memchr(units, last, sizeof units - 1);
		if (unit)
			scale = ldexp(1, 10 * (int)(unit - units + 1));
		text.n -= unit != NULL;
	}
	if (!str_to_f64(text, &number) || number < 0 || number * scale > 0x1p62)
		return false;
	*bytes = (uint64_t)(number * scale);
	return true;
}

uint64_t
quota_limit(const char *root)
{
	struct arena a = {0};
	struct str text;
	uint64_t bytes;
	if (!fs_try_read_most(&a, str_fmt(&a, "%s/limit", root).s, COUNT_TEXT, &text) ||
		!quota_parse(text, &bytes))
		bytes = QUOTA_DEFAULT;
	arena_release(&a);
	return bytes;
}

uint64_t
quota_entry_max(const char *root)
{
	return quota_limit(root) / SHELF_GROUPS;
}

bool
quota_set_limit(struct arena *a, const char *root, uint64_t bytes)
{
	return fs_try_write(str_fmt(a, "%s/limit", root).s,
		str_fmt(a, "%llu\n", (unsigned long long)bytes), NULL);
}

static bool
count_path(char path[PATH_LIMIT], const char *root, int group)
{
	return snprintf(path, PATH_LIMIT, "%s/count/%x", root, (unsigned)group) <
	       PATH_LIMIT;
}

/* Opened and locked, or -1: a store that cannot be written has nothing to count. */
static int
open_count(const char *root, int group)
{
	char path[PATH_LIMIT];
	if (!count_path(path, root, group))
		return -1;
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
	if (fd < 0 && errno == ENOENT) {
		char *slash = strrchr(path, '/');
		*slash = 0;
		(void)mkdir(path, 0777);
		*slash = '/';
		fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
			0666);
	}
	while (fd >= 0 && flock(fd, LOCK_EX) != 0)
		if (errno != EINTR) {
			close(fd);
			return -1;
		}
	return fd;
}

/* "ENTRIES BYTES\n" */
static bool
read_count(int fd, struct quota *q)
{
	char text[COUNT_TEXT];
	ssize_t n = pread(fd, text, sizeof text, 0);
	if (n <= 0 || n == sizeof text || text[n - 1] != '\n')
		return false;
	struct str rest = {text, (size_t)n - 1}, entries;
	return str_split(&rest, ' ', &entries) && str_to_u64(entries, &q->entries) &&
	       str_to_u64(rest, &q->bytes);
}

static void
write_count(int fd, struct quota q)
{
	char text[COUNT_TEXT];
	int n = snprintf(text, sizeof text, "%llu %llu\n", (unsigned long long)q.entries,
		(unsigned long long)q.bytes);
	/* Emptied first, it would be flushed to the disk on each close (ext4).  Half a
	 * line, or one with the rest of a longer one, is no count, and counted anew. */
	if (pwrite(fd, text, (size_t)n, 0) != n || ftruncate(fd, n) != 0)
		(void)ftruncate(fd, 0);
}

static struct quota
sum(const struct shelf *s)
{
	struct quota q = {.entries = s->n};
	for (size_t i = 0; i < s->n; i++)
		q.bytes += s->v[i].bytes;
	return q;
}

/* Down to `keep` bytes, from what was used longest ago; returns what is left. */
static struct quota
evict(struct arena *a, const char *root, struct shelf *s, uint64_t keep)
{
	struct quota q = sum(s);
	shelf_sort_by_use(s);
	for (size_t i = 0; i < s->n && q.bytes > keep; i++) {
		if (unlink(store_path(a, root, s->v[i].hex)) != 0 && errno != ENOENT)
			continue;
		q.entries--;
		q.bytes -= s->v[i].bytes;
	}
	return q;
}

static int
group_of(const char *hex)
{
	return hex[0] <= '9' ? hex[0] - '0' : hex[0] - 'a' + 10;
}

static uint64_t
grown(uint64_t n, int64_t by)
{
	return by < 0 && (uint64_t)-by > n ? 0 : n + (uint64_t)by;
}

void
quota_add(const char *root, const char *hex, int entries, int64_t bytes)
{
	struct quota q;
	uint64_t most = quota_limit(root) / SHELF_GROUPS;
	int group = group_of(hex), fd = open_count(root, group);
	if (fd < 0)
		return;
	bool counted = read_count(fd, &q);
	q.entries = counted ? grown(q.entries, entries) : 0;
	q.bytes = counted ? grown(q.bytes, bytes) : 0;
	if (!counted || q.bytes > most) {
		struct arena a = {0};
		struct shelf s = shelf_read(&a, root, group);
		q = sum(&s);
		if (q.bytes > most)
			q = evict(&a, root, &s, most / 5 * 4);
		arena_release(&a);
	}
	write_count(fd, q);
	close(fd);
}

struct quota
quota_counted(const char *root)
{
	struct quota all = {0}, q;
	for (int group = 0; group < SHELF_GROUPS; group++) {
		char path[PATH_LIMIT];
		int fd = count_path(path, root, group)
				 ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
				 : -1;
		if (fd < 0)
			continue;
		if (read_count(fd, &q)) {
			all.entries += q.entries;
			all.bytes += q.bytes;
		}
		close(fd);
	}
	return all;
}

/* A writer that is at work has a young one. */
static void
remove_strays(const struct shelf *s)
{
	for (size_t i = 0; i < s->n_strays; i++)
		if (fs_mtime_ns(s->strays[i]) / 1000000000 < time(NULL) - STRAY_S)
			(void)unlink(s->strays[i]);
}

static void
count_anew(const char *root)
{
	for (int group = 0; group < SHELF_GROUPS; group++) {
		struct arena a = {0};
		int fd = open_count(root, group);
		if (fd < 0)
			continue;
		struct shelf s = shelf_read(&a, root, group);
		write_count(fd, sum(&s));
		close(fd);
		arena_release(&a);
	}
}

struct quota
quota_prune(const char *root, uint64_t keep, struct quota *left)
{
	struct arena a = {0};
	struct shelf s = shelf_read(&a, root, SHELF_ALL);
	struct quota before = sum(&s);
	remove_strays(&s);
	struct quota after = evict(&a, root, &s, keep);
	count_anew(root);
	arena_release(&a);
	if (left)
		*left = after;
	return (struct quota){before.entries - after.entries, before.bytes - after.bytes};
}
