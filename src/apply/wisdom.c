/* Order, keys and writing; reading is in wisdom_read.c. */
#include "apply/wisdom.h"

#include "base/arena.h"
#include "model/record.h"

#include <math.h>
#include <stdlib.h>

struct str
wisdom_cc_text(struct arena *a, int cc)
{
	return str_fmt(a, "%d.%d", cc / 10, cc % 10);
}

const char *
wisdom_claim_text(const struct wisdom_entry *e)
{
	return result_is_measured(e->kind) ? rank_claim_name(e->claim)
					   : result_kind_name(e->kind);
}

/* --- writing --------------------------------------------------------------------- */

static void
put_dim(struct json_out *o, const char *key, struct dim d)
{
	json_open_array(o, key, true);
	json_put_i64(o, NULL, (int64_t)d.x);
	json_put_i64(o, NULL, (int64_t)d.y);
	json_put_i64(o, NULL, (int64_t)d.z);
	json_close_array(o);
}

static void
put_launch(struct json_out *o, const struct launch *l)
{
	json_open_object(o, "launch");
	put_dim(o, "block", l->block);
	put_dim(o, "grid", l->grid);
	put_dim(o, "cluster", l->cluster);
	json_put_i64(o, "shared_bytes", (int64_t)l->shared_bytes);
	json_put_bool(o, "cooperative", l->cooperative);
	json_put_bool(o, "programmatic", l->programmatic);
	json_close_object(o);
}

static void
put_origin(struct json_out *o, const struct wisdom_entry *e)
{
	json_open_object(o, "device");
	json_put_str(o, "name", e->device);
	json_put_str(o, "cc", wisdom_cc_text(o->b.a, e->cc));
	json_put_str(o, "uuid", e->uuid);
	json_put_str(o, "driver", e->driver);
	json_close_object(o);
	json_put_str(o, "spec", e->spec);
	record_copy(o, "sources", e->sources);
	json_put_str(o, "toolchain", e->toolchain);
	json_put_str(o, "assembler", e->assembler);
	json_put_str(o, "backend", e->backend);
}

static void
put_times(struct json_out *o, const struct wisdom_entry *e)
{
	json_put_c(o, "kind", result_kind_name(e->kind));
	json_put_c(o, "claim", rank_claim_name(e->claim));
	json_put_str(o, "claim_why", e->claim_why);
	json_put_f64(o, "median_ns", e->median_ns);
	json_put_f64(o, "low_ns", e->low_ns);
	json_put_f64(o, "high_ns", e->high_ns);
	json_put_bool(o, "verified", e->verified);
	json_put_str(o, "verified_by", e->verified_by);
	json_put_f64(o, "speedup", e->speedup);
	json_put_f64(o, "speedup_low", e->speedup_low);
	json_put_f64(o, "speedup_high", e->speedup_high);
	json_put_bool(o, "faster", e->faster);
}

static void
put_entry(struct json_out *o, const struct wisdom_entry *e, bool dated)
{
	json_open_object(o, NULL);
	json_put_str(o, "kernel", e->kernel);
	json_put_str(o, "size", e->size);
	record_copy(o, "values", e->values);
	put_origin(o, e);
	json_put_str(o, "candidate", e->candidate);
	json_put_str(o, "label", e->label);
	json_put_str(o, "id", e->id);
	record_copy(o, "assignment", e->assignment);
	put_launch(o, &e->launch);
	json_put_c(o, "verdict", verdict_name(e->verdict));
	put_times(o, e);
	if (dated)
		json_put_str(o, "date", e->date);
	json_close_object(o);
}

struct str
wisdom_entry_text(struct arena *a, const struct wisdom_entry *e, bool dated)
{
	struct json_out o = {.b = {.a = a}};

	put_entry(&o, e, dated);
	return json_done(&o);
}

struct str
wisdom_write(struct arena *a, const struct wisdom *w)
{
	struct json_out o = {.b = {.a = a}};

	json_open_object(&o, NULL);
	json_put_c(&o, "schema", "lanewise/wisdom.v1");
	json_open_array(&o, "entries", false);
	for (size_t i = 0; i < w->n; i++)
		put_entry(&o, &w->v[i], true);
	json_close_array(&o);
	json_close_object(&o);
	return json_done(&o);
}

/* --- order ----------------------------------------------------------------------- */

static int
by_name(const void *a, const void *b)
{
	const struct json *const *x = a, *const *y = b;

	return str_cmp((*x)->key, (*y)->key);
}

static const struct json **
sorted_members(struct arena *a, const struct json *v)
{
	const struct json **out = arena_news(a, v->n + 1, const struct json *);
	size_t n = 0;

	json_each(m, v) out[n++] = m;
	qsort(out, n, sizeof *out, by_name);
	return out;
}

