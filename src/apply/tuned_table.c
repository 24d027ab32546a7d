/* The champions as data, and what the selector compares. */
#include "apply/tuned_parts.h"
#include "apply/tuned_text.h"
#include "base/arena.h"

static const struct json *
member(const struct json *v, struct str name)
{
	json_each(m, v)
	{
		if (str_eq(m->key, name))
			return m;
	}
	return NULL;
}

/* A member is real or text as soon as one entry has such a value. */
static const char *
type_of(const struct tuned *t, struct str name, bool param)
{
	bool real = false, text = false;
	int64_t whole;

	for (size_t i = 0; i < t->n; i++) {
		const struct wisdom_entry *e = &t->v[i];
		const struct json *v = member(param ? e->assignment : e->values, name);
		text |= v && v->kind == JSON_STRING;
		real |= v && v->kind == JSON_NUMBER &&
			(v->real || !json_is_i64(v, &whole));
	}
	return text ? "const char *" : real ? "double " : "long long ";
}

static struct str
fields(const struct tuned *t, const struct map *names, bool param)
{
	struct buf b = {.a = t->a};

	for (size_t i = 0; i < names->n; i++)
		buf_addf(&b, "\t%s%s_%.*s;\n", type_of(t, names->keys[i], param),
			param ? "param" : "size", STR_ARG(names->keys[i]));
	return buf_str(&b);
}

struct str
tuned_param_fields(const struct tuned *t)
{
	return fields(t, &t->params, true);
}

/* C has no empty struct. */
struct str
tuned_size_fields(const struct tuned *t)
{
	return t->values.n ? fields(t, &t->values, false)
			   : STR_LIT("\tint none; /* sizes of this kernel have no names "
				     "*/\n");
}

static void
add_dim(struct buf *b, struct dim d)
{
	buf_addf(b, "{%llu, %llu, %llu}, ", (unsigned long long)d.x,
		(unsigned long long)d.y, (unsigned long long)d.z);
}

/* A table's member has one type, so a number beside texts is a text, too. */
static void
add_typed(struct buf *b, const char *type, const struct json *v)
{
	struct buf number = {.a = b->a};

	if (*type != 'c' || (v && v->kind == JSON_STRING)) {
		tuned_add_value(b, v);
	} else {
		if (v)
			tuned_add_value(&number, v);
		tuned_add_literal(b, buf_str(&number));
	}
}

static void
add_entry(struct buf *b, const struct tuned *t, const struct wisdom_entry *e,
	const char *const *types)
{
	const struct launch *l = &e->launch;

	buf_adds(b, "\t{");
	tuned_add_literal(b, e->device);
	buf_addf(b, ", %d, ", e->cc);
	tuned_add_literal(b, e->size);
	buf_adds(b, ", {");
	for (size_t i = 0; i < t->values.n; i++) {
		buf_adds(b, i ? ", " : "");
		tuned_add_value(b, member(e->values, t->values.keys[i]));
	}
	buf_addf(b, "%s}, %d, \"%s\", ", t->values.n ? "" : "0",
		result_is_measured(e->kind), wisdom_claim_text(e));
	for (size_t i = 0; i < t->params.n; i++) {
		add_typed(b, types[i], member(e->assignment, t->params.keys[i]));
		buf_adds(b, ", ");
	}
	add_dim(b, l->block);
	add_dim(b, l->grid);
	add_dim(b, l->cluster);
	buf_addf(b, "%llu, %d, %d},\n", (unsigned long long)l->shared_bytes,
		l->cooperative, l->programmatic);
}

struct str
tuned_entries(const struct tuned *t)
{
	struct buf b = {.a = t->a};
	const char **types = arena_news(t->a, t->params.n, const char *);

	for (size_t i = 0; i < t->params.n; i++)
		types[i] = type_of(t, t->params.keys[i], true);
	for (size_t i = 0; i < t->n; i++)
		add_entry(&b, t, &t->v[i], types);
	return buf_str(&b);
}

/* Neither below nor above: compilers may warn of == between reals. */
struct str
tuned_same_size(const struct tuned *t)
{
	struct buf b = {.a = t->a};

	for (size_t i = 0; i < t->values.n; i++) {
		struct str n = t->values.keys[i];
		buf_addf(&b,
			"%s!(x->size_%.*s < y->size_%.*s) && !(x->size_%.*s > "
			"y->size_%.*s)",
			i ? " &&\n\t       " : "", STR_ARG(n), STR_ARG(n), STR_ARG(n),
			STR_ARG(n));
	}
	return b.n ? buf_str(&b) : STR_LIT("x->none == y->none");
}

struct str
tuned_apart(const struct tuned *t)
{
	struct buf b = {.a = t->a};

	for (size_t i = 0; i < t->values.n; i++) {
		struct str n = t->values.keys[i];
		buf_addf(&b, "%s%.*s_times((double)x->size_%.*s, (double)y->size_%.*s)",
			i ? " *\n\t       " : "", STR_ARG(t->name), STR_ARG(n),
			STR_ARG(n));
	}
	return b.n ? buf_str(&b) : STR_LIT("x->none == y->none ? 1.0 : 2.0");
}
