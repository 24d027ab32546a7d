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

enum { WORKERS_MAX = 16, NOBODY = WORKERS_MAX };

/* Edges that Ninja may have no use for: the gate's .dd says which it has. */
static const char *const when_wanted[] = {"compile", "bench", "baseline"};

/* A .dd that was read: its inputs by output. */
struct dyndeps {
	struct arena *a;
	struct inputs *inputs; /* what two edges want is shared there */
	struct map files;      /* that were read */
	struct map wanted;     /* all inputs */
	struct map outs;
	struct str *ins; /* the rest of the line, by index in outs */
	size_t cap;
};

struct restore {
	struct arena *a;
	struct node_recalls recalls;
	struct ninja_graph g;
	struct ninja_log log;
	bool *done;      /* by statement */
	bool *needed;    /* by the target, or when a .dd says so */
	uint32_t *group; /* edges of one group depend on each other; 0: leaves */
	uint32_t n_groups;
	bool *absent;    /* by statement: neither the cache nor the remote has it */
	uint8_t *worker; /* by statement: who does it in this pass */
	/* Of what does not change any more; 0: not known. */
	int64_t *mtime;    /* by index in g.outs */
	struct map leaves; /* that are no outputs */
	int64_t *leaf_mtime;
	size_t cap_leaves;
	struct dyndeps dd;
	struct buf lines; /* for the log */
	size_t n, n_fetched;
};

enum share {
	SHARE_LEAVES, /* copies of leaves only */
	SHARE_GROUPS, /* a group is one worker's */
	SHARE_EDGES   /* what is ready joins groups, or waited for another's */
};

