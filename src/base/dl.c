#define _GNU_SOURCE /* dladdr */

#include "base/dl.h"

#include "base/arena.h"
#include "base/buf.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

static void
bind(struct arena *a, struct dl *lib, const struct dl_symbol *table, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		void *f = dlsym(lib->handle, table[i].name);
		memcpy(table[i].slot, &f, sizeof f);
		if (f || table[i].optional)
			continue;
		lib->why = str_fmt(a, "'%s' has no symbol '%s'", lib->path, table[i].name).s;
		dlclose(lib->handle);
		lib->handle = NULL;
		return;
	}
}

struct dl
dl_open(struct arena *a, const char *const *names, const struct dl_symbol *table, size_t n)
{
	struct dl lib = {0};
	struct buf why = {.a = a};
	for (; *names; names++) {
		lib.path = *names;
		lib.handle = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
		if (lib.handle) {
			bind(a, &lib, table, n);
			return lib;
		}
		buf_addf(&why, "%s%s", why.n ? "; " : "", dlerror());
	}
	lib.path = NULL;
	lib.why = buf_c(&why);
	return lib;
}

const char *
dl_file(struct arena *a, const void *function)
{
	Dl_info info;
	if (!dladdr(function, &info) || !info.dli_fname)
		return NULL;
	return arena_copy(a, info.dli_fname, strlen(info.dli_fname));
}
