#include "model/candidate_text.h"

#include "base/arena.h"
#include "base/hash.h"

/* One "name=value" for each parameter stands in the text, in its order. */
struct line {
	unsigned param;
	struct str *texts; /* per value */
	size_t from;       /* offset in the text */
	uint16_t value;    /* that is written there */
};

struct candidate_text {
	const struct kernel *k;
	struct line *lines;
	unsigned *line_of; /* per parameter */
	char *text;
	size_t n;
	bool started;
};

/* In the order of parameters, or of their names. */
static void
order_lines(struct candidate_text *t, enum candidate_form form)
{
	const struct param *params = t->k->params;
	for (unsigned i = 0; i < t->k->n_params; i++) {
		unsigned j = i;
		for (; form == CANDIDATE_ID && j; j--) {
			if (str_cmp(params[t->lines[j - 1].param].name, params[i].name) <=
				0)
				break;
			t->lines[j] = t->lines[j - 1];
		}
		t->lines[j] = (struct line){.param = i};
	}
	for (unsigned i = 0; i < t->k->n_params; i++)
		t->line_of[t->lines[i].param] = i;
}

/* Returns the length of the longest. */
static size_t
write_values(struct arena *a, const struct kernel *k, struct line *l, bool id)
{
	const struct param *p = &k->params[l->param];
	size_t longest = 0;
	l->texts = arena_news(a, p->n_values, struct str);
	for (size_t v = 0; v < p->n_values; v++) {
		struct str text = value_text(a, p->values[v]);
		l->texts[v] = str_fmt(a, "%s%.*s=%.*s%s", id ? "" : ",", STR_ARG(p->name),
			STR_ARG(text), id ? "\n" : "");
		if (l->texts[v].n > longest)
			longest = l->texts[v].n;
	}
	return longest;
}

struct candidate_text *
candidate_text_new(struct arena *a, const struct kernel *k, enum candidate_form form)
{
	struct candidate_text *t = arena_new(a, struct candidate_text);
	size_t longest = 0;
	t->k = k;
	t->lines = arena_news(a, k->n_params, struct line);
	t->line_of = arena_news(a, k->n_params, unsigned);
	order_lines(t, form);
	for (unsigned i = 0; i < k->n_params; i++)
		longest += write_values(a, k, &t->lines[i], form == CANDIDATE_ID);
	t->text = arena_alloc(a, longest + 1);
	return t;
}

/* Everything from a line on. */
static void
rewrite(struct candidate_text *t, unsigned line)
{
	size_t n = line ? t->lines[line].from : 0;
	for (unsigned i = line; i < t->k->n_params; i++) {
		struct line *l = &t->lines[i];
		struct str s = l->texts[l->value];
		l->from = n;
		memcpy(t->text + n, s.s, s.n);
		n += s.n;
	}
	t->n = n;
}

static void
write_choice(struct candidate_text *t, const uint16_t *choice, unsigned changed)
{
	unsigned n = (unsigned)t->k->n_params, first = t->started ? n : 0;
	for (unsigned p = t->started ? changed : 0; p < n; p++) {
		unsigned i = t->line_of[p];
		struct line *l = &t->lines[i];
		struct str old = l->texts[l->value], new = l->texts[choice[p]];
		if (l->value == choice[p])
			continue;
		l->value = choice[p];
		if (new.n == old.n)
			memcpy(t->text + l->from, new.s, new.n);
		else if (i < first)
			first = i;
	}
	if (first < n)
		rewrite(t, first);
	t->started = true;
}

struct str
candidate_text_label(struct candidate_text *t, const uint16_t *choice, unsigned changed)
{
	write_choice(t, choice, changed);
	return t->n ? (struct str){t->text + 1, t->n - 1} : STR_LIT("default");
}

uint64_t
candidate_text_id(struct candidate_text *t, const uint16_t *choice, unsigned changed)
{
	write_choice(t, choice, changed);
	return hash_bytes((struct str){t->text, t->n}).hi;
}
