#include "report/issue.h"

#include "base/arena.h"
#include "base/fs.h"

static const char *const names[] = {
#define X(id, name) [ISSUE_##id] = (name),
	ISSUE_KINDS(X)
#undef X
};

const char *
issue_kind_name(enum issue_kind k)
{
	return names[k];
}

bool
issue_kinds(struct str list, unsigned *out, struct str *why)
{
	*out = 0;
	*why = list;
	if (str_is(list, "none"))
		return true;
	for (struct str word; str_split(&list, ',', &word);) {
		unsigned kind = 0;

		while (kind < N_ISSUE_KINDS && !str_is(str_trim(word), names[kind]))
			kind++;
		*why = word;
		if (kind == N_ISSUE_KINDS)
			return false;
		*out |= 1U << kind;
	}
	return *out != 0;
}

enum issue_kind
issue_of_entry(const struct rank_entry *e)
{
	if (e->verdict == VERDICT_ERROR)
		return ISSUE_ERROR;
	if (e->verdict == VERDICT_REFUSED)
		return ISSUE_REFUSED;
	if (e->status != RESULT_OK && e->status != RESULT_REFUSED)
		return ISSUE_FAILED;
	return e->verdict == VERDICT_CAVEAT ? ISSUE_CAVEAT : N_ISSUE_KINDS;
}

/* ---- counting ---- */

void
issue_counts(const struct publication *p, size_t n[N_ISSUE_KINDS])
{
	memset(n, 0, N_ISSUE_KINDS * sizeof *n);
	for (size_t k = 0; k < p->report->n_kernels; k++) {
		const struct ranking *r = p->report->kernels[k].r;

		n[ISSUE_STALE] += p->applied && p->applied[k].state == APPLIED_STALE;
		for (size_t z = 0; z < r->n_sizes; z++)
			for (size_t i = 0; i < rank_size_n(&r->sizes[z]); i++) {
				enum issue_kind kind = issue_of_entry(&r->sizes[z].v[i]);

				if (kind != N_ISSUE_KINDS)
					n[kind]++;
			}
	}
}

bool
issues_fail(const struct publication *p)
{
	size_t n[N_ISSUE_KINDS];
	bool fail = false;

	issue_counts(p, n);
	for (int k = 0; k < N_ISSUE_KINDS; k++)
		fail |= n[k] && (p->fails >> k & 1);
	return fail;
}

/* ---- gathering ---- */

struct gather {
	struct arena *a;
	const struct publication *p;
	struct issues out;
};

static struct str
from_root(struct gather *g, struct str path)
{
	const char *full =
		fs_normal(g->a, fs_join(g->a, fs_cwd(g->a), str_c(g->a, path)));
	size_t n = strlen(g->p->root);

	if (!path.n || strncmp(full, g->p->root, n) != 0 || full[n] != '/')
		return path;
	return str_of(full + n + 1);
}

/* Without a place of its own an issue is the kernel's source's. */
static struct str
source_of(const struct ranking *r)
{
	json_each(s, r->sources)
	{
		return s->string;
	}
	return STR_LIT("lanewise.json");
}

static struct issue *
add(struct gather *g, enum issue_kind kind, const struct ranking *r, struct str file)
{
	arena_grow(g->a, g->out.v, g->out.n, g->out.cap);
	g->out.v[g->out.n] = (struct issue){.kind = kind,
		.fails = g->p->fails >> kind & 1,
		.kernel = r,
		.file = from_root(g, file)};
	return &g->out.v[g->out.n++];
}

static struct str
plural(struct arena *a, size_t n, const char *what)
{
	return str_fmt(a, "%zu %s%s", n, what, str_plural(n));
}

