/*
 * What a build can use before anything runs: macros of the champions of one device, which
 * the build names, and the choice of that device.
 */
#include "apply/tuned_parts.h"
#include "apply/tuned_text.h"
#include "base/arena.h"

/* Macros in the order they are defined; a value of a name that is taken is dropped. */
struct macros {
	struct map names;
	struct str *v; /* by name; {NULL, 0}: not a macro, only taken */
	size_t cap;
};

static void
define(struct macros *m, struct str name, struct str value)
{
	size_t n = m->names.n;
	bool added;
	size_t at = map_put(&m->names, name, &added);

	if (!added)
		return;
	arena_grow(m->names.a, m->v, n, m->cap);
	m->v[at] = value;
}

static struct str
macro_name(const struct tuned *t, struct str prefix, struct str name)
{
	return str_fmt(t->a, "%.*s_%.*s", STR_ARG(prefix), STR_ARG(name));
}

/* Names that the header itself has. */
static void
reserve(const struct tuned *t, struct macros *m)
{
	static const char *const own[] = {
		"TARGET", "TARGET_MATCH", "CHOICES", "TUNED_H", "STRICT"};

	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		define(m, macro_name(t, t->upper, str_of(own[i])), (struct str){0});
	for (size_t i = 0; i < t->n_devices; i++)
		define(m, t->devices[i].macro, (struct str){0});
}

/* Two sizes may differ in characters only that a macro cannot have: later ones get a
 * number.  The same size has the same prefix on all devices. */
static struct str
size_prefix(const struct tuned *t, struct map *sizes, struct map *taken, struct str size,
	struct str **prefixes)
{
	bool added;
	size_t at = map_put(sizes, size, &added);
	struct str base, name;

	if (!added)
		return (*prefixes)[at];
	name = base = macro_name(t, t->upper, tuned_suffix(t->a, size, true));
	for (size_t n = 2; map_put(taken, name, &added), !added; n++)
		name = str_fmt(t->a, "%.*s_%zu", STR_ARG(base), n);
	(*prefixes)[at] = name;
	return name;
}

static struct str
value_text(const struct tuned *t, const struct json *v)
{
	struct buf b = {.a = t->a};

	tuned_add_value(&b, v);
	return buf_str(&b);
}

static void
define_dim(const struct tuned *t, struct macros *m, struct str prefix, const char *name,
	struct dim d)
{
	define(m, macro_name(t, prefix, str_of(name)),
		str_fmt(t->a, "%llu, %llu, %llu", (unsigned long long)d.x,
			(unsigned long long)d.y, (unsigned long long)d.z));
}

static void
define_entry(const struct tuned *t, struct macros *m, const struct wisdom_entry *e,
	struct str prefix)
{
	json_each(p, e->assignment)
	{
		define(m, macro_name(t, prefix, p->key), value_text(t, p));
	}
	define_dim(t, m, prefix, "LAUNCH_BLOCK", e->launch.block);
	define_dim(t, m, prefix, "LAUNCH_GRID", e->launch.grid);
	define_dim(t, m, prefix, "LAUNCH_CLUSTER", e->launch.cluster);
	define(m, macro_name(t, prefix, STR_LIT("LAUNCH_SHARED")),
		str_fmt(t->a, "%llu", (unsigned long long)e->launch.shared_bytes));
}

/* What is the same at every size of a device. */
static void
define_common(const struct tuned *t, struct macros *m, const struct tuned_device *d)
{
	json_each(p, t->v[d->from].assignment)
	{
		struct str value = value_text(t, p);
		bool same = true;
		for (size_t i = d->from + 1; i < d->to && same; i++) {
			const struct json *other =
				json_get(t->v[i].assignment, str_c(t->a, p->key));
			same = other && str_eq(value_text(t, other), value);
		}
		if (same)
			define(m, macro_name(t, t->upper, p->key), value);
	}
}

static void
add_macros(struct buf *b, const struct macros *m)
{
	for (size_t i = 0; i < m->names.n; i++)
		if (m->v[i].s)
			buf_addf(b, "#define %.*s %.*s\n", STR_ARG(m->names.keys[i]),
				STR_ARG(m->v[i]));
}

/* Of the first, what all have alike. */
static struct macros
agreed(const struct tuned *t, const struct macros *v)
{
	struct macros out = {.names.a = t->a};

	for (size_t i = 0; i < v[0].names.n; i++) {
		struct str name = v[0].names.keys[i];
		bool same = v[0].v[i].s != NULL;
		for (size_t d = 1; d < t->n_devices && same; d++) {
			long at = map_find(&v[d].names, name);
			same = at >= 0 && str_eq(v[d].v[at], v[0].v[i]);
		}
		if (same)
			define(&out, name, v[0].v[i]);
	}
	return out;
}

