#include "toolchain/toolchain.h"

#include "base/arena.h"
#include "base/buf.h"

extern const struct toolchain toolchain_nvrtc, toolchain_nvcc, toolchain_clang;
extern const struct toolchain toolchain_ptx, toolchain_command;

const struct toolchain *const toolchains[] = {
	&toolchain_nvrtc,
	&toolchain_nvcc,
	&toolchain_clang,
	&toolchain_ptx,
	&toolchain_command,
	NULL,
};

enum { N_TOOLCHAINS = sizeof toolchains / sizeof *toolchains - 1 };

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
			 : str_fmt(a, "no toolchain knows the language '%.*s'",
				   STR_ARG(language));
	return NULL;
}

size_t
toolchain_names(const struct str **names)
{
	static struct str v[N_TOOLCHAINS];
	for (size_t i = 0; i < N_TOOLCHAINS; i++)
		v[i] = str_of(toolchains[i]->name);
	*names = v;
	return N_TOOLCHAINS;
}
