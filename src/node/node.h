/*
 * A node of the graph: `lanewise node NAME --input FILE ... -o OUT`.
 *
 * A node reads only what its command line names: no environment, no spec, no clock.
 * node_main() does, once for all nodes: options, reading inputs, the cache key and
 * look-up, writing the outputs atomically (unchanged bytes keep their mtime), and the
 * event line. compute() is pure: bytes in, bytes out.  A candidate that fails is data:
 * compute() writes an output that says so and returns true; false (after printing) is our
 * trouble, and the process exits 2 without touching any output.
 */
#ifndef NODE_NODE_H
#define NODE_NODE_H

#include "base/buf.h"
#include "base/diag.h"
#include "node/inputs.h"
#include "node/sums.h"

enum node_word_kind {
	NODE_INPUT, /* a file: read, and its bytes are in the key; optional ones may be
		       absent */
	NODE_GUARD, /* a file that is read but is not in the key (verdicts: a lock, not
		       data) */
	NODE_PARAM, /* a word: in the key */
	NODE_NOTE,  /* a word that is not in the key (labels for messages, job counts) */
	NODE_FLAG,  /* no value: in the key */
	NODE_OUTPUT /* a further output file besides -o */
};

struct node_word {
	const char *name; /* "--ptx" without dashes */
	enum node_word_kind kind;
	bool required;
	bool repeats; /* inputs and params may */
};

struct node_file {
	const char *path;
	struct str bytes;
	const char *hex; /* of their hash, when that is known already; or NULL */
	bool present;    /* an optional guard may be absent */
};

enum { NODE_WORDS = 24 };

struct node_list;

/* What a node's command line said; index as in its `words` table. */
struct node_call {
	struct arena *a;
	const struct node *node;
	struct node_file *file[NODE_WORDS]; /* inputs and guards; n[i] of them */
	struct str *word[NODE_WORDS];       /* params and notes; n[i] of them */
	size_t n[NODE_WORDS];
	const char *out_path[NODE_WORDS]; /* NODE_OUTPUT paths; NULL when not given */
	const char *main_out;             /* -o */
	const char *events;               /* the log, or NULL */
	const char *words_file;           /* of @FILE, or NULL */
	const char *const *given;         /* the command line, from the node's name on */
	size_t n_given;
	struct buf out;               /* bytes of -o */
	struct buf extra[NODE_WORDS]; /* bytes of NODE_OUTPUTs */
	struct str status;            /* for the event log: "ok", "failed", ... */
	struct str detail;            /* for the event log: one line */
	double told_ns;               /* for the event log: a time per launch; 0: none */
	bool no_cache; /* compute() sets it: do not store (a transient failure) */
	const struct node_list *list; /* in the place of a file, or NULL */
	struct inputs *inputs;        /* that were read for others, or NULL */
};

struct node {
	const char *name;
	const char *about; /* one line */
	unsigned revision; /* part of every key: bump when the output for equal input
			      changes */
	const struct node_word *words; /* ended by a NULL name */
	bool measured; /* touches a device: see backend/; its key carries the device
			  identity */
	bool local;    /* cheaper than a cache look-up: never stored */
	bool brief;    /* cheaper than a remote cache: only a restore, which asks for
			  many at once, asks that */
	bool hermetic; /* takes time, and nothing but its inputs and a tool, whose version
			  it checks: may be run by a launcher (node/launcher.h) */
	bool (*compute)(struct node_call *c, struct diag *d);
	/* Optional: called on a cache hit, may edit the outputs (a recalled measurement
	 * says that it is one).  False: it is none of this node's, so it is a miss. */
	bool (*recalled)(struct node_call *c);
	void (*written)(void); /* optional: the outputs are in place */
};

/* The single value of word i, or {0}. */
struct str node_word(const struct node_call *c, size_t i);
const struct node_file *node_file(const struct node_call *c, size_t i);
bool node_flag(const struct node_call *c, size_t i);

/*
 * argv: [--events FILE] [--sums FILE] [--cache DIR] [--launch FILE] [--entry FILE] NAME
 * words...
 * `@FILE` in the place of an option stands for the whitespace-separated words of FILE (a
 * value may begin with an '@').  With --entry the outputs are not put in place: they are
 * written to FILE as an entry of the cache (cache/store.h), which is what a launched node
 * does.
 * `table` is NULL-terminated.  Returns the exit status: 0 whenever the outputs are in
 * place, 2 otherwise.
 */
int node_main(struct arena *a, const struct node *const *table, int argc, char **argv);

/* Stands for the file of an @FILE word. */
struct node_list {
	const char *path;
	struct str text;
};

/* What one process recalls: `table` of node_main(), and what is common to its nodes. */
struct node_recalls {
	const struct node *const *table;
	struct inputs inputs;
	struct sums_queue sums; /* the caller gives the arena, and flushes at the end */
};

/* The same in this process and without its work: the outputs are put in place when the
 * cache has them, or when the node is one that is never stored because it costs nothing.
 * False when not; then nothing was written, and *key is what the cache lacks (or empty).
 * As a node does, it dies of a malformed command line, of a refused point and of a full
 * disk. */
bool node_recall(struct arena *a, struct node_recalls *r, size_t n,
	const char *const *words, const struct node_list *list, struct str *key);
/* The cache of the nodes of a graph whose cache is `given`: LANEWISE_CACHE, or that. */
const char *node_cache(const char *given);

/* The key under which the cache would have it; empty for what is never stored. */
struct str node_key(struct arena *a, const struct node *const *table, size_t n,
	const char *const *words, const struct node_list *list);

#endif
