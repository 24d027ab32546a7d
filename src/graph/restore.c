#include "graph/restore.h"

#include "base/arena.h"
#include "base/fs.h"
#include "base/hash.h"
#include "base/proc.h"
#include "cache/remote.h"
#include "graph/edge.h"
#include "graph/ninja_log.h"
#include "graph/printer.h"
#include "graph/run.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORKERS_MAX = 16 };

/* Edges that Ninja may have no use for: the gate's .dd says which it has. */
static const char *const when_wanted[] = {"compile", "bench", "baseline"};

/* A .dd that was read: its inputs by output. */
struct dyndeps {
	struct arena *a;
	struct map files;  /* that were read */
	struct map wanted; /* all inputs */
	struct map outs;
	struct str *ins; /* the rest of the line, by index in outs */
	size_t cap;
};

struct restore {
	struct arena *a;
	const struct node *const *nodes;
	struct ninja_graph g;
	struct ninja_log log;
	bool *done;      /* by statement */
	bool *needed;    /* by the target, or when a .dd says so */
	uint32_t *group; /* edges of one group depend on each other; 0: stage */
	uint32_t n_groups;
	bool *absent; /* by statement: the remote has not what the cache lacks */
	struct dyndeps dd;
	struct buf lines; /* for the log */
	size_t n;
	struct remote_names lacking; /* of the last pass */
	size_t *lacked_by;           /* statements, by index in `lacking` */
	size_t cap_lacked;
};

/* What a worker does in one pass. */
struct part {
	unsigned worker, workers;
	bool only_stage;
};

static bool
is_rule(const struct ninja_statement *s, const char *name)
{
	return s->rule && str_is(s->rule->name, name);
}

static bool
is_when_wanted(const struct ninja_statement *s)
{
	for (size_t i = 0; i < sizeof when_wanted / sizeof when_wanted[0]; i++)
		if (is_rule(s, when_wanted[i]))
			return true;
	return false;
}

/* The statement that makes a path, or -1. */
static long
maker_of(const struct restore *r, struct str path)
{
	long i = map_find(&r->g.outs, path);
	return i < 0 ? -1 : (long)r->g.maker[i];
}

static void
group_edges(struct restore *r)
{
	r->group = arena_news(r->a, r->g.n + 1, uint32_t);
	for (size_t i = 0; i < r->g.n; i++) {
		const struct ninja_statement *s = &r->g.v[i];
		for (size_t k = 0; k < s->n_ins && !r->group[i]; k++) {
			long m = maker_of(r, s->ins[k]);
			r->group[i] = m >= 0 ? r->group[m] : 0;
		}
		if (!r->group[i] && !is_rule(s, "stage"))
			r->group[i] = ++r->n_groups;
	}
}

static void
need(struct restore *r, size_t i)
{
	if (r->needed[i])
		return;
	r->needed[i] = true;
	for (size_t k = 0; k < r->g.v[i].n_ins; k++) {
		long m = maker_of(r, r->g.v[i].ins[k]);
		if (m >= 0)
			need(r, (size_t)m);
	}
}

static void
find_needed(struct restore *r, const char *target)
{
	long m = maker_of(r, str_of(target));
	r->needed = arena_news(r->a, r->g.n + 1, bool);
	if (m >= 0)
		need(r, (size_t)m);
	for (size_t i = 0; i < r->g.n; i++)
		if (is_when_wanted(&r->g.v[i]))
			need(r, i);
}

/* "build OUT: dyndep | IN..."; the names have nothing that is quoted, or it does not
 * match. */
static void
read_dyndep(struct dyndeps *dd, struct str path)
{
	struct str text, line, in;
	bool added;
	map_put(&dd->files, path, &added);
	if (!added || !fs_try_read(dd->a, str_c(dd->a, path), &text))
		return;
	while (str_line(&text, &line)) {
		size_t colon = str_find(line, ':');
		if (!str_starts(line, "build ") || colon == line.n)
			continue;
		size_t n = dd->outs.n, bar = str_find(line, '|');
		arena_grow(dd->a, dd->ins, n, dd->cap);
		size_t i = map_put(&dd->outs, str_sub(line, 6, colon), NULL);
		dd->ins[i] = str_sub(line, bar + 1, line.n);
		for (struct str rest = dd->ins[i]; str_split(&rest, ' ', &in);)
			if (in.n)
				map_put(&dd->wanted, in, NULL);
	}
}

/* Does the .dd of the gate that judged it name it? */
static bool
is_wanted(struct restore *r, const struct ninja_statement *s)
{
	if (!is_when_wanted(s))
		return true;
	for (size_t i = s->n_explicit_ins; i < s->n_ins; i++) {
		long m = maker_of(r, s->ins[i]);
		if (m >= 0 && is_rule(&r->g.v[m], "gate") && r->done[m])
			read_dyndep(&r->dd, r->g.v[m].outs[0]);
	}
	return map_find(&r->dd.wanted, s->outs[0]) >= 0;
}

