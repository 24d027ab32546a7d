#include "node/argfit.h"

#include "base/arena.h"

#include <inttypes.h>

static const char *
kind_of(const struct ptx_var *p)
{
	return ptx_type_class(p->type) == 'f' ? "a float" : "an integer";
}

/* A type such as .b32 may be either. */
static bool
kind_differs(const struct ptx_var *p, const struct arg *v)
{
	char class = ptx_type_class(p->type);
	bool is_float = !v->pointer && dtype_is_float(v->type);

	return !p->array && class != 'b' && (class == 'f') != is_float;
}

static bool
fits(struct arena *a, const struct ptx_var *p, const struct arg *v, size_t at,
	struct str *why)
{
	uint64_t bytes = v->pointer ? 8 : dtype_bytes(v->type);
	const char *star = v->pointer ? "*" : "";

	if (!v->pointer && !v->known)
		return true;
	if (p->bytes == bytes && !kind_differs(p, v))
		return true;
	*why = str_fmt(a,
		"argument %zu, '%.*s', is %s%s in the spec, %" PRIu64
		" bytes; the kernel's is %s of %" PRIu64 " bytes",
		at, STR_ARG(v->name), dtype_name(v->type), star, bytes, kind_of(p),
		p->bytes);
	return false;
}

bool
argfit_check(struct arena *a, const struct ptx_module *m, const struct ptx_func *f,
	const struct arg *v, size_t n, struct str *why)
{
	if (n && n != f->n_params) {
		*why = str_fmt(a, "the kernel has %u parameters, 'args' in the spec %zu",
			f->n_params, n);
		return false;
	}
	for (size_t i = 0; i < n; i++)
		if (!fits(a, &m->vars[f->params + i], &v[i], i, why))
			return false;
	return true;
}

static bool
points_to_shared(const struct ptx_var *p)
{
	return p->ptr && p->ptr_space == PTX_SPACE_SHARED;
}

const struct arg *
argfit_spread(struct arena *a, const struct ptx_module *m, const struct ptx_func *f,
	const struct arg *v, size_t *n)
{
	struct arg *all = arena_news(a, f->n_params + *n + 1, struct arg);
	size_t listed = 0, k = 0;

	if (!*n)
		return v;
	for (size_t i = 0; i < f->n_params; i++) {
		if (points_to_shared(&m->vars[f->params + i]))
			all[k++] =
				(struct arg){.pointer = true, .name = STR_LIT("__local")};
		else if (listed < *n)
			all[k++] = v[listed++];
	}
	/* What is too much stays, for argfit_check() to say. */
	while (listed < *n)
		all[k++] = v[listed++];
	*n = k;
	return all;
}
