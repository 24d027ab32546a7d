#include "base/dl.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/fs.h"

#include <dlfcn.h>
#include <stdio.h>

static void
bind(struct arena *a, struct dl *lib, const struct dl_symbol *table, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		void *f = dlsym(lib->handle, table[i].name);
		memcpy(table[i].slot, &f, sizeof f);
		if (f || table[i].optional)
			continue;
		lib->why =
			str_fmt(a, "'%s' has no symbol '%s'", lib->path, table[i].name).s;
		dlclose(lib->handle);
		lib->handle = NULL;
		return;
	}
}

/* glibc's words for a library that is nowhere: they say no more than the name does. */
static bool
is_absence(const char *words)
{
	return str_ends(str_of(words), "cannot open shared object file: "
				       "No such file or directory");
}

struct dl
dl_open(struct arena *a, const char *const *names, const struct dl_symbol *table,
	size_t n)
{
	struct dl lib = {0};
	struct buf why = {.a = a};
	const char *first = *names, *words;
	for (; *names; names++) {
		lib.path = *names;
		lib.handle = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
		if (lib.handle) {
			bind(a, &lib, table, n);
			return lib;
		}
		words = dlerror();
		if (!is_absence(words))
			buf_addf(&why, "%s%s", why.n ? "; " : "", words);
	}
	lib.path = NULL;
	if (!why.n)
		buf_addf(&why, "%s is not here", first);
	lib.why = buf_c(&why);
	return lib;
}

/* "START-END perms offset dev inode   PATH" */
static bool
maps_line_holds(struct str line, uintptr_t address)
{
	struct str range, from;
	uint64_t low, high;
	char hex[2][20];
	if (!str_split(&line, ' ', &range) || !str_split(&range, '-', &from) ||
		from.n > 16 || range.n > 16)
		return false;
	snprintf(hex[0], sizeof hex[0], "0x%.*s", STR_ARG(from));
	snprintf(hex[1], sizeof hex[1], "0x%.*s", STR_ARG(range));
	return str_to_u64(str_of(hex[0]), &low) && str_to_u64(str_of(hex[1]), &high) &&
	       low <= address && address < high;
}

const char *
dl_file(struct arena *a, const void *function)
{
	struct str rest, line;
	if (!fs_try_read(a, "/proc/self/maps", &rest))
		return NULL;
	while (str_line(&rest, &line)) {
		size_t slash = str_find(line, '/');
		if (slash < line.n && maps_line_holds(line, (uintptr_t)function))
			return str_c(a, str_sub(line, slash, line.n));
	}
	return NULL;
}
