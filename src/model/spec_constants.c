#include "base/arena.h"
#include "model/spec_reader.h"

/* The bits of one value; false after a diag_error. */
static bool
encode(struct spec_reader *r, const struct json *v, enum dtype type, uint64_t *bits)
{
	struct value x;
	if (!spec_value(r, v, &x))
		return false;
	bool fits = x.kind == VALUE_INT    ? dtype_encode_i64(type, x.i, bits)
		    : x.kind == VALUE_REAL ? dtype_encode(type, x.f, bits)
					   : false;
	if (!fits)
		diag_error(r->d, json_place(v), "%.*s is no %s",
			STR_ARG(value_text(r->a, x)), dtype_name(type));
	return fits;
}

/* Once the type is known. */
static void
finish(struct spec_reader *r, const struct json *v, struct constant *c)
{
	if (v->n == 0 || v->n > SPEC_VALUES_MAX) {
		diag_error(r->d, json_place(v), "a constant has 1 to %d values, not %zu",
			SPEC_VALUES_MAX, v->n);
		return;
	}
	uint64_t *bits = arena_news(r->a, v->n, uint64_t), n = 0;
	json_each(m, v)
	{
		if (!encode(r, m, c->type, &bits[n++]))
			return;
	}
	c->bits = bits;
	c->count = n;
}

/* The graph has them all in one word, and Linux takes words of 128 KiB. */
static void
check_length(struct spec_reader *r, const struct json *v, const struct kernel *k)
{
	enum { MOST = 100000 };
	if (constants_text(r->a, k->constants, k->n_constants).n > MOST)
		diag_error(r->d, json_key_place(v),
			"the constants are longer than a command line: read large tables "
			"from an argument");
}

void
read_constants(struct spec_reader *r, const struct json *v, void *to)
{
	struct kernel *k = to;
	if (!spec_count_ok(r, v, SPEC_LIST_MAX, "constants"))
		return;
	k->constants = arena_news(r->a, v->n, struct constant);
	json_each(m, v)
	{
		struct constant *c = &k->constants[k->n_constants];
		if (!spec_key_identifier(r, m, "constant"))
			continue;
		c->name = m->key;
		spec_read_object(r, WHERE_CONSTANT, m, c);
		const struct json *values =
			m->kind == JSON_OBJECT ? json_get(m, "values") : NULL;
		if (values && values->kind == JSON_ARRAY)
			finish(r, values, c);
		k->n_constants++;
	}
	check_length(r, v, k);
}

void
read_constant_type(struct spec_reader *r, const struct json *v, void *to)
{
	struct constant *c = to;
	struct arg_spec g = {0};
	read_arg_type(r, v, &g);
	c->type = g.type;
	if (g.pointer)
		diag_error(r->d, json_place(v),
			"the type of a constant is that of its elements, without '*'");
}

/* finish() reads them. */
void
read_constant_values(struct spec_reader *r, const struct json *v, void *to)
{
	(void)r, (void)v, (void)to;
}
