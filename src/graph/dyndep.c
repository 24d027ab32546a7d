#include "graph/dyndep.h"

#include "base/arena.h"
#include "base/fs.h"

struct dyndep
dyndep_new(struct arena *a, struct inputs *inputs)
{
	return (struct dyndep){
		.a = a, .inputs = inputs, .files.a = a, .wanted.a = a, .outs.a = a};
}

static void
want(struct dyndep *d, struct str in)
{
	bool added;
	map_put(&d->wanted, in, &added);
	if (!added)
		inputs_share(d->inputs, d->a, in);
}

/* "build OUT: dyndep | IN..."; the names have nothing that is quoted, or it does not
 * match. */
static void
read_line(struct dyndep *d, struct str line)
{
	struct str in;
	size_t colon = str_find(line, ':');
	if (!str_starts(line, "build ") || colon == line.n)
		return;
	size_t n = d->outs.n, bar = str_find(line, '|');
	arena_grow(d->a, d->ins, n, d->cap);
	size_t i = map_put(&d->outs, str_sub(line, 6, colon), NULL);
	d->ins[i] = str_sub(line, bar + 1, line.n);
	for (struct str rest = d->ins[i]; str_split(&rest, ' ', &in);)
		if (in.n)
			want(d, in);
}

void
dyndep_read(struct dyndep *d, struct str path)
{
	struct str text, line;
	bool added;
	map_put(&d->files, path, &added);
	if (!added || !fs_try_read(d->a, str_c(d->a, path), &text))
		return;
	while (str_line(&text, &line))
		read_line(d, line);
}

bool
dyndep_wants(const struct dyndep *d, struct str path)
{
	return map_find(&d->wanted, path) != MAP_NONE;
}

bool
dyndep_inputs(const struct dyndep *d, struct str out, struct str *ins)
{
	long i = map_find(&d->outs, out);
	if (i == MAP_NONE)
		return false;
	*ins = d->ins[i];
	return true;
}
