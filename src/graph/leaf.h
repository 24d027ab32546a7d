/*
 * Leaves: the project's own files that the graph starts from (sources, headers, oracles,
 * data), each with its content hash.  Headers are found by scanning #include lines
 * through all branches of conditionals: a superset is harmless, a missed header would be
 * a stale result.  Not seen: #include MACRO, and a header that later appears in a folder
 * searched earlier.
 */
#ifndef GRAPH_LEAF_H
#define GRAPH_LEAF_H

#include "base/diag.h"
#include "base/map.h"

struct leaf {
	const char *path; /* relative to the project, normalized */
	const char
		*staged; /* ".lanewise/in/PATH"; the path itself when it lies outside */
	bool outside;    /* starts with ".." or '/': read where it is, not staged */
	struct str text;
	const char *hash; /* 16 hex digits */
	size_t *deps;     /* indices of all headers it reaches, in order of first sight */
	size_t n_deps;
};

struct leaves {
	struct arena *a;
	struct map index; /* path -> position in v */
	struct leaf **v;
	size_t n, cap;
};

/* The leaf of a file, read on first use; NULL after a diag_error at `at`.  A path with
 * '|' or a control character is an error: Ninja cannot name it. */
struct leaf *leaf_add(
	struct leaves *l, const char *path, struct place at, struct diag *d);
/* Fills leaf->deps as a compiler would look: "x.h" next to the including file, then, as
 * <x.h> at once, in the leaf's own folder and the n folders `dirs`.  What is found
 * nowhere is taken for a toolkit header.  A leaf is not its own dep.  False after a
 * diag_error at the line that includes a pipe or a device. */
bool leaf_scan(struct leaves *l, struct leaf *leaf, const char *const *dirs, size_t n,
	struct diag *d);
/* True for the text of a header that 'lanewise apply' wrote.  A kernel may include its
 * own: it is compiled with it, but a choice does not depend on where the last one was
 * written. */
bool leaf_is_choice(struct str text);

#endif