static void
add_hazards(struct gather *g, const struct ranking *r, enum issue_kind kind,
	const struct hazards *h)
{
	for (size_t i = 0; i < h->n; i++) {
		const struct hazard *z = &h->v[i];
		struct issue *x = add(g, kind, r, z->at.line ? z->at.file : source_of(r));

		x->rule = z->example->rule;
		x->line = z->at.line;
		x->snippet = z->at.line ? z->excerpt[1] : (struct str){0};
		x->hazard = z;
		x->n_points = z->n_points;
		x->n_candidates = z->n_cases;
		x->candidates = arena_news(g->a, z->n_cases, struct str);
		for (size_t c = 0; c < z->n_cases; c++)
			x->candidates[c] = z->cases[c].label;
		x->message =
			str_fmt(g->a, "%.*s (with %.*s at size %.*s; in all %.*s, %.*s)",
				STR_ARG(z->example->message), STR_ARG(z->example_label),
				STR_ARG(z->example_size),
				STR_ARG(plural(g->a, z->n_cases, "candidate")),
				STR_ARG(plural(g->a, z->n_points, "point")));
	}
}

static struct str
first_line(struct str text)
{
	struct str line = {0};

	str_line(&text, &line);
	return line;
}

/* All entries of one kernel with one status are one issue. */
static void
add_failed(struct gather *g, const struct ranking *r, enum result_status status)
{
	struct map labels = {.a = g->a};
	const struct rank_entry *example = NULL;
	struct str size = {0};
	size_t n = 0;

	for (size_t z = 0; z < r->n_sizes; z++)
		for (size_t i = 0; i < rank_size_n(&r->sizes[z]); i++) {
			const struct rank_entry *e = &r->sizes[z].v[i];

			if (issue_of_entry(e) != ISSUE_FAILED || e->status != status)
				continue;
			if (!n++) {
				example = e;
				size = r->sizes[z].name;
			}
			map_put(&labels, e->label, NULL);
		}
	if (!example)
		return;
	struct issue *x = add(g, ISSUE_FAILED, r, source_of(r));
	x->rule = str_of(result_status_name(status));
	x->candidates = labels.keys;
	x->n_candidates = labels.n;
	x->n_points = n;
	x->message = str_fmt(g->a, "%.*s: %.*s: %.*s (at size %.*s; in all %.*s, %.*s)",
		STR_ARG(example->label), STR_ARG(x->rule),
		STR_ARG(first_line(example->reason)), STR_ARG(size),
		STR_ARG(plural(g->a, labels.n, "candidate")),
		STR_ARG(plural(g->a, n, "point")));
}

static void
add_stale(struct gather *g, const struct ranking *r, const struct applied *x)
{
	struct buf b = {.a = g->a};
	struct str rest = x->text, line;

	if (x->state != APPLIED_STALE)
		return;
	buf_addf(&b, "the applied choice of '%.*s' is stale", STR_ARG(r->kernel));
	while (str_line(&rest, &line))
		buf_addf(&b, "; %.*s", STR_ARG(str_trim(line)));
	struct issue *i = add(g, ISSUE_STALE, r, str_of(x->path));
	i->rule = STR_LIT("stale");
	i->message = buf_str(&b);
	i->n_points = 1;
}

static void
add_kind(struct gather *g, enum issue_kind kind, size_t k)
{
	const struct report_kernel *x = &g->p->report->kernels[k];

	if (kind == ISSUE_ERROR)
		add_hazards(g, x->r, kind, &x->errors);
	else if (kind == ISSUE_STALE && g->p->applied)
		add_stale(g, x->r, &g->p->applied[k]);
	else if (kind == ISSUE_FAILED)
		for (int s = 0; s < N_RESULT_STATUSES; s++)
			add_failed(g, x->r, (enum result_status)s);
	else if (kind == ISSUE_REFUSED)
		add_hazards(g, x->r, kind, &x->refused);
	else if (kind == ISSUE_CAVEAT)
		add_hazards(g, x->r, kind, &x->caveats);
}

struct issues
issues_of(struct arena *a, const struct publication *p)
{
	struct gather g = {.a = a, .p = p};

	for (int kind = 0; kind < N_ISSUE_KINDS; kind++)
		for (size_t k = 0; k < p->report->n_kernels; k++)
			add_kind(&g, (enum issue_kind)kind, k);
	return g.out;
}
