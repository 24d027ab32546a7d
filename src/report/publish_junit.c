#include "base/arena.h"
#include "report/escape.h"
#include "report/publish.h"

struct tally {
	size_t tests, failures, errors, skipped;
};

/* What a case says besides its name. */
struct outcome {
	const char *element; /* "failure", "error", "skipped"; NULL: it passed */
	const char *type;
	struct str text;
};

static void
attribute(struct buf *b, const char *name, struct str value)
{
	buf_addf(b, " %s=\"", name);
	xml_attribute(b, value);
	buf_addc(b, '"');
}

static void
put_case(struct buf *b, struct tally *t, struct str klass, struct str name,
	const struct outcome *o)
{
	t->tests++;
	buf_adds(b, "    <testcase");
	attribute(b, "classname", klass);
	attribute(b, "name", name);
	if (!o->element && !o->text.n) {
		buf_adds(b, "/>\n");
		return;
	}
	buf_adds(b, ">\n");
	if (!o->element) {
		buf_adds(b, "      <system-out>");
		xml_text(b, o->text);
		buf_adds(b, "</system-out>\n    </testcase>\n");
		return;
	}
	t->failures += o->element[0] == 'f';
	t->errors += o->element[0] == 'e';
	t->skipped += o->element[0] == 's';
	buf_addf(b, "      <%s", o->element);
	if (o->element[0] != 's')
		attribute(b, "type", str_of(o->type));
	attribute(b, "message", o->text);
	buf_adds(b, "/>\n    </testcase>\n");
}

/* In the words of the hazard, which knows the source; they are those of one candidate. */
static struct str
hazard_words(struct arena *a, const struct hazards *h, const struct rank_entry *e)
{
	for (size_t i = 0; i < h->n; i++) {
		const struct hazard *z = &h->v[i];

		if (map_find(&z->labels, e->label) == MAP_NONE)
			continue;
		struct buf b = {.a = a};
		buf_addstr(&b, z->example->rule);
		if (z->at.line)
			buf_addf(&b, " at %.*s:%u", STR_ARG(z->at.file),
				(unsigned)z->at.line);
		buf_adds(&b, ": ");
		if (!str_eq(z->example_label, e->label))
			buf_addf(&b, "as with %.*s: ", STR_ARG(z->example_label));
		buf_addstr(&b, z->example->message);
		return buf_str(&b);
	}
	return e->reason;
}

static struct str
words_of(struct arena *a, const struct report_kernel *k, enum issue_kind kind,
	const struct rank_entry *e)
{
	if (kind == ISSUE_FAILED)
		return e->reason;
	return hazard_words(a,
		kind == ISSUE_REFUSED  ? &k->refused
		: kind == ISSUE_CAVEAT ? &k->caveats
				       : &k->errors,
		e);
}

static struct outcome
outcome_of(struct arena *a, const struct publication *p, const struct report_kernel *k,
	const struct rank_entry *e)
{
	enum issue_kind kind = issue_of_entry(e);
	struct outcome o = {0};

	if (kind == N_ISSUE_KINDS)
		return o;
	bool fails = p->fails >> kind & 1;
	o.type = kind == ISSUE_FAILED ? result_status_name(e->status)
				      : issue_kind_name(kind);
	o.text = str_fmt(a, "%s: %.*s", o.type, STR_ARG(words_of(a, k, kind, e)));
	if (fails)
		o.element = kind == ISSUE_ERROR ? "error" : "failure";
	else if (kind != ISSUE_CAVEAT || e->status == RESULT_REFUSED)
		o.element = "skipped";
	return o;
}

static void
put_suite(struct buf *b, struct tally *all, struct str name, const struct tally *t,
	struct str cases)
{
	buf_adds(b, "  <testsuite");
	attribute(b, "name", name);
	buf_addf(b,
		" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\">\n%.*s"
		"  </testsuite>\n",
		t->tests, t->failures, t->errors, t->skipped, STR_ARG(cases));
	all->tests += t->tests;
	all->failures += t->failures;
	all->errors += t->errors;
	all->skipped += t->skipped;
}

static void
put_size(struct buf *b, struct tally *all, const struct publication *p,
	const struct report_kernel *k, const struct rank_size *s)
{
	struct arena *a = b->a;
	struct buf cases = {.a = a};
	struct tally t = {0};
	const struct ranking *r = k->r;
	struct str klass = str_fmt(a, "%.*s.%.*s", STR_ARG(r->kernel), STR_ARG(s->name));
	struct outcome none = {0};

	for (size_t i = 0; i < rank_size_n(s); i++) {
		struct outcome o = outcome_of(a, p, k, &s->v[i]);

		put_case(&cases, &t, klass, s->v[i].label, &o);
	}
	if (!rank_champion(s))
		none = (struct outcome){"failure", "no-champion",
			STR_LIT("no candidate is both admitted and working")};
	put_case(&cases, &t, klass, STR_LIT("some candidate is admissible"), &none);
	put_suite(b, all,
		str_fmt(a, "%.*s at %.*s", STR_ARG(r->kernel), STR_ARG(s->name)), &t,
		buf_str(&cases));
}

static void
put_applied(struct buf *b, struct tally *all, const struct publication *p,
	const struct ranking *r, const struct applied *x)
{
	struct buf cases = {.a = b->a};
	struct tally t = {0};
	struct outcome o = {.text = x->text};

	if (x->state == APPLIED_NONE)
		o = (struct outcome){
			"skipped", "none", STR_LIT("nothing was applied yet")};
	else if (x->state == APPLIED_STALE)
		o = (struct outcome){p->fails >> ISSUE_STALE & 1 ? "failure" : "skipped",
			"stale", str_fmt(b->a, "stale:\n%.*s", STR_ARG(x->text))};
	put_case(&cases, &t, r->kernel, STR_LIT("the applied choice is current"), &o);
	put_suite(b, all, str_fmt(b->a, "%.*s: applied", STR_ARG(r->kernel)), &t,
		buf_str(&cases));
}

struct str
publish_junit(struct arena *a, const struct publication *p)
{
	struct buf suites = {.a = a}, b = {.a = a};
	struct tally all = {0};

	for (size_t k = 0; k < p->report->n_kernels; k++) {
		const struct report_kernel *x = &p->report->kernels[k];

		for (size_t z = 0; z < x->r->n_sizes; z++)
			put_size(&suites, &all, p, x, &x->r->sizes[z]);
		if (p->applied && p->applied[k].state != APPLIED_UNCHECKED)
			put_applied(&suites, &all, p, x->r, &p->applied[k]);
	}
	buf_addf(&b,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<testsuites name=\"lanewise\" tests=\"%zu\" failures=\"%zu\" "
		"errors=\"%zu\" skipped=\"%zu\">\n",
		all.tests, all.failures, all.errors, all.skipped);
	buf_addstr(&b, buf_str(&suites));
	buf_adds(&b, "</testsuites>\n");
	return buf_str(&b);
}
