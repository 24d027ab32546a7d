#include "cache/remote_state.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/map.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char RUN[] = "LANEWISE_FRONT_END";
static const char *const topics[REMOTE_TOPICS] = {"reads", "writes", "damage"};

enum { AGAIN_S = 60, OFF_MAX = 64 << 10 };

void
remote_run_begin(void)
{
	char id[64];
	snprintf(id, sizeof id, "%ld-%lld", (long)getpid(), (long long)clock_ns());
	(void)setenv(RUN, id, 1);
}

/* "RUN TOPIC "; without a front end, of one Ninja. */
static const char *
line_of(struct arena *a, enum remote_topic t)
{
	const char *run = getenv(RUN);
	if (run && *run)
		return str_fmt(a, "%s %s ", run, topics[t]).s;
	return str_fmt(a, "%ld %s ", (long)getppid(), topics[t]).s;
}

/* What follows in the first line that begins so; empty when none does. */
static struct str
first_after(struct arena *a, const char *path, const char *begin)
{
	struct str text, line;
	if (!fs_try_read_most(a, path, (size_t)2 * OFF_MAX, &text))
		return (struct str){0};
	while (str_line(&text, &line))
		if (str_starts(line, begin))
			return str_sub(line, strlen(begin), line.n);
	return (struct str){0};
}

static const char *
off_path(struct arena *a, const char *dir)
{
	return fs_join(a, dir, "off");
}

bool
remote_off(struct arena *a, const char *dir, enum remote_topic t)
{
	struct stat st;
	const char *begin = line_of(a, t), *path = dir ? off_path(a, dir) : NULL;
	if (!dir)
		return true;
	if (first_after(a, path, begin).n) {
		(void)utimensat(AT_FDCWD, path, NULL, 0);
		return false;
	}
	if (stat(path, &st) == 0 && st.st_size > OFF_MAX)
		(void)unlink(path);
	/* Of several at once, the one whose line is first. */
	struct str own = str_fmt(a, "%ld", (long)getpid());
	(void)fs_try_append(path, str_fmt(a, "%s%s\n", begin, own.s));
	struct str first = first_after(a, path, begin);
	return !first.n || str_eq(first, own);
}

bool
remote_is_off(struct arena *a, const char *dir, enum remote_topic t)
{
	struct stat st;
	struct timespec now;
	if (!dir || stat(off_path(a, dir), &st) != 0 ||
		clock_gettime(CLOCK_REALTIME, &now) != 0)
		return false;
	int64_t age_s = (int64_t)now.tv_sec - (int64_t)st.st_mtim.tv_sec;
	return age_s > -AGAIN_S && age_s < AGAIN_S &&
	       first_after(a, off_path(a, dir), line_of(a, t)).n;
}

void
remote_names_add(struct arena *a, struct remote_names *l, const char *hex, bool damaged)
{
	arena_grow(a, l->v, l->n, l->cap);
	struct remote_name *e = &l->v[l->n++];
	*e = (struct remote_name){.damaged = damaged};
	memcpy(e->hex, hex, HASH_HEX);
}

void
remote_queue(struct arena *a, const char *dir, const struct remote_name *v, size_t n)
{
	struct buf b = {.a = a};
	for (size_t i = 0; i < n; i++)
		buf_addf(&b, "%s%s\n", v[i].hex, v[i].damaged ? " damaged" : "");
	if (dir && n)
		(void)fs_try_append(fs_join(a, dir, "queue"), buf_str(&b));
}

static void
read_queue(struct arena *a, struct str text, struct remote_names *l)
{
	struct map seen = {.a = a};
	struct str line, name;
	bool added;
	while (str_line(&text, &line)) {
		struct str rest = line;
		if (!str_split(&rest, ' ', &name) || !shelf_is_name(name))
			continue;
		size_t i = map_put(&seen, name, &added);
		if (added)
			remote_names_add(a, l, str_c(a, name), false);
		l->v[i].damaged |= str_is(rest, "damaged");
	}
}

void
remote_queue_read(struct arena *a, const char *dir, bool take, struct remote_names *l)
{
	struct str text;
	const char *path = fs_join(a, dir, "queue"), *from = path;
	*l = (struct remote_names){0};
	if (take) {
		/* Nodes append by name, so that what comes now is in a new file. */
		from = str_fmt(a, "%s.%ld", path, (long)getpid()).s;
		if (rename(path, from) != 0)
			return;
	}
	if (fs_try_read(a, from, &text))
		read_queue(a, text, l);
	if (take)
		(void)unlink(from);
}
