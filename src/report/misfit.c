#include "report/misfit.h"

#include "base/arena.h"
#include "model/signature.h"

enum kind {
	FITS,
	UNKNOWN, /* it does not compile */
	ENTRY,
	ARGS
};

/* Of host code the compiler says it, of the call that is made from the spec. */
static enum kind
kind_of(const struct finding *f)
{
	if (str_is(f->rule, "entry"))
		return ENTRY;
	if (str_is(f->rule, "args"))
		return ARGS;
	if (str_ends(f->message, SIGNATURE_NO_NAME))
		return ENTRY;
	if (!str_is(f->file, SIGNATURE_CALL_NAME))
		return str_is(f->rule, "lower") ? UNKNOWN : FITS;
	return str_has(f->message, STR_LIT("undeclared")) ? ENTRY : ARGS;
}

const struct finding *
misfit_of(const struct ranking *r)
{
	const struct finding *first = NULL;

	for (size_t z = 0; z < r->n_sizes; z++)
		for (size_t i = 0; i < rank_size_n(&r->sizes[z]); i++) {
			const struct rank_entry *e = &r->sizes[z].v[i];
			enum kind kind;

			if (e->verdict != VERDICT_ERROR || e->n_findings != 1)
				return NULL;
			kind = kind_of(&e->findings[0]);
			if (kind == UNKNOWN)
				continue;
			if (!first)
				first = &e->findings[0];
			if (kind == FITS || kind != kind_of(first))
				return NULL;
		}
	return first;
}

/* "argument 2, 'n', is f32 ..." is about one of them, as is a line of the call. */
static struct place
args_place(struct arena *a, const struct kernel *k, const struct finding *f)
{
	bool call = str_is(f->file, SIGNATURE_CALL_NAME);

	for (size_t i = 0; i < k->n_args; i++)
		if (call ? f->line == SIGNATURE_FIRST_LINE + i
			 : str_has(f->message,
				   str_fmt(a, ", '%.*s', is ", STR_ARG(k->args[i].name))))
			return k->args[i].at;
	return k->args_at.src ? k->args_at : k->at;
}

void
misfit_tell(struct arena *a, const struct spec *spec, struct ranking *const *v, size_t n,
	struct diag *d)
{
	for (size_t i = 0; i < n; i++) {
		const struct kernel *k = spec_kernel(spec, v[i]->kernel);
		const struct finding *f = misfit_of(v[i]);
		struct place at;

		if (!f || !k)
			continue;
		if (kind_of(f) == ARGS)
			at = args_place(a, k, f);
		else
			at = k->entry.s.n ? k->entry.at : k->at;
		diag_error(d, at, "no candidate of '%.*s' could be judged: %.*s",
			STR_ARG(k->name), STR_ARG(f->message));
	}
}
