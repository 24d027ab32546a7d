#include "graph/point_files.h"

#include "backend/datafile.h"
#include "base/arena.h"
#include "base/buf.h"

/* The file that a template names at this point, looked at. */
static const struct leaf *
look(struct arena *a, struct leaves *l, const struct scope *s,
	const struct name *template, const struct arg *v, enum datafile_use use,
	struct diag *d)
{
	struct datafile f;
	struct str why;
	const char *path = str_c(a, candidate_path(a, s, template->s));
	const struct leaf *leaf = leaf_add(l, path, template->at, d);
	if (!leaf || datafile_read(a, path, leaf->text, v->type, v->count, use, &f, &why))
		return leaf;
	diag_error(d, template->at, "argument '%.*s', size %.*s: %.*s", STR_ARG(v->name),
		STR_ARG(s->size->name), STR_ARG(why));
	return NULL;
}

static const struct name *
npy_of(const struct kernel *k, struct str output)
{
	for (size_t i = 0; i < k->verify.n_npy; i++)
		if (str_eq(k->verify.npy[i].output, output))
			return &k->verify.npy[i].file;
	return NULL;
}

bool
point_files(struct arena *a, struct leaves *l, const struct scope *s, struct arg *args,
	size_t n, struct point_files *out, struct diag *d)
{
	const char **inputs = arena_news(a, n + 1, const char *);
	const char **npy = arena_news(a, n + 1, const char *);
	size_t n_inputs = 0, n_npy = 0;
	struct buf hashes = {.a = a};
	for (size_t i = 0; i < n; i++) {
		struct arg *v = &args[i];
		const struct name *want = v->output ? npy_of(s->k, v->name) : NULL;
		const struct leaf *f;
		if (want) {
			f = look(a, l, s, want, v, DATAFILE_EXPECTED, d);
			if (!f)
				return false;
			npy[n_npy++] = f->staged;
			buf_addf(&hashes, ":%s", f->hash);
		}
		if (!v->input || v->fill != FILL_FILE)
			continue;
		f = look(a, l, s, &s->k->args[i].file, v, DATAFILE_INPUT, d);
		if (!f)
			return false;
		v->file = str_of(f->staged);
		v->file_hash = str_of(f->hash);
		inputs[n_inputs++] = f->staged;
	}
	*out = (struct point_files){
		n_inputs ? inputs : NULL, n_npy ? npy : NULL, buf_str(&hashes)};
	return true;
}
