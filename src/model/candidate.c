#include "model/candidate.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/die.h"
#include "base/hash.h"

#include <ctype.h>

enum { ID_DIGITS = 16, PLAIN_MAX = 100 };

struct value
candidate_value(const struct kernel *k, const struct candidate *c, size_t param)
{
	return k->params[param].values[c->choice[param]];
}

static bool
is_plain(struct str s)
{
	if (!s.n || s.n > PLAIN_MAX || s.s[0] == '.' || s.s[0] == '-')
		return false;
	for (size_t i = 0; i < s.n; i++)
		if (!isalnum((unsigned char)s.s[i]) && !strchr("._=,+-", s.s[i]))
			return false;
	return true;
}

/* "NAME=VALUE" of every parameter, or of those the compiler sees. */
static struct str
label(struct arena *a, const struct kernel *k, const struct candidate *c, bool launch_too)
{
	struct buf b = {.a = a};
	for (size_t i = 0; i < k->n_params; i++) {
		if (k->params[i].role == ROLE_LAUNCH && !launch_too)
			continue;
		if (b.n)
			buf_addc(&b, ',');
		buf_addstr(&b, k->params[i].name);
		buf_addc(&b, '=');
		buf_addstr(&b, value_text(a, candidate_value(k, c, i)));
	}
	return b.n ? buf_str(&b) : STR_LIT("default");
}

static struct str
id(struct arena *a, const struct kernel *k, const struct candidate *c, bool launch_too)
{
	size_t order[SPEC_PARAMS_MAX], n = 0;
	struct buf b = {.a = a};
	for (size_t i = 0; i < k->n_params; i++) {
		if (k->params[i].role == ROLE_LAUNCH && !launch_too)
			continue;
		size_t j = n++;
		for (; j && str_cmp(k->params[i].name, k->params[order[j - 1]].name) < 0;
			j--)
			order[j] = order[j - 1];
		order[j] = i;
	}
	for (size_t j = 0; j < n; j++) {
		buf_addstr(&b, k->params[order[j]].name);
		buf_addc(&b, '=');
		buf_addstr(&b, value_text(a, candidate_value(k, c, order[j])));
		buf_addc(&b, '\n');
	}
	return str_of(hash_short(a, buf_str(&b), ID_DIGITS));
}

struct str
candidate_label(struct arena *a, const struct kernel *k, const struct candidate *c)
{
	return label(a, k, c, true);
}

struct str
candidate_id(struct arena *a, const struct kernel *k, const struct candidate *c)
{
	return id(a, k, c, true);
}

struct str
candidate_name(struct arena *a, const struct kernel *k, const struct candidate *c)
{
	struct str s = label(a, k, c, true);
	return is_plain(s) ? s : id(a, k, c, true);
}

struct str
specialization_name(struct arena *a, const struct kernel *k, const struct candidate *c)
{
	struct str s = label(a, k, c, false);
	return is_plain(s) ? s : id(a, k, c, false);
}

struct str
specialization_defines(struct arena *a, const struct kernel *k, const struct candidate *c)
{
	struct buf b = {.a = a};
	for (size_t i = 0; i < k->n_params; i++) {
		if (k->params[i].role != ROLE_COMPILE)
			continue;
		struct value v = candidate_value(k, c, i);
		/* "true" is 0 to a C preprocessor. */
		if (v.kind == VALUE_BOOL)
			v.kind = VALUE_INT;
		if (b.n)
			buf_addc(&b, ' ');
		buf_addstr(&b, k->params[i].name);
		buf_addc(&b, '=');
		buf_addstr(&b, value_text(a, v));
	}
	return buf_str(&b);
}

static struct str
fill_template(struct arena *a, const struct kernel *k, const struct candidate *c,
	struct str rest)
{
	struct buf b = {.a = a};
	for (;;) {
		size_t open = str_find(rest, '{'), close = str_find(rest, '}');
		buf_addstr(&b, str_sub(rest, 0, open));
		if (open == rest.n)
			return buf_str(&b);
		struct str name = str_sub(rest, open + 1, close);
		long i = kernel_param(k, name);
		if (i < 0)
			BUG("unchecked template '%.*s'", STR_ARG(rest));
		buf_addstr(&b, value_text(a, candidate_value(k, c, (size_t)i)));
		rest = str_sub(rest, close + 1, rest.n);
	}
}

struct str
specialization_flag(struct arena *a, const struct kernel *k, const struct candidate *c,
	struct str flag)
{
	return fill_template(a, k, c, flag);
}

struct str
specialization_source(struct arena *a, const struct kernel *k, const struct candidate *c)
{
	for (size_t i = 0; i < k->n_params; i++)
		if (k->params[i].role == ROLE_SOURCE)
			return fill_template(a, k, c, k->params[i].source.s);
	return k->source.s;
}

bool
scope_lookup(void *scope, struct str name, struct value *out)
{
	const struct scope *s = scope;
	long i = s->c ? kernel_param(s->k, name) : -1;
	if (i >= 0) {
		*out = candidate_value(s->k, s->c, (size_t)i);
		return true;
	}
	for (size_t j = 0; s->size && j < s->size->n; j++)
		if (str_eq(s->size->keys[j], name)) {
			*out = s->size->values[j];
			return true;
		}
	return s->dev && str_starts(name, "device.") && device_value(s->dev, name, out);
}
