#include "toolchain/toolchain.h"

#include "base/arena.h"
#include "base/buf.h"

/* In order of preference; toolchain_NAME is a value of the file that has it. */
#define TOOLCHAINS(X) X(nvrtc) X(nvcc) X(clang) X(opencl) X(ptx) X(cc) X(command)

#define X(name) extern const struct toolchain toolchain_##name;
TOOLCHAINS(X)
#undef X

const struct toolchain *const toolchains[] = {
#define X(name) &toolchain_##name,
	TOOLCHAINS(X)
#undef X
		NULL,
};

static const struct str all_names[] = {
#define X(name) {#name, sizeof #name - 1},
	TOOLCHAINS(X)
#undef X
};

enum { N_TOOLCHAINS = sizeof all_names / sizeof *all_names };

const struct toolchain *
toolchain_find(struct str name)
{
	for (size_t i = 0; i < N_TOOLCHAINS; i++)
		if (str_is(name, toolchains[i]->name))
			return toolchains[i];
	return NULL;
}

bool
toolchain_speaks(const struct toolchain *t, struct str language)
{
	struct str rest = str_of(t->languages), word;
	while (str_split(&rest, ' ', &word))
		if (str_eq(word, language))
			return true;
	return false;
}

const struct toolchain *
toolchain_pick(struct arena *a, struct str language, struct toolchain_info *info,
	struct str *why)
{
	struct buf reasons = {.a = a};
	for (size_t i = 0; i < N_TOOLCHAINS; i++) {
		const struct toolchain *t = toolchains[i];
		if (!toolchain_speaks(t, language))
			continue;
		*info = t->probe(a);
		if (info->present)
			return t;
		buf_addf(&reasons, "\n  %s: %.*s", t->name, STR_ARG(info->why));
	}
	*info = (struct toolchain_info){0};
	*why = reasons.n ? str_fmt(a, "no toolchain for language '%.*s' is here:%s",
				   STR_ARG(language), buf_c(&reasons))
			 : str_fmt(a,
				   "no toolchain knows the language '%.*s': give a "
				   "'command' that makes PTX of it",
				   STR_ARG(language));
	return NULL;
}

size_t
toolchain_names(const struct str **names)
{
	*names = all_names;
	return N_TOOLCHAINS;
}
