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
	struct source *src = arena_new(&kept, struct source);
	*src = (struct source){str_c(&kept, str_of(f->path)), bytes};
	known = verdict_file_get(&kept, json_parse(&kept, src, d), d);
	return known;
}
