/*
 * A shared library opened at run time, through one table of names.
 *
 *     static struct dl_symbol table[] = {{"cuInit", &cuInit_p}, ...};
 *     struct dl lib = dl_open(a, names, table, n);
 *     if (!lib.handle) ... lib.why says which names were tried and the loader's words
 *
 * A missing symbol makes the library unusable unless it is marked optional, in which
 * case its pointer stays NULL.
 */
#ifndef BASE_DL_H
#define BASE_DL_H

#include <stdbool.h>
#include <stddef.h>

struct arena;

struct dl_symbol {
	const char *name;
	void *slot; /* address of a function pointer */
	bool optional;
};

struct dl {
	void *handle;     /* NULL: not available */
	const char *path; /* the name that opened it */
	const char *why;  /* reason when not available */
};

/* Tries each of the NULL-terminated names in order. */
struct dl dl_open(struct arena *a, const char *const *names,
	const struct dl_symbol *table, size_t n);
/* File the library was loaded from (for pins), or NULL. */
const char *dl_file(struct arena *a, const void *function);

#endif
