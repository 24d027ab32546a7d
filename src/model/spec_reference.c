#include "model/library.h"
#include "model/spec_reader.h"

void
read_gemm(struct spec_reader *r, const struct json *v, void *to)
{
	struct reference_spec *f = to;
	f->gemm = true;
	spec_read_object(r, WHERE_GEMM, v, f);
}

static void
refuse(struct spec_reader *r, const struct json *v, const char *key, const char *say)
{
	const struct json *m = json_get(v, key);
	if (m)
		diag_error(r->d, json_key_place(m), "%s", say);
}

static void
finish(struct spec_reader *r, const struct json *v, struct reference_spec *f)
{
	if (library_is_blas(f->library.s)) {
		refuse(r, v, "function", "a BLAS is told what to do by 'gemm'");
		if (!f->gemm)
			diag_error(r->d, json_place(v),
				"a reference by a BLAS says which product it is: 'gemm'");
		return;
	}
	refuse(r, v, "gemm", "'gemm' is for the libraries 'cublas' and 'openblas'");
	if (!str_ends(f->library.s, ".so"))
		diag_error(r->d, f->library.at,
			"'library' is 'cublas', 'openblas' or a shared object, x.so, not "
			"'%.*s'",
			STR_ARG(f->library.s));
	else
		spec_path_ok(r, &f->library.s, f->library.at);
}

void
read_reference(struct spec_reader *r, const struct json *v, void *to)
{
	struct kernel *k = to;
	struct reference_spec *f = &k->reference;
	*f = (struct reference_spec){
		.present = true, .at = json_key_place(v), .alpha = 1};
	f->function = (struct name){STR_LIT("lanewise_reference"), f->at};
	spec_read_object(r, WHERE_REFERENCE, v, f);
	if (v->kind == JSON_OBJECT && f->library.s.n)
		finish(r, v, f);
}

void
read_factor(struct spec_reader *r, const struct json *v, void *to)
{
	(void)r;
	*(double *)to = v->number;
}

/* --- what spans several members of the kernel --------------------------------------- */

static void
check_matrix(struct spec_reader *r, const struct kernel *k, struct name name)
{
	for (size_t i = 0; i < k->n_args; i++) {
		if (str_eq(k->args[i].name, name.s) && k->args[i].pointer)
			return;
	}
	if (name.s.n)
		diag_error(r->d, name.at, "'%.*s' is no buffer among the arguments",
			STR_ARG(name.s));
}

void
spec_check_reference(struct spec_reader *r, const struct kernel *k)
{
	const struct reference_spec *f = &k->reference;
	if (!f->gemm)
		return;
	check_matrix(r, k, f->a);
	check_matrix(r, k, f->b);
	check_matrix(r, k, f->c);
}
