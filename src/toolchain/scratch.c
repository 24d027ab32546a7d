#include "toolchain/scratch.h"

#include "base/arena.h"
#include "base/die.h"
#include "base/fs.h"
#include "toolchain/errlog.h"

#include <errno.h>
#include <unistd.h>

char *
scratch_make(struct arena *a)
{
	const char *base = getenv("TMPDIR");
	if (!base || base[0] != '/')
		base = "/tmp";
	char *dir = fs_join(a, base, "lanewise-XXXXXX");
	if (!mkdtemp(dir))
		die("cannot make a folder in '%s': %s", base, strerror(errno));
	return dir;
}

void
scratch_remove(struct arena *a, const char *dir)
{
	const char **names;
	size_t n = fs_list(a, dir, &names);
	for (size_t i = 0; i < n; i++)
		unlink(fs_join(a, dir, names[i]));
	rmdir(dir);
}

struct str
scratch_hide(struct arena *a, struct str text, const char *dir)
{
	return text_replace(a, text, str_fmt(a, "%s/", dir), (struct str){0});
}
