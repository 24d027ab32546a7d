#include "backend/cuda_library.h"

#include "base/arena.h"
#include "base/dl.h"

struct cuda_library {
	callee_function *function; /* NULL: a product */
	struct lanewise_arg *args;
	struct product product;
};

static bool
unlaunchable(struct session *s, struct str reason)
{
	return cuda_refuse(s, RESULT_UNLAUNCHABLE, reason);
}

/* --- a product ---------------------------------------------------------------------- */

static bool
gemm_open(struct session *s, struct loaded *l, const struct library *spec)
{
	struct product *g = &l->library->product;
	struct str why;
	if (!str_is(spec->blas, "cublas"))
		return unlaunchable(s, STR_LIT("OpenBLAS does not run on a GPU: name "
					       "'cublas' as the reference"));
	if (!product_find(s->call.a, l->q, &spec->gemm, g, &why))
		return unlaunchable(s, why);
	if (g->type != DTYPE_F64 && g->type != DTYPE_F32 && g->type != DTYPE_F16 &&
		g->type != DTYPE_BF16)
		return unlaunchable(
			s, STR_LIT("the reference's matrices are all of f64, f32, f16 "
				   "or bf16"));
	return cuda_blas_open(s);
}

/* --- a function of the user's ------------------------------------------------------- */

/* The object stays open: what it started may outlive one candidate. */
static bool
object_open(struct session *s, struct loaded *l, const struct library *spec)
{
	const char *path = str_c(l->a, spec->path), *symbol = str_c(l->a, spec->symbol);
	const char *const names[] = {path, NULL};
	const struct dl_symbol table[] = {{symbol, &l->library->function, false}};
	struct dl lib = dl_open(l->a, names, table, 1);
	if (!lib.handle)
		return cuda_refuse(s, RESULT_TROUBLE,
			str_fmt(s->call.a, "the reference cannot be loaded: %s",
				lib.why));
	l->library->args = callee_args(l->a, l->q, l->bits);
	return true;
}

static bool
function_call(struct session *s, struct loaded *l, const cu_pointer *at)
{
	struct lanewise_arg *v = l->library->args;
	for (size_t i = 0; i < l->q->n_args; i++) {
		if (l->q->args[i].pointer)
			v[i].data = (void *)(uintptr_t)at[i];
	}
	int e = l->library->function(v, (int)l->q->n_args, s->stream);
	return e == 0 ||
	       unlaunchable(s, str_fmt(s->call.a, "the reference returned %d", e));
}

/* ------------------------------------------------------------------------------------ */

bool
cuda_library_open(struct session *s, struct loaded *l)
{
	struct library spec;
	struct str why;
	l->library = arena_new(l->a, struct cuda_library);
	if (!library_parse(l->a, l->q->library, &spec, &why))
		return cuda_refuse(s, RESULT_TROUBLE, why);
	return spec.path.n ? object_open(s, l, &spec) : gemm_open(s, l, &spec);
}

bool
cuda_library_launch(struct session *s, struct loaded *l, unsigned copy)
{
	const cu_pointer *at = l->at + copy * l->q->n_args;
	return l->library->function ? function_call(s, l, at)
				    : cuda_blas_gemm(s, &l->library->product, at);
}
