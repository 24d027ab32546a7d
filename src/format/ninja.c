#include "format/ninja.h"

#include "base/die.h"

bool
ninja_can_name(const char *path)
{
	for (; *path; path++)
		if ((unsigned char)*path < 0x20 || *path == '|')
			return false;
	return true;
}

void
ninja_path(struct buf *b, const char *path)
{
	for (; *path; path++) {
		if (*path == '\n')
			BUG("a newline in a path");
		if (*path == '$' || *path == ' ' || *path == ':')
			buf_addc(b, '$');
		buf_addc(b, *path);
	}
}

void
ninja_value(struct buf *b, struct str value)
{
	for (size_t i = 0; i < value.n; i++) {
		if (value.s[i] == '\n')
			BUG("a newline in a ninja variable");
		if (value.s[i] == '$' || (i == 0 && value.s[i] == ' '))
			buf_addc(b, '$');
		buf_addc(b, value.s[i]);
	}
}

void
ninja_var(struct buf *b, const char *indent, const char *name, struct str value)
{
	buf_addf(b, "%s%s = ", indent, name);
	ninja_value(b, value);
	buf_addc(b, '\n');
}

static void
path_list(struct buf *b, const char *before, const char *const *paths)
{
	if (!paths || !paths[0])
		return;
	buf_adds(b, before);
	for (; *paths; paths++) {
		buf_addc(b, ' ');
		ninja_path(b, *paths);
	}
}

void
ninja_build(struct buf *b, const struct ninja_edge *e)
{
	buf_adds(b, "build");
	path_list(b, "", e->outs);
	path_list(b, " |", e->implicit_outs);
	buf_addf(b, ": %s", e->rule);
	path_list(b, "", e->ins);
	path_list(b, " |", e->implicit_ins);
	path_list(b, " ||", e->order_ins);
	buf_addc(b, '\n');
}

void
ninja_phony(struct buf *b, const char *name, const char *const *ins)
{
	const char *outs[] = {name, NULL};
	ninja_build(b, &(struct ninja_edge){.rule = "phony", .outs = outs, .ins = ins});
}

static bool
plain(struct str w)
{
	static const char safe[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
		"._-+=,/:@%";
	for (size_t i = 0; i < w.n; i++)
		if (!memchr(safe, w.s[i], sizeof safe - 1))
			return false;
	return w.n > 0;
}

void
ninja_shell_word(struct buf *b, struct str word)
{
	if (plain(word)) {
		buf_addstr(b, word);
		return;
	}
	buf_addc(b, '\'');
	for (size_t i = 0; i < word.n; i++) {
		if (word.s[i] == '\'')
			buf_adds(b, "'\\''");
		else
			buf_addc(b, word.s[i]);
	}
	buf_addc(b, '\'');
}
