#include "backend/callee.h"
#include "backend/host_session.h"
#include "base/dl.h"

/*
 * OpenBLAS, as far as it is used: cblas.h and openblas_config.h of 0.3.21, with a blasint
 * of 32 bits (Debian's libopenblas.so.0; the one of 64 bits is libopenblas64.so.0).
 */
enum { ROW_MAJOR = 101, PLAIN = 111, TRANSPOSED = 112 };

typedef void sgemm_function(int order, int ta, int tb, int m, int n, int k, float alpha,
	const float *a, int lda, const float *b, int ldb, float beta, float *c, int ldc);
typedef void dgemm_function(int order, int ta, int tb, int m, int n, int k, double alpha,
	const double *a, int lda, const double *b, int ldb, double beta, double *c,
	int ldc);

struct host_library {
	callee_function *function; /* NULL: a product */
	struct lanewise_arg *args;
	uint64_t *bits;
	int answer; /* of the last call that was not 0 */
	struct product product;
	sgemm_function *sgemm;
	dgemm_function *dgemm;
	void (*set_threads)(int);
};

/* --- a product ---------------------------------------------------------------------- */

/* It starts threads when it is loaded, unless it is told not to. */
static bool
blas_open(struct session *s, struct loaded *l)
{
	static const char *const names[] = {"libopenblas.so.0", "libopenblas.so", NULL};
	struct host_library *b = l->library;
	const struct dl_symbol table[] = {
		{"cblas_sgemm", &b->sgemm, false},
		{"cblas_dgemm", &b->dgemm, false},
		{"openblas_set_num_threads", &b->set_threads, false},
	};

	setenv("OPENBLAS_NUM_THREADS", "1", 1);
	struct dl lib = dl_open(s->call.a, names, table, sizeof table / sizeof *table);
	if (lib.handle)
		return true;
	return host_refuse(s, RESULT_TROUBLE,
		str_fmt(s->call.a,
			"no OpenBLAS: %s (install it: apt-get install "
			"libopenblas0-pthread)",
			lib.why));
}

static bool
gemm_open(struct session *s, struct loaded *l, const struct library *spec)
{
	struct product *g = &l->library->product;
	struct str why;

	if (!str_is(spec->blas, "openblas"))
		return host_refuse(s, RESULT_UNLAUNCHABLE,
			STR_LIT("cuBLAS does not run on the host: name 'openblas' as "
				"the reference"));
	if (!product_find(s->call.a, l->q, &spec->gemm, g, &why))
		return host_refuse(s, RESULT_UNLAUNCHABLE, why);
	if (g->type != DTYPE_F64 && g->type != DTYPE_F32)
		return host_refuse(s, RESULT_UNLAUNCHABLE,
			STR_LIT("the reference's matrices are all of f64 or f32"));
	return blas_open(s, l);
}

static void
gemm_call(const struct loaded *l, void *const *args)
{
	const struct host_library *b = l->library;
	const struct product *g = &b->product;
	int ta = g->ta ? TRANSPOSED : PLAIN, lda = g->ta ? g->m : g->k;
	int tb = g->tb ? TRANSPOSED : PLAIN, ldb = g->tb ? g->k : g->n;

	if (g->type == DTYPE_F64)
		b->dgemm(ROW_MAJOR, ta, tb, g->m, g->n, g->k, g->alpha, args[g->a], lda,
			args[g->b], ldb, g->beta, args[g->c], g->n);
	else
		b->sgemm(ROW_MAJOR, ta, tb, g->m, g->n, g->k, (float)g->alpha, args[g->a],
			lda, args[g->b], ldb, (float)g->beta, args[g->c], g->n);
}

/* --- a function of the user's ------------------------------------------------------- */

/* The object stays open: what it started may outlive one candidate. */
static bool
object_open(struct session *s, struct loaded *l, const struct library *spec)
{
	struct host_library *b = l->library;
	const char *path = str_c(l->a, spec->path), *symbol = str_c(l->a, spec->symbol);
	const char *const names[] = {path, NULL};
	const struct dl_symbol table[] = {{symbol, &b->function, false}};
	struct dl lib = dl_open(l->a, names, table, 1);

	if (!lib.handle)
		return host_refuse(s, RESULT_TROUBLE,
			str_fmt(s->call.a, "the reference cannot be loaded: %s",
				lib.why));
	b->bits = arena_news(l->a, l->q->n_args + 1, uint64_t);
	b->args = callee_args(l->a, l->q, b->bits);
	return true;
}

static void
function_call(const struct loaded *l, void *const *args)
{
	struct host_library *b = l->library;

	for (size_t i = 0; i < l->q->n_args; i++)
		if (l->q->args[i].pointer)
			b->args[i].data = args[i];
	int answer = b->function(b->args, (int)l->q->n_args, NULL);
	if (answer)
		b->answer = answer;
}

/* ------------------------------------------------------------------------------------ */

bool
host_library_open(struct session *s, struct loaded *l)
{
	struct library spec;
	struct str why;

	l->library = arena_new(l->a, struct host_library);
	if (!library_parse(l->a, l->q->library, &spec, &why))
		return host_refuse(s, RESULT_TROUBLE, why);
	return spec.path.n ? object_open(s, l, &spec) : gemm_open(s, l, &spec);
}

void
host_library_launch(const struct loaded *l, void *const *args)
{
	if (l->library->function)
		function_call(l, args);
	else
		gemm_call(l, args);
}

void
host_library_ready(const struct loaded *l)
{
	if (l->library && l->library->set_threads)
		l->library->set_threads((int)l->threads);
}

bool
host_library_answer(struct session *s, const struct loaded *l)
{
	if (!l->library || l->library->answer == 0)
		return true;
	return host_refuse(s, RESULT_UNLAUNCHABLE,
		str_fmt(s->call.a, "the reference returned %d", l->library->answer));
}
