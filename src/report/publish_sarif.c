#include "base/arena.h"
#include "report/publish.h"
#include "report/sarif.h"

static const char *
level_of(const struct issue *x)
{
	if (x->fails)
		return "error";
	return x->kind == ISSUE_CAVEAT ? "note" : "warning";
}

struct str
publish_sarif(struct arena *a, const struct publication *p)
{
	struct issues issues = issues_of(a, p);
	struct sarif_result *v = arena_news(a, issues.n, struct sarif_result);

	for (size_t i = 0; i < issues.n; i++) {
		const struct issue *x = &issues.v[i];

		v[i] = (struct sarif_result){
			.rule = x->rule,
			.level = level_of(x),
			.message = x->message,
			.file = x->file,
			.line = x->line,
			.snippet = x->snippet,
			.function = x->kernel->kernel,
			.verdict = str_of(issue_kind_name(x->kind)),
			.candidates = x->candidates,
			.n_candidates = x->n_candidates,
		};
		if (!x->hazard)
			continue;
		v[i].klass = x->hazard->example->klass;
		v[i].launch = x->hazard->example_launch;
		v[i].witness = &x->hazard->example->witness;
	}
	return sarif_document(a, p->root, v, issues.n);
}
