/*
 * expected: the outputs of one argument list out of .npy files, as a reference like the
 * oracle's.  A file that does not fit leaves a reference that says so, and no candidate
 * passes for verified.
 */
#include "backend/datafile.h"
#include "backend/ref.h"
#include "base/arena.h"
#include "node/node.h"

enum { KERNEL, ARGS, NPY };

static const struct node_word words[] = {
	[KERNEL] = {"kernel", NODE_NOTE, false, false},
	[ARGS] = {"args", NODE_PARAM, true, false},
	[NPY] = {"npy", NODE_INPUT, true, true}, /* one for each output, in their order */
	{0},
};

static bool
put_output(struct node_call *c, const struct arg *v, const struct node_file *file,
	struct str *why)
{
	struct datafile f;
	if (!datafile_read(c->a, file->path, file->bytes, v->type, v->count,
		    DATAFILE_EXPECTED, &f, why))
		return false;
	size_t bytes = (size_t)v->count * 8;
	char *wide = arena_alloc(c->a, bytes);
	ref_widen(f.stored, f.data, v->count, wide);
	buf_add(&c->out, wide, bytes);
	return true;
}

static bool
put_outputs(struct node_call *c, const struct arg *v, size_t n, struct str *why)
{
	size_t k = 0;
	buf_addstr(&c->out, ref_header(c->a, "npy", v, n));
	for (size_t i = 0; i < n; i++) {
		if (!v[i].output)
			continue;
		if (k == c->n[NPY])
			*why = str_fmt(
				c->a, "output '%.*s' has no --npy", STR_ARG(v[i].name));
		if (k == c->n[NPY] || !put_output(c, &v[i], &c->file[NPY][k++], why))
			return false;
	}
	if (k < c->n[NPY])
		*why = str_fmt(c->a, "there are %zu outputs and %zu files", k, c->n[NPY]);
	return k == c->n[NPY];
}

static bool
compute(struct node_call *c, struct diag *d)
{
	struct arg *v;
	size_t n;
	struct str why = {0};
	if (!args_parse(c->a, node_word(c, ARGS), &v, &n, &why)) {
		diag_error(d, (struct place){0},
			"expected: malformed '--args %.*s': %.*s",
			STR_ARG(node_word(c, ARGS)), STR_ARG(why));
		return false;
	}
	if (put_outputs(c, v, n, &why))
		return true;
	c->out.n = 0;
	buf_addstr(&c->out, ref_failure(c->a, "npy", why));
	c->status = STR_LIT("failed");
	c->detail = why;
	c->no_cache = true;
	return true;
}

const struct node node_expected = {
	.name = "expected",
	.about = "read what the outputs of one argument list are from .npy files",
	.revision = 1,
	.words = words,
	.compute = compute,
};