/* False when it is not there as it will be; *newest grows. */
static bool
is_current(struct restore *r, struct str path, int64_t *newest)
{
	long m = maker_of(r, path);
	bool leaf = m < 0 || (!r->g.v[m].rule && r->g.v[m].n_ins == 0);
	if (!leaf && !r->done[m])
		return false;
	struct arena_mark mark = arena_mark(r->a);
	int64_t t = fs_mtime_ns(str_c(r->a, path));
	arena_pop(r->a, mark);
	if (t > *newest)
		*newest = t;
	return t != 0;
}

static bool
inputs_current(struct restore *r, const struct ninja_statement *s, int64_t *newest)
{
	int64_t any = 0;
	size_t normal = s->n_ins - s->n_order_ins;
	for (size_t i = 0; i < s->n_ins; i++)
		if (!is_current(r, s->ins[i], i < normal ? newest : &any))
			return false;
	struct str dd = ninja_get(r->a, s, "dyndep"), in;
	if (!dd.n)
		return true;
	read_dyndep(&r->dd, str_dup(r->dd.a, dd));
	long i = map_find(&r->dd.outs, s->outs[0]);
	if (i < 0)
		return false;
	for (struct str rest = r->dd.ins[i]; str_split(&rest, ' ', &in);)
		if (in.n && !is_current(r, in, newest))
			return false;
	return true;
}

static bool
restore_edge(struct restore *r, const struct ninja_statement *s, int64_t *newest,
	struct str *key)
{
	struct edge_call c;
	return is_wanted(r, s) && inputs_current(r, s, newest) &&
	       edge_call(r->a, s, &c) &&
	       node_recall(r->a, r->nodes, c.n, c.words, &c.list, key);
}

/* In a process of its own: "STATEMENT NEWEST" a line for what was restored, "STATEMENT
 * lacks ENTRY" for what only the cache is in the way of. */
static void NORETURN
work(struct restore *r, const struct part *p, int to)
{
	FILE *out = fdopen(to, "w");
	proc_die_with_parent();
	r->a = arena_new(r->a, struct arena); /* grows and is popped an edge */
	for (size_t i = 0; out && i < r->g.n; i++) {
		const struct ninja_statement *s = &r->g.v[i];
		int64_t newest = 0;
		struct str key = {0};
		if (r->done[i] || !r->needed[i] || r->absent[i] ||
			r->group[i] % p->workers != p->worker ||
			(p->only_stage && r->group[i]))
			continue;
		struct arena_mark m = arena_mark(r->a);
		r->done[i] = restore_edge(r, s, &newest, &key);
		if (r->done[i])
			fprintf(out, "%zu %lld\n", i, (long long)newest);
		else if (key.n)
			fprintf(out, "%zu lacks %s\n", i,
				hash_short(r->a, key, HASH_HEX));
		arena_pop(r->a, m);
	}
	_exit(out && fclose(out) == 0 ? 0 : 1);
}

static uint64_t
command_hash(const struct restore *r, struct arena *a, const struct ninja_statement *s)
{
	struct str command = ninja_get(a, s, "command");
	struct str list = ninja_get(a, s, "rspfile_content");
	if (list.n)
		command =
			str_fmt(a, "%.*s;rspfile=%.*s", STR_ARG(command), STR_ARG(list));
	return ninja_log_hash(r->log.version, command);
}

static void
take_lack(struct restore *r, size_t i, struct str name)
{
	if (!shelf_is_name(name))
		return;
	arena_grow(r->a, r->lacked_by, r->lacking.n, r->cap_lacked);
	r->lacked_by[r->lacking.n] = i;
	remote_names_add(r->a, &r->lacking, name.s, false);
}

static void
take_result(struct restore *r, struct str line)
{
	struct str number;
	uint64_t i;
	int64_t newest;
	if (!str_split(&line, ' ', &number) || !str_to_u64(number, &i) || i >= r->g.n ||
		r->done[i])
		return;
	if (str_starts(line, "lacks "))
		take_lack(r, i, str_sub(line, 6, line.n));
	if (!str_to_i64(line, &newest))
		return;
	const struct ninja_statement *s = &r->g.v[i];
	struct arena scratch = {0};
	uint64_t hash = command_hash(r, &scratch, s);
	arena_release(&scratch);
	r->done[i] = true;
	r->n += !is_rule(s, "stage"); /* a copy is no work that was done before */
	for (size_t k = 0; k < s->n_outs; k++)
		ninja_log_line(&r->lines, s->outs[k], newest, hash);
}