struct str
tuned_macros(const struct tuned *t)
{
	struct buf b = {.a = t->a};
	struct map sizes = {.a = t->a}, taken = {.a = t->a};
	struct str *prefixes = arena_news(t->a, t->n, struct str);
	struct macros *v = arena_news(t->a, t->n_devices, struct macros), none;

	for (size_t i = 0; i < t->n_devices; i++) {
		const struct tuned_device *d = &t->devices[i];
		v[i].names.a = t->a;
		reserve(t, &v[i]);
		for (size_t e = d->from; e < d->to; e++)
			define_entry(t, &v[i], &t->v[e],
				size_prefix(t, &sizes, &taken, t->v[e].size, &prefixes));
		define_common(t, &v[i], d);
		buf_addf(&b, "%s %.*s_TARGET == %zu /* ", i ? "#elif" : "#if",
			STR_ARG(t->upper), i + 1);
		tuned_add_comment(&b, d->name);
		buf_adds(&b, " */\n");
		add_macros(&b, &v[i]);
	}
	if (t->n_devices > 1) {
		buf_adds(&b, "#else /* no device: what is the same on all of them */\n");
		none = agreed(t, v);
		add_macros(&b, &none);
	}
	buf_adds(&b, "#endif\n");
	return buf_str(&b);
}

/* --- which device ----------------------------------------------------------------- */

static void
add_match(struct buf *b, const struct tuned *t, bool other_cc, bool measured)
{
	buf_addf(b, "#define %.*s_TARGET_MATCH ", STR_ARG(t->upper));
	if (other_cc)
		buf_adds(b, measured ? "LANEWISE_OTHER_CC\n"
				     : "(LANEWISE_OTHER_CC + LANEWISE_NOT_MEASURED)\n");
	else
		buf_adds(b, measured ? "0\n" : "LANEWISE_NOT_MEASURED\n");
}

/* For a capability that the first entry of it (measured ones before others) has, and for
 * what lies above it up to the next. */
static void
add_of_cc(struct buf *b, const struct tuned *t, int cc)
{
	size_t at = t->n_devices;

	for (size_t i = 0; i < t->n_devices; i++)
		if (t->devices[i].cc == cc &&
			(at == t->n_devices ||
				(t->devices[i].measured && !t->devices[at].measured)))
			at = i;
	buf_addf(b, "#define %.*s_TARGET %zu\n#if LANEWISE_CC == %d\n", STR_ARG(t->upper),
		at + 1, cc);
	add_match(b, t, false, t->devices[at].measured);
	buf_adds(b, "#else\n");
	add_match(b, t, true, t->devices[at].measured);
	buf_adds(b, "#endif\n");
}

/* The devices are in order of their capability. */
static void
add_by_cc(struct buf *b, const struct tuned *t)
{
	buf_adds(b, "#elif defined LANEWISE_CC\n");
	for (size_t i = t->n_devices, first = 1; i-- > 0;) {
		int cc = t->devices[i].cc;
		if (i && t->devices[i - 1].cc == cc)
			continue;
		if (i)
			buf_addf(
				b, "%s LANEWISE_CC >= %d\n", first ? "#if" : "#elif", cc);
		else if (!first)
			buf_adds(b, "#else\n");
		add_of_cc(b, t, cc);
		if (!i && !first)
			buf_adds(b, "#endif\n");
		first = 0;
	}
}

static void
add_named(struct buf *b, const struct tuned *t)
{
	buf_addf(b, "#ifdef %.*s_TARGET\n", STR_ARG(t->upper));
	for (size_t i = 0; i < t->n_devices; i++) {
		buf_addf(b, "%s %.*s_TARGET == %zu\n", i ? "#elif" : "#if",
			STR_ARG(t->upper), i + 1);
		add_match(b, t, false, t->devices[i].measured);
	}
	buf_addf(b, "#else\n#error \"%.*s_TARGET is no device of this file\"\n#endif\n",
		STR_ARG(t->upper));
}

struct str
tuned_target(const struct tuned *t)
{
	struct buf b = {.a = t->a};
	bool measured = true;

	for (size_t i = 0; i < t->n_devices; i++) {
		measured = measured && t->devices[i].measured;
		buf_addf(&b, "#define %.*s %zu /* ", STR_ARG(t->devices[i].macro), i + 1);
		tuned_add_comment(&b, t->devices[i].name);
		if (t->devices[i].cc)
			buf_addf(&b, ", compute capability %.*s",
				STR_ARG(wisdom_cc_text(t->a, t->devices[i].cc)));
		buf_adds(&b, " */\n");
	}
	add_named(&b, t);
	add_by_cc(&b, t);
	buf_addf(&b, "#else\n#define %.*s_TARGET %d\n", STR_ARG(t->upper),
		t->n_devices == 1);
	add_match(&b, t, false, measured);
	buf_adds(&b, "#endif\n");
	return buf_str(&b);
}