/* What a worker does in one pass. */
struct part {
	unsigned worker, workers;
	struct arena *lasting; /* what is on the arena of restore is popped */
	struct buf said;
	struct remote_names lacking; /* of the last walk */
	size_t *lacked_by;           /* statements, by index in `lacking` */
	size_t cap_lacked;
	struct remote *remote;
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

/* Names of leaves, and copies of them: all depend on these, which groups nothing. */
static bool
is_common(const struct ninja_statement *s)
{
	return is_rule(s, "stage") || (!s->rule && s->n_ins == 0);
}

static void
group_edges(struct restore *r)
{
	r->group = arena_news(r->a, r->g.n + 1, uint32_t);
	for (size_t i = 0; i < r->g.n; i++) {
		const struct ninja_statement *s = &r->g.v[i];
		if (is_common(s))
			continue;
		for (size_t k = 0; k < s->n_ins && !r->group[i]; k++) {
			long m = maker_of(r, s->ins[k]);
			r->group[i] = m >= 0 ? r->group[m] : 0;
		}
		if (!r->group[i])
			r->group[i] = ++r->n_groups;
	}
}

/* What more than one edge reads; of .dds, see there. */
static void
share_inputs(struct restore *r)
{
	struct map seen = {.a = r->a};
	for (size_t i = 0; i < r->g.n; i++) {
		const struct ninja_statement *s = &r->g.v[i];
		for (size_t k = 0; s->rule && k < s->n_ins; k++) {
			bool added;
			map_put(&seen, s->ins[k], &added);
			if (!added)
				inputs_share(&r->recalls.inputs, r->dd.a, s->ins[k]);
		}
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

static void
want(struct dyndeps *dd, struct str in)
{
	bool added;
	map_put(&dd->wanted, in, &added);
	if (!added)
		inputs_share(dd->inputs, dd->a, in);
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
				want(dd, in);
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

/* A leaf, or done: its outputs do not change any more. */
static bool
is_settled(const struct restore *r, size_t i)
{
	return (!r->g.v[i].rule && r->g.v[i].n_ins == 0) || r->done[i];
}

/* Where the time of a path is kept. */
static int64_t *
mtime_of(struct restore *r, struct str path, long out)
{
	if (out >= 0)
		return &r->mtime[out];
	size_t n = r->leaves.n, i = map_put(&r->leaves, path, NULL);
	if (i == n)
		arena_grow(r->leaves.a, r->leaf_mtime, n, r->cap_leaves);
	return &r->leaf_mtime[i];
}

/* False when it is not there as it will be; *newest grows. */
static bool
is_current(struct restore *r, struct str path, int64_t *newest)
{
	long out = map_find(&r->g.outs, path);
	if (out >= 0 && !is_settled(r, r->g.maker[out]))
		return false;
	int64_t *t = mtime_of(r, path, out);
	if (!*t) {
		struct arena_mark mark = arena_mark(r->a);
		*t = fs_mtime_ns(str_c(r->a, path));
		arena_pop(r->a, mark);
	}
	if (*t > *newest)
		*newest = *t;
	return *t != 0;
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
	       node_recall(r->a, &r->recalls, c.n, c.words, &c.list, key);
}

static void
take_lack(struct part *p, size_t i, struct str key)
{
	arena_grow(p->lasting, p->lacked_by, p->lacking.n, p->cap_lacked);
	p->lacked_by[p->lacking.n] = i;
	remote_names_add(
		p->lasting, &p->lacking, hash_short(p->lasting, key, HASH_HEX), false);
}

static bool
is_open(const struct restore *r, size_t i)
{
	return r->needed[i] && !r->done[i] && !r->absent[i];
}

static void
share_out(struct restore *r, unsigned workers, enum share how)
{
	size_t n = 0;
	for (size_t i = 0; i < r->g.n; i++) {
		size_t turn = how == SHARE_EDGES ? n : r->group[i];
		n += is_open(r, i);
		r->worker[i] = (uint8_t)(turn % workers);
		if (how == SHARE_LEAVES && r->group[i])
			r->worker[i] = NOBODY;
	}
}

static void
walk(struct restore *r, struct part *p)
{
	p->lacking.n = 0;
	for (size_t i = 0; i < r->g.n; i++) {
		const struct ninja_statement *s = &r->g.v[i];
		int64_t newest = 0;
		struct str key = {0};
		if (!is_open(r, i) || r->worker[i] != p->worker)
			continue;
		struct arena_mark m = arena_mark(r->a);
		r->done[i] = restore_edge(r, s, &newest, &key);
		if (r->done[i])
			buf_addf(&p->said, "done %zu %lld\n", i, (long long)newest);
		else if (key.n)
			take_lack(p, i, key);
		arena_pop(r->a, m);
	}
	sums_queue_flush(&r->recalls.sums);
}

/* What the last walk lacked, from the remote; false when there is none of it. */
static bool
fetch(struct restore *r, struct part *p)
{
	size_t n = 0;
	if (p->lacking.n && !p->remote)
		p->remote = remote_open(p->lasting, REMOTE_DIR, p->workers);
	if (p->lacking.n && p->remote)
		n = remote_fetch(p->remote, node_cache(CACHE_DIR), &p->lacking).fetched;
	for (size_t k = 0; k < p->lacking.n; k++) {
		if (p->lacking.v[k].done)
			continue;
		r->absent[p->lacked_by[k]] = true;
		buf_addf(&p->said, "absent %zu\n", p->lacked_by[k]);
	}
	buf_addf(&p->said, "fetched %zu\n", n);
	return n > 0;
}

/*
 * In a process of its own.  A key follows from the bytes of its inputs, so the remote is
 * asked for one generation of the graph after the other, for all of it at once.
 *
 * It says "done STATEMENT NEWEST" a line for what was restored, "absent STATEMENT" for
 * what neither the cache nor the remote has, "fetched N"; at its end, as nobody may
 * listen before.
 */
static void NORETURN
work(struct restore *r, struct part *p, int to)
{
	struct arena lasting = {0};
	proc_die_with_parent();
	r->a = arena_new(r->a, struct arena); /* grows and is popped an edge */
	p->lasting = p->said.a = r->recalls.sums.lines.a = &lasting;
	do
		walk(r, p);
	while (fetch(r, p));
	remote_close(p->remote);
	FILE *out = fdopen(to, "w");
	bool ok = out && fwrite(p->said.s, 1, p->said.n, out) == p->said.n;
	_exit(ok && fclose(out) == 0 ? 0 : 1);
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
take_done(struct restore *r, size_t i, int64_t newest)
{
	const struct ninja_statement *s = &r->g.v[i];
	struct arena scratch = {0};
	uint64_t hash = command_hash(r, &scratch, s);
	arena_release(&scratch);
	r->done[i] = true;
	r->n += !is_rule(s, "stage"); /* a copy is no work that was done before */
	for (size_t k = 0; k < s->n_outs; k++)
		ninja_log_line(&r->lines, s->outs[k], newest, hash);
}

static void
take_result(struct restore *r, struct str line)
{
	struct str what, number;
	uint64_t i;
	int64_t newest;
	if (!str_split(&line, ' ', &what) || !str_split(&line, ' ', &number) ||
		!str_to_u64(number, &i))
		return;
	if (str_is(what, "fetched"))
		r->n_fetched += (size_t)i;
	else if (i >= r->g.n || r->done[i])
		return;
	else if (str_is(what, "absent"))
		r->absent[i] = true;
	else if (str_to_i64(line, &newest))
		take_done(r, (size_t)i, newest);
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
pass(struct restore *r, unsigned workers, enum share how)
{
	int from[WORKERS_MAX];
	pid_t pid[WORKERS_MAX];
	share_out(r, workers, how);
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
			struct part p = {.worker = w, .workers = workers};
			work(r, &p, end[1]);
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

struct restored
restore_graph(struct arena *a, const char *file, const char *target,
	const struct node *const *nodes)
{
	struct arena lasting = {0};
	struct restore r = {.a = a, .recalls.table = nodes, .lines.a = a};
	struct str why;
	int version = ninja_log_version(run_ninja_version(a, &why));
	r.dd = (struct dyndeps){.a = &lasting,
		.inputs = &r.recalls.inputs,
		.files.a = &lasting,
		.wanted.a = &lasting,
		.outs.a = &lasting};
	if (!version || !ninja_read(a, file, &r.g) ||
		!ninja_log_read(a, RESTORE_LOG, version, &r.log))
		return (struct restored){0};
	mark_made(&r);
	r.leaves.a = &lasting;
	r.mtime = arena_news(a, r.g.outs.n + 1, int64_t);
	group_edges(&r);
	share_inputs(&r);
	find_needed(&r, target);
	r.absent = arena_news(a, r.g.n + 1, bool);
	r.worker = arena_news(a, r.g.n + 1, uint8_t);
	size_t before;
	pass(&r, 1, SHARE_LEAVES);
	pass(&r, cores(), SHARE_GROUPS);
	do {
		before = r.lines.n;
		pass(&r, cores(), SHARE_EDGES);
	} while (r.lines.n > before);
	if (r.lines.n && !ninja_log_append(a, RESTORE_LOG, &r.log, buf_str(&r.lines)))
		r.n = 0;
	return (struct restored){r.n, r.n_fetched};
}
