#include "graph/restore.h"

#include "base/arena.h"
#include "base/cpu.h"
#include "base/fs.h"
#include "graph/restore_parts.h"
#include "graph/run.h"

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORKERS_MAX = 16, NOBODY = WORKERS_MAX };

/* Edges that Ninja may have no use for: the gate's .dd says which it has. */
static const char *const when_wanted[] = {"compile", "bench", "baseline"};

enum share {
	SHARE_LEAVES, /* copies of leaves only */
	SHARE_GROUPS, /* a group is one worker's */
	SHARE_EDGES   /* what is ready joins groups, or waited for another's */
};

bool
restore_is_when_wanted(const struct ninja_statement *s)
{
	for (size_t i = 0; i < sizeof when_wanted / sizeof when_wanted[0]; i++)
		if (restore_is_rule(s, when_wanted[i]))
			return true;
	return false;
}

long
restore_maker(const struct restore *r, struct str path)
{
	long i = map_find(&r->g.outs, path);
	return i < 0 ? -1 : (long)r->g.maker[i];
}

/* Names of leaves, and copies of them: all depend on these, which groups nothing. */
static bool
is_common(const struct ninja_statement *s)
{
	return restore_is_rule(s, "stage") || (!s->rule && s->n_ins == 0);
}

static void
group_edges(struct restore *r)
{
	uint32_t n = 0;
	r->group = arena_news(r->a, r->g.n + 1, uint32_t);
	for (size_t i = 0; i < r->g.n; i++) {
		const struct ninja_statement *s = &r->g.v[i];
		if (is_common(s))
			continue;
		for (size_t k = 0; k < s->n_ins && !r->group[i]; k++) {
			long m = restore_maker(r, s->ins[k]);
			r->group[i] = m >= 0 ? r->group[m] : 0;
		}
		if (!r->group[i])
			r->group[i] = ++n;
	}
}

/* What more than one edge reads; inputs that a .dd adds are shared by dyndep.c. */
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
		long m = restore_maker(r, r->g.v[i].ins[k]);
		if (m >= 0)
			need(r, (size_t)m);
	}
}

static void
find_needed(struct restore *r, const char *target)
{
	long m = restore_maker(r, str_of(target));
	r->needed = arena_news(r->a, r->g.n + 1, bool);
	if (m >= 0)
		need(r, (size_t)m);
	for (size_t i = 0; i < r->g.n; i++)
		if (restore_is_when_wanted(&r->g.v[i]))
			need(r, i);
}

static void
share_out(struct restore *r, unsigned workers, enum share how)
{
	size_t n = 0;
	for (size_t i = 0; i < r->g.n; i++) {
		size_t turn = how == SHARE_EDGES ? n : r->group[i];
		n += restore_is_open(r, i);
		r->worker[i] = (uint8_t)(turn % workers);
		if (how == SHARE_LEAVES && r->group[i])
			r->worker[i] = NOBODY;
	}
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
	r->n += !restore_is_rule(s, "stage"); /* a copy is no work that was done before */
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

/* -1 when there can be none: what was its part is left to the next pass, or to Ninja. */
static pid_t
start_worker(struct restore *r, unsigned worker, unsigned workers, int *from)
{
	int end[2];
	if (pipe(end) != 0)
		return -1;
	pid_t pid = fork();
	if (pid == 0) {
		close(end[0]);
		restore_work(r, worker, workers, end[1]);
	}
	close(end[1]);
	if (pid < 0)
		close(end[0]);
	*from = end[0];
	return pid;
}

static void
pass(struct restore *r, unsigned workers, enum share how)
{
	int from[WORKERS_MAX];
	pid_t pid[WORKERS_MAX];
	share_out(r, workers, how);
	fflush(NULL);
	for (unsigned w = 0; w < workers; w++)
		pid[w] = start_worker(r, w, workers, &from[w]);
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
	r.dd = dyndep_new(&lasting, &r.recalls.inputs);
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
	unsigned workers = cpu_online() < WORKERS_MAX ? cpu_online() : WORKERS_MAX;
	size_t before;
	pass(&r, 1, SHARE_LEAVES);
	pass(&r, workers, SHARE_GROUPS);
	do {
		before = r.lines.n;
		pass(&r, workers, SHARE_EDGES);
	} while (r.lines.n > before);
	if (r.lines.n && !ninja_log_append(a, RESTORE_LOG, &r.log, buf_str(&r.lines)))
		r.n = 0;
	return (struct restored){r.n, r.n_fetched};
}
