#include "node/inputs.h"

#include "base/fs.h"
#include "base/hash.h"

#include <string.h>

void
inputs_share(struct inputs *in, struct arena *a, struct str path)
{
	bool added;
	in->shared.a = a;
	size_t i = map_put(&in->shared, path, &added);
	if (!added)
		return;
	arena_grow(a, in->files, i, in->cap);
	in->files[i] = (struct inputs_file){0};
}

const struct inputs_file *
inputs_read(struct inputs *in, const char *path)
{
	long i = map_find(&in->shared, str_of(path));
	if (i < 0)
		return NULL;
	struct inputs_file *f = &in->files[i];
	if (f->hex)
		return f;
	if (!fs_try_read(&in->kept, path, &f->bytes))
		return NULL;
	f->hex = hash_short(&in->kept, f->bytes, HASH_HEX);
	in->kept_bytes += f->bytes.n;
	return f;
}

void
inputs_trim(struct inputs *in, size_t most)
{
	if (in->kept_bytes <= most)
		return;
	for (size_t i = 0; i < in->shared.n; i++)
		in->files[i] = (struct inputs_file){0};
	arena_release(&in->kept);
	in->kept_bytes = 0;
}
