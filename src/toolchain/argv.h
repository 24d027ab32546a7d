/* The argument vector of a child process, built word by word. `{.a = arena}` is ready. */
#ifndef TOOLCHAIN_ARGV_H
#define TOOLCHAIN_ARGV_H

#include "base/die.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;

struct argv {
	struct arena *a;
	const char **v; /* NULL-terminated once a word was added */
	size_t n, cap;
};

/* The word is not copied. */
void argv_add(struct argv *w, const char *word);
void argv_addf(struct argv *w, const char *fmt, ...) PRINTF(2, 3);
/* prefix + word for every word of a NULL-terminated list; a NULL list is empty. */
void argv_add_each(struct argv *w, const char *prefix, const char *const *list);
/* True if a word of a NULL-terminated list begins with prefix. */
bool argv_has(const char *const *list, const char *prefix);

#endif
