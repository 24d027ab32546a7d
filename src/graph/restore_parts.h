/*
 * The inside of restore: what the process that begins it shares with its workers, which
 * are forks of it.
 *
 *     restore.c         which edges there are, who does them, what is said in Ninja's log
 *     restore_worker.c  the edges of one worker, from the cache and from the remote
 */
#ifndef GRAPH_RESTORE_PARTS_H
#define GRAPH_RESTORE_PARTS_H

#include "base/die.h"
#include "format/ninja_read.h"
#include "graph/dyndep.h"
#include "graph/ninja_log.h"
#include "node/node.h"

struct restore {
	struct arena *a;
	struct node_recalls recalls;
	struct ninja_graph g;
	struct ninja_log log;
	struct dyndep dd;
	/* By statement of the graph: */
	bool *done;
	bool *needed;    /* by the target, or when a .dd says so */
	bool *absent;    /* neither the cache nor the remote has it */
	uint32_t *group; /* edges of one group depend on each other; 0: leaves */
	uint8_t *worker; /* who does it in this pass */
	/* Modification times of what does not change any more; 0: not known. */
	int64_t *mtime;    /* by index in g.outs */
	struct map leaves; /* that are no outputs */
	int64_t *leaf_mtime;
	size_t cap_leaves;
	struct buf lines;    /* for the log */
	size_t n, n_fetched; /* see struct restored */
};

/* Does an edge follow this rule? */
static inline bool
restore_is_rule(const struct ninja_statement *s, const char *name)
{
	return s->rule && str_is(s->rule->name, name);
}

/* Has a worker something to do for it? */
static inline bool
restore_is_open(const struct restore *r, size_t i)
{
	return r->needed[i] && !r->done[i] && !r->absent[i];
}

/* --- restore.c --- */

/* The statement that makes a path, or -1. */
long restore_maker(const struct restore *r, struct str path);
/* One that Ninja may have no use for: the gate's .dd says. */
bool restore_is_when_wanted(const struct ninja_statement *s);

/* --- restore_worker.c --- */

/*
 * All that one of several workers can do, in a process of its own.  What it says goes to
 * a pipe, at its end, as nobody may listen before; a line each:
 *
 *     done STATEMENT NEWEST   restored; NEWEST: modification time of an input
 *     absent STATEMENT        neither the cache nor the remote has it
 *     fetched N               so many entries came from the remote
 */
void NORETURN restore_work(struct restore *r, unsigned worker, unsigned workers, int to);

#endif
