#include "report/sarif.h"

#include "base/arena.h"

static struct str
message_of(struct arena *a, const struct verdict *v, const struct finding *f)
{
	return str_fmt(a, "%.*s (block %.*s, grid %.*s)", STR_ARG(f->message),
		STR_ARG(dim_text(a, v->launch.block)),
		STR_ARG(dim_text(a, v->launch.grid)));
}

static struct sarif_result
result_of(struct arena *a, const struct sarif_run *r, const struct verdict *v,
	const struct finding *f, struct excerpts *e)
{
	bool in_source = f->line && f->file.n;

	return (struct sarif_result){
		.rule = f->rule,
		.level = f->kind == VERDICT_CAVEAT ? "warning" : "error",
		.message = message_of(a, v, f),
		.file = in_source ? excerpts_path(e, f->file) : str_of(r->ptx),
		.line = in_source     ? f->line
			: f->ptx_line ? f->ptx_line
				      : r->entry_line,
		.snippet = excerpts_line(e, f->file, f->line),
		.function = r->entry,
		.ptx = str_of(r->ptx),
		.ptx_line = in_source ? f->ptx_line : 0,
		.verdict = str_of(verdict_name(v->kind)),
		.klass = f->klass,
		.launch = launch_text(a, &v->launch),
		.block = dim_text(a, v->launch.block),
		.witness = &f->witness,
	};
}

struct str
sarif_text(struct arena *a, const struct sarif_run *r, struct excerpts *e)
{
	struct sarif_result *v = NULL;
	size_t n = 0, cap = 0;

	for (size_t i = 0; i < r->n; i++)
		for (size_t k = 0; k < r->v[i].n_findings; k++) {
			arena_grow(a, v, n, cap);
			v[n++] = result_of(a, r, &r->v[i], &r->v[i].findings[k], e);
		}
	return sarif_document(a, r->root, v, n);
}
