#include "node/judged.h"

#include "base/arena.h"

const struct verdict_file *
judged_read(const struct node_file *f, struct diag *d)
{
	static struct arena kept;
	static struct str bytes;
	static const struct verdict_file *known;
	if (known && str_eq(bytes, f->bytes))
		return known;
	arena_release(&kept);
	bytes = str_dup(&kept, f->bytes);
	known = verdict_file_read(&kept, str_c(&kept, str_of(f->path)), d);
	return known;
}