/* All that a worker said; a last line without its end is of one that was killed. */
static void
take_results(struct restore *r, int from)
{
	struct str text, line;
	if (!fs_try_read_fd(r->a, from, SIZE_MAX / 4, &text))
		return;
	while (text.n && text.s[text.n - 1] != '\n')
		text.n--;
	while (str_line(&text, &line))
		take_result(r, line);
}

static void
pass(struct restore *r, unsigned workers, bool only_stage)
{
	int from[WORKERS_MAX];
	pid_t pid[WORKERS_MAX];
	r->lacking.n = 0;
	fflush(NULL);
	for (unsigned w = 0; w < workers; w++) {
		int end[2];
		pid[w] = -1;
		if (pipe(end) != 0)
			continue;
		from[w] = end[0];
		pid[w] = fork();
		if (pid[w] == 0) {
			close(end[0]);
			work(r, &(struct part){w, workers, only_stage}, end[1]);
		}
		close(end[1]);
	}
	for (unsigned w = 0; w < workers; w++) {
		if (pid[w] < 0)
			continue;
		take_results(r, from[w]);
		close(from[w]);
		while (waitpid(pid[w], NULL, 0) < 0 && errno == EINTR)
			;
	}
}

/* What Ninja made with this very command and what is still there is Ninja's affair. */
static void
mark_made(struct restore *r)
{
	r->done = arena_news(r->a, r->g.n + 1, bool);
	for (size_t i = 0; i < r->g.n && r->log.present; i++) {
		const struct ninja_statement *s = &r->g.v[i];
		struct arena scratch = {0};
		uint64_t hash = s->rule ? command_hash(r, &scratch, s) : 0;
		r->done[i] = s->rule != NULL;
		for (size_t k = 0; k < s->n_outs && r->done[i]; k++) {
			long at = map_find(&r->log.outs, s->outs[k]);
			r->done[i] = at >= 0 && r->log.hash[at] == hash &&
				     fs_exists(str_c(&scratch, s->outs[k]));
		}
		arena_release(&scratch);
	}
}

static unsigned
cores(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);
	return n < 1 ? 1 : n > WORKERS_MAX ? WORKERS_MAX : (unsigned)n;
}

bool
restore_is_due(struct arena *a)
{
	struct str why;
	struct ninja_log log = {0};
	int version = ninja_log_version(run_ninja_version(a, &why));
	return version && ninja_log_read(a, RESTORE_LOG, version, &log) && !log.present;
}

/* What the last pass lacked, from the remote; false when it has none of it. */
static bool
fetch(struct restore *r, struct remote *remote, size_t *fetched)
{
	size_t n = remote_fetch(remote, node_cache(CACHE_DIR), &r->lacking).fetched;
	for (size_t k = 0; k < r->lacking.n; k++)
		r->absent[r->lacked_by[k]] = !r->lacking.v[k].done;
	*fetched += n;
	return n > 0;
}

/* A key follows from the bytes of its inputs, so the remote is asked for one generation
 * of the graph after the other, for all of it at once. */
static size_t
passes(struct restore *r, struct remote *remote)
{
	size_t fetched = 0;
	pass(r, 1, true);
	for (;;) {
		pass(r, cores(), false);
		if (!remote || !fetch(r, remote, &fetched))
			break;
	}
	pass(r, cores(), false); /* whose reference was restored by another */
	for (;;) {
		pass(r, 1, false); /* what joins them: rank, report */
		if (!remote || !fetch(r, remote, &fetched))
			break;
	}
	return fetched;
}

struct restored
restore_graph(struct arena *a, const char *file, const char *target,
	const struct node *const *nodes)
{
	struct arena lasting = {0};
	struct restore r = {.a = a, .nodes = nodes, .lines.a = a};
	struct str why;
	int version = ninja_log_version(run_ninja_version(a, &why));
	r.dd = (struct dyndeps){.a = &lasting,
		.files.a = &lasting,
		.wanted.a = &lasting,
		.outs.a = &lasting};
	if (!version || !ninja_read(a, file, &r.g) ||
		!ninja_log_read(a, RESTORE_LOG, version, &r.log))
		return (struct restored){0};
	mark_made(&r);
	group_edges(&r);
	find_needed(&r, target);
	r.absent = arena_news(a, r.g.n + 1, bool);
	struct remote *remote = remote_open(a, REMOTE_DIR);
	size_t fetched = passes(&r, remote);
	remote_close(remote);
	if (r.lines.n && !ninja_log_append(a, RESTORE_LOG, &r.log, buf_str(&r.lines)))
		r.n = 0;
	return (struct restored){r.n, fetched};
}
