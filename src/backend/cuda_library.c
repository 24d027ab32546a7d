#include "backend/cuda_library.h"

#include "base/arena.h"
#include "base/dl.h"
#include "model/library.h"

/* As in templates/lanewise_reference.h. */
struct lanewise_arg {
	const char *name;
	const char *type;
	size_t count;
	void *data; /* of a buffer: on the device */
	int is_output;
};

typedef int library_function(const struct lanewise_arg *args, int n, void *stream);

struct cuda_library {
	library_function *function; /* NULL: a product */
	struct lanewise_arg *args;
	struct cuda_gemm gemm;
};

/* --- a product ---------------------------------------------------------------------- */

static bool
unlaunchable(struct session *s, struct str reason)
{
	return cuda_refuse(s, RESULT_UNLAUNCHABLE, reason);
}

/* The position of a buffer that holds rows * columns elements. */
static bool
matrix_find(struct session *s, const struct bench_request *q, struct str name,
	int64_t rows, int64_t columns, size_t *at)
{
	for (*at = 0; *at < q->n_args; (*at)++) {
		const struct arg *v = &q->args[*at];
		if (!v->pointer || !str_eq(v->name, name))
			continue;
		if (v->count >= (uint64_t)rows * (uint64_t)columns)
			return true;
		return unlaunchable(s,
			str_fmt(s->call.a,
				"the reference's matrix '%.*s' has %lld x %lld elements, "
				"the argument %llu",
				STR_ARG(name), (long long)rows, (long long)columns,
				(unsigned long long)v->count));
	}
	return unlaunchable(
		s, str_fmt(s->call.a,
			   "the reference names '%.*s', which is no buffer of "
			   "the kernel",
			   STR_ARG(name)));
}

static bool
types_fit(struct session *s, const struct bench_request *q, struct cuda_gemm *g)
{
	g->type = q->args[g->c].type;
	bool known = g->type == DTYPE_F64 || g->type == DTYPE_F32 ||
		     g->type == DTYPE_F16 || g->type == DTYPE_BF16;
	if (known && q->args[g->a].type == g->type && q->args[g->b].type == g->type)
		return true;
	return unlaunchable(
		s, STR_LIT("the reference's matrices are all of f64, f32, f16 "
			   "or bf16"));
}

static bool
gemm_open(struct session *s, struct loaded *l, const struct library *spec)
{
	struct cuda_gemm *g = &l->library->gemm;
	const struct library_gemm *m = &spec->gemm;
	*g = (struct cuda_gemm){.m = (int)m->m,
		.n = (int)m->n,
		.k = (int)m->k,
		.ta = m->ta,
		.tb = m->tb,
		.alpha = m->alpha,
		.beta = m->beta};
	return matrix_find(s, l->q, m->a, m->m, m->k, &g->a) &&
	       matrix_find(s, l->q, m->b, m->k, m->n, &g->b) &&
	       matrix_find(s, l->q, m->c, m->m, m->n, &g->c) && types_fit(s, l->q, g) &&
	       cuda_blas_open(s);
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
	struct lanewise_arg *v = arena_news(l->a, l->q->n_args + 1, struct lanewise_arg);
	for (size_t i = 0; i < l->q->n_args; i++) {
		const struct arg *arg = &l->q->args[i];
		v[i] = (struct lanewise_arg){str_c(l->a, arg->name),
			dtype_name(arg->type), arg->pointer ? (size_t)arg->count : 1,
			&l->bits[i], arg->output};
	}
	l->library->args = v;
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
				    : cuda_blas_gemm(s, &l->library->gemm, at);
}