/* What of the key is not compared as it is. */
static struct str
key_text(struct arena *a, const struct wisdom_entry *e)
{
	struct json_out o = {.b = {.a = a}, .compact = true};
	const struct json **values = sorted_members(a, e->values);
	const struct json **sources = sorted_members(a, e->sources);

	json_open_array(&o, NULL, true);
	for (; *values; values++) {
		json_put_str(&o, NULL, (*values)->key);
		record_copy(&o, NULL, *values);
	}
	json_put_str(&o, NULL, e->size);
	json_put_str(&o, NULL, e->spec);
	for (; *sources; sources++) {
		json_put_str(&o, NULL, (*sources)->key);
		json_put_str(&o, NULL, (*sources)->string);
	}
	json_close_array(&o);
	return json_done(&o);
}

void
wisdom_add(struct wisdom *w, const struct wisdom_entry *e)
{
	struct wisdom_entry *to;

	arena_grow(w->a, w->v, w->n, w->cap);
	to = &w->v[w->n++];
	*to = *e;
	to->key = key_text(w->a, e);
	to->sorted_values = sorted_members(w->a, e->values);
}

static int
compare_f64(double x, double y)
{
	return (x > y) - (x < y);
}

/* By names, then small problems first. */
static int
compare_values(const struct json *const *x, const struct json *const *y)
{
	const struct json *const *v = x, *const *w = y;
	int c = 0;

	for (; !c && *v && *w; v++, w++)
		c = str_cmp((*v)->key, (*w)->key);
	if (c || *v || *w)
		return c ? c : (*v != NULL) - (*w != NULL);
	for (; !c && *x; x++, y++)
		c = compare_f64((*x)->number, (*y)->number);
	return c;
}

static int
compare_places(const struct wisdom_entry *x, const struct wisdom_entry *y)
{
	int c = str_cmp(x->kernel, y->kernel);

	if (!c)
		c = (x->cc > y->cc) - (x->cc < y->cc);
	return c ? c : str_cmp(x->device, y->device);
}

static int
compare_keys(const struct wisdom_entry *x, const struct wisdom_entry *y)
{
	int c = compare_places(x, y);

	return c ? c : str_cmp(x->key, y->key);
}

/* NaN last. */
static double
time_of(const struct wisdom_entry *e)
{
	return isnan(e->median_ns) ? (double)INFINITY : e->median_ns;
}

/* Below 0: x is the better of two of one key. */
static int
compare_worth(const struct wisdom_entry *x, const struct wisdom_entry *y)
{
	int c = result_is_measured(y->kind) - result_is_measured(x->kind);

	if (!c)
		c = (int)y->claim - (int)x->claim;
	if (!c)
		c = str_cmp(y->date, x->date);
	return c ? c : compare_f64(time_of(x), time_of(y));
}

static int
compare_texts(const struct wisdom_entry *x, const struct wisdom_entry *y)
{
	struct arena a = {0};
	int c = str_cmp(wisdom_entry_text(&a, x, true), wisdom_entry_text(&a, y, true));

	arena_release(&a);
	return c;
}

static int
by_key(const void *a, const void *b)
{
	const struct wisdom_entry *x = a, *y = b;
	int c = compare_keys(x, y);

	if (!c)
		c = compare_worth(x, y);
	return c ? c : compare_texts(x, y);
}

static int
by_size(const void *a, const void *b)
{
	const struct wisdom_entry *x = a, *y = b;
	int c = compare_places(x, y);

	if (!c)
		c = compare_values(x->sorted_values, y->sorted_values);
	return c ? c : str_cmp(x->key, y->key);
}

static void
say_conflict(
	struct buf *said, const struct wisdom_entry *kept, const struct wisdom_entry *e)
{
	if (!said || str_eq(wisdom_entry_text(said->a, kept, false),
			     wisdom_entry_text(said->a, e, false)))
		return;
	buf_addf(said,
		"  %.*s at %.*s on %.*s: %.*s (%s, %.*s) is kept, %.*s (%s, %.*s) is "
		"not\n",
		STR_ARG(kept->kernel), STR_ARG(kept->size), STR_ARG(kept->device),
		STR_ARG(kept->label), wisdom_claim_text(kept), STR_ARG(kept->date),
		STR_ARG(e->label), wisdom_claim_text(e), STR_ARG(e->date));
}

void
wisdom_sort(struct wisdom *w, struct buf *said)
{
	size_t n = 0;

	if (!w->n)
		return;
	qsort(w->v, w->n, sizeof *w->v, by_key);
	for (size_t i = 1; i < w->n; i++) {
		if (compare_keys(&w->v[n], &w->v[i]) == 0)
			say_conflict(said, &w->v[n], &w->v[i]);
		else
			w->v[++n] = w->v[i];
	}
	w->n = n + 1;
	qsort(w->v, w->n, sizeof *w->v, by_size);
}
