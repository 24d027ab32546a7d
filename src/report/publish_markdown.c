#include "base/arena.h"
#include "report/escape.h"
#include "report/hazard_text.h"
#include "report/publish.h"
#include "report/show.h"

enum { MOST = 1000000, CANDIDATES = 8 };

static void
code(struct buf *b, struct str s)
{
	markdown_code(b, s);
}

/* ---- the choices ---- */

/* What the choice is known by; a choice without a claim says why it has none. */
static void
claim_cell(struct buf *b, const struct rank_size *s)
{
	buf_adds(b, " | ");
	if (!s->any)
		buf_adds(b, "-");
	else if (s->claim == CLAIM_NONE)
		buf_adds(b, "**NO CLAIM**: ");
	else
		buf_adds(b, rank_claim_name(s->claim));
	if (s->any && s->claim == CLAIM_NONE)
		markdown_text(b, s->claim_why);
}

static void
choice_row(struct buf *b, const struct ranking *r, const struct rank_size *s)
{
	const struct rank_entry *c = rank_champion(s);

	buf_adds(b, "| ");
	code(b, r->kernel);
	buf_adds(b, " | ");
	code(b, s->name);
	buf_adds(b, " | ");
	if (c) {
		code(b, c->label);
		buf_addf(b, " | %s%.*s%s", result_kind_mark(c->kind),
			STR_ARG(time_text(b->a, c->median_ns)),
			c->kind == RESULT_CACHED ? " measured earlier"
						 : result_kind_shout(c->kind));
	} else {
		buf_adds(b, "**none is admissible** | -");
	}
	claim_cell(b, s);
	buf_addf(b, " | %lld | %lld | %lld | %lld |\n", (long long)s->counts.points,
		(long long)s->counts.refused, (long long)s->counts.caveat,
		(long long)s->counts.error);
}

static void
choices(struct buf *b, const struct report *r)
{
	if (!r->n_kernels)
		return;
	buf_adds(b, "Device: ");
	markdown_text(b, r->kernels[0].r->device);
	buf_adds(b, r->kernels[0].r->described ? " (described, not here)\n\n" : "\n\n");
	buf_adds(b,
		"| kernel | size | choice | time | claim | points | refused | caveat | "
		"error |\n|---|---|---|---|---|---:|---:|---:|---:|\n");
	for (size_t k = 0; k < r->n_kernels; k++)
		for (size_t z = 0; z < r->kernels[k].r->n_sizes; z++)
			choice_row(b, r->kernels[k].r, &r->kernels[k].r->sizes[z]);
}

static void
applied_text(struct buf *b, const struct publication *p)
{
	static const char *const says[] = {[APPLIED_CURRENT] = "is current",
		[APPLIED_STALE] = "is **stale**",
		[APPLIED_NONE] = "is not there: nothing was applied yet"};

	for (size_t k = 0; p->applied && k < p->report->n_kernels; k++) {
		const struct applied *x = &p->applied[k];

		if (x->state == APPLIED_UNCHECKED)
			continue;
		buf_adds(b, k ? "- " : "\n- ");
		code(b, str_of(x->path));
		buf_addf(b, " %s\n", says[x->state]);
	}
}

/* ---- the issues ---- */

static void
candidates(struct buf *b, const struct issue *x)
{
	if (!x->n_candidates)
		return;
	buf_addf(b, "%zu candidate%s: ", x->n_candidates, str_plural(x->n_candidates));
	for (size_t i = 0; i < x->n_candidates && i < CANDIDATES; i++) {
		buf_adds(b, i ? ", " : "");
		code(b, x->candidates[i]);
	}
	if (x->n_candidates > CANDIDATES)
		buf_addf(b, " and %zu more", x->n_candidates - CANDIDATES);
	buf_adds(b, "\n\n");
}

static void
excerpt(struct buf *b, const struct hazard *h)
{
	struct buf lines = {.a = b->a};

	for (uint32_t i = 0; h->at.line && i < 3; i++)
		if (h->excerpt[i].n)
			buf_addf(&lines, "%c %5u | %.*s\n", i == 1 ? '>' : ' ',
				h->at.line + i - 1, STR_ARG(h->excerpt[i]));
	witness_text(&lines, &h->example->witness, 0);
	if (lines.n)
		markdown_block(b, buf_str(&lines));
}

static void
issue_text(struct buf *b, const struct issue *x)
{
	buf_addf(b, "\n### %s%s ", x->fails ? "FAILS: " : "", issue_kind_name(x->kind));
	markdown_text(b, x->rule);
	buf_adds(b, " in ");
	code(b, x->kernel->kernel);
	buf_adds(b, "\n\n");
	code(b, x->line ? str_fmt(b->a, "%.*s:%u", STR_ARG(x->file), (unsigned)x->line)
			: x->file);
	buf_adds(b, ": ");
	markdown_text(b, x->message);
	buf_adds(b, "\n\n");
	candidates(b, x);
	if (x->hazard)
		excerpt(b, x->hazard);
}

static void
heading(struct buf *b, const struct publication *p)
{
	size_t n[N_ISSUE_KINDS];
	bool some = false;

	issue_counts(p, n);
	buf_addf(b, "## lanewise: %s",
		issues_fail(p) || p->report->exit_status == EXIT_UNSURE ? "failed"
									: "passed");
	for (int k = 0; k < N_ISSUE_KINDS; k++)
		if (n[k]) {
			buf_addf(b, "%s%zu %s", some ? ", " : " (", n[k],
				issue_kind_name((enum issue_kind)k));
			some = true;
		}
	buf_adds(b, some ? ")\n\n" : "\n\n");
}

struct str
publish_markdown(struct arena *a, const struct publication *p)
{
	struct issues issues = issues_of(a, p);
	struct buf b = {.a = a};

	heading(&b, p);
	choices(&b, p->report);
	applied_text(&b, p);
	for (size_t i = 0; i < issues.n; i++) {
		struct buf one = {.a = a};

		issue_text(&one, &issues.v[i]);
		if (b.n + one.n > MOST) {
			buf_addf(&b, "\n%zu more in `lanewise report`\n", issues.n - i);
			break;
		}
		buf_addstr(&b, buf_str(&one));
	}
	return buf_str(&b);
}
