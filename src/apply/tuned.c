/* The header: templates/tuned.h with macros and a table for every size. */
#include "apply/apply.h"
#include "base/arena.h"
#include "base/asset.h"
#include "base/die.h"
#include "base/fs.h"
#include "base/map.h"
#include "format/template.h"
#include "model/launch.h"

#include <ctype.h>
#include <math.h>

/* Characters that an identifier cannot have become '_'. */
static struct str
identifier(struct arena *a, struct str s, bool upper)
{
	struct buf b = {.a = a};

	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.s[i];
		bool plain = c < 128 && isalnum(c);
		if (!plain)
			buf_addc(&b, '_');
		else
			buf_addc(&b, (char)(upper ? toupper(c) : c));
	}
	if (b.n && isdigit((unsigned char)b.s[0]))
		return str_fmt(a, "_%.*s", (int)b.n, b.s);
	return buf_str(&b);
}

/* Two sizes may differ in such characters only: later ones get a number. */
static struct str
size_prefix(struct arena *a, struct map *seen, struct str kernel, struct str size)
{
	struct str upper = identifier(a, kernel, true), name;
	bool added;

	/* A digit is fine here, after the kernel's name. */
	name = identifier(a, str_fmt(a, "x%.*s", STR_ARG(size)), true);
	name = str_sub(name, 1, name.n);
	name = str_fmt(a, "%.*s_%.*s", STR_ARG(upper), STR_ARG(name));
	for (size_t n = 2; map_put(seen, name, &added), !added; n++)
		name = str_fmt(a, "%.*s_%zu", STR_ARG(name), n);
	return name;
}

static void
add_literal(struct buf *b, struct str s)
{
	buf_addc(b, '"');
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.s[i];
		if (c == '"' || c == '\\')
			buf_addf(b, "\\%c", c);
		else if (c < 0x20 || c >= 0x7f || c == '?')
			buf_addf(b, "\\%03o", c);
		else
			buf_addc(b, (char)c);
	}
	buf_addc(b, '"');
}

static void
add_value(struct buf *b, const struct json *v)
{
	int64_t whole;

	if (v->kind == JSON_STRING)
		add_literal(b, v->string);
	else if (v->kind == JSON_BOOL)
		buf_addc(b, v->boolean ? '1' : '0');
	else if (json_is_i64(v, &whole))
		buf_addf(b, "%lld", (long long)whole);
	else
		buf_addf(b, "%.17g", v->number);
}

/* Text inside a comment must neither end it nor start another. */
static void
add_comment(struct buf *b, struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.s[i];
		if (c < 0x20 || c == 0x7f)
			buf_addc(b, ' ');
		else
			buf_addc(b, s.s[i]);
		if (i + 1 < s.n && ((c == '*' && s.s[i + 1] == '/') ||
					   (c == '/' && s.s[i + 1] == '*')))
			buf_addc(b, ' ');
	}
}

static void
comment_line(struct buf *b, struct str s)
{
	buf_adds(b, " * ");
	add_comment(b, s);
	buf_addc(b, '\n');
}

/* --- what it was chosen with ----------------------------------------------------- */

static struct str
choice_text(struct arena *a, const struct rank_size *s)
{
	const struct rank_entry *c = rank_champion(s);
	bool estimated = c->kind == RESULT_ESTIMATED;
	bool simulated = c->kind == RESULT_SIMULATED;
	struct buf b = {.a = a};

	buf_addf(&b, "%.*s: %.*s, %s%.0f ns", STR_ARG(s->name), STR_ARG(c->label),
		estimated   ? "ESTIMATED at "
		: simulated ? "SIMULATED at "
			    : "measured ",
		c->median_ns);
	if (isfinite(c->low_ns) && isfinite(c->high_ns))
		buf_addf(&b, " [%.0f, %.0f]", c->low_ns, c->high_ns);
	if (!estimated)
		buf_addf(&b, ", outputs %s%.*s",
			c->verified ? "verified by " : "NOT VERIFIED: ",
			STR_ARG(c->verified_by));
	if (c->verdict == VERDICT_CAVEAT)
		buf_adds(&b, ", admitted with a caveat");
	if (s->faster && isfinite(s->speedup))
		buf_addf(&b, ", %.3f x as fast as the baseline", s->speedup);
	buf_addf(&b, ", claim: %s", rank_claim_name(s->claim));
	return buf_str(&b);
}

static struct str
pins_text(struct arena *a, const struct ranking *r)
{
	const struct json *sources = json_get(r->pins, "sources");
	struct buf b = {.a = a};

	comment_line(&b, str_fmt(a, "device %.*s%s%.*s%s%.*s", STR_ARG(r->device),
				 r->device_uuid.n ? " " : "", STR_ARG(r->device_uuid),
				 r->driver.n ? ", driver " : "", STR_ARG(r->driver)));
	comment_line(&b, str_fmt(a, "toolchain %.*s, assembler %.*s, spec %.*s",
				 STR_ARG(json_get_str(r->pins, "toolchain")),
				 STR_ARG(json_get_str(r->pins, "assembler")),
				 STR_ARG(json_get_str(r->pins, "spec"))));
	if (sources && sources->kind == JSON_OBJECT)
		json_each(s, sources)
		{
			comment_line(&b, str_fmt(a, "source %.*s %.*s", STR_ARG(s->key),
						 STR_ARG(s->string)));
		}
	for (size_t i = 0; i < r->n_sizes; i++)
		if (r->sizes[i].n_ranked)
			comment_line(&b, choice_text(a, &r->sizes[i]));
	return buf_str(&b);
}

/* --- macros ---------------------------------------------------------------------- */

static void
add_dim(struct buf *b, struct dim d)
{
	buf_addf(b, "%llu, %llu, %llu", (unsigned long long)d.x, (unsigned long long)d.y,
		(unsigned long long)d.z);
}

static void
size_macros(struct buf *b, const struct rank_size *s, struct str prefix)
{
	const struct rank_entry *c = rank_champion(s);
	struct launch l = {0};

	buf_adds(b, "/* size ");
	add_comment(b, s->name);
	buf_adds(b, "; for dim3: dim3 grid(");
	buf_addf(b, "%.*s_LAUNCH_GRID) */\n", STR_ARG(prefix));
	json_each(p, c->assignment)
	{
		struct str name = identifier(b->a, p->key, false);
		buf_addf(b, "#define %.*s_%.*s ", STR_ARG(prefix), STR_ARG(name));
		add_value(b, p);
		buf_addc(b, '\n');
	}
	if (!launch_parse(c->launch, &l))
		BUG("a ranking holds the launch shape '%.*s'", STR_ARG(c->launch));
	buf_addf(b, "#define %.*s_LAUNCH_BLOCK ", STR_ARG(prefix));
	add_dim(b, l.block);
	buf_addf(b, "\n#define %.*s_LAUNCH_GRID ", STR_ARG(prefix));
	add_dim(b, l.grid);
	buf_addf(b, "\n#define %.*s_LAUNCH_CLUSTER ", STR_ARG(prefix));
	add_dim(b, l.cluster);
	buf_addf(b, "\n#define %.*s_LAUNCH_SHARED %llu\n\n", STR_ARG(prefix),
		(unsigned long long)l.shared_bytes);
}

static bool
value_same(const struct json *x, const struct json *y)
{
	return x && y && x->kind == y->kind && x->number == y->number &&
	       x->boolean == y->boolean && str_eq(x->string, y->string);
}

static bool
agreed(const struct ranking *r, const struct json *value, const char *key)
{
	for (size_t i = 0; i < r->n_sizes; i++) {
		const struct rank_entry *c = rank_champion(&r->sizes[i]);
		if (c && !value_same(value, json_get(c->assignment, key)))
			return false;
	}
	return true;
}

static const struct rank_entry *
first_champion(const struct ranking *r)
{
	for (size_t i = 0; i < r->n_sizes; i++)
		if (rank_champion(&r->sizes[i]))
			return rank_champion(&r->sizes[i]);
	BUG("a ranking without a champion is not ready to apply");
}

static void
common_macros(struct buf *b, const struct ranking *r, struct str upper)
{
	buf_adds(b, "/* what is the same at every size */\n");
	json_each(p, first_champion(r)->assignment)
	{
		struct str name = identifier(b->a, p->key, false);
		if (agreed(r, p, str_c(b->a, p->key))) {
			buf_addf(b, "#define %.*s_%.*s ", STR_ARG(upper), STR_ARG(name));
			add_value(b, p);
			buf_addc(b, '\n');
		} else {
			buf_addf(b, "/* %.*s_%.*s differs by size */\n", STR_ARG(upper),
				STR_ARG(name));
		}
	}
}

static struct str
macros_text(struct arena *a, const struct ranking *r)
{
	struct buf b = {.a = a};
	struct map seen = {.a = a};

	for (size_t i = 0; i < r->n_sizes; i++)
		if (r->sizes[i].n_ranked)
			size_macros(&b, &r->sizes[i],
				size_prefix(a, &seen, r->kernel, r->sizes[i].name));
	common_macros(&b, r, identifier(a, r->kernel, true));
	return buf_str(&b);
}

/* --- the table ------------------------------------------------------------------- */

/* A parameter is real or text as soon as one size has such a value. */
static const char *
type_of(const struct ranking *r, const char *key)
{
	bool real = false, text = false;
	int64_t whole;

	for (size_t i = 0; i < r->n_sizes; i++) {
		const struct rank_entry *c = rank_champion(&r->sizes[i]);
		const struct json *v = c ? json_get(c->assignment, key) : NULL;
		text |= v && v->kind == JSON_STRING;
		real |= v && v->kind == JSON_NUMBER && !json_is_i64(v, &whole);
	}
	return text ? "const char *" : real ? "double " : "long long ";
}

static struct str
fields_text(struct arena *a, const struct ranking *r)
{
	struct buf b = {.a = a};

	json_each(p, first_champion(r)->assignment)
	{
		buf_addf(&b, "\t%sparam_%.*s;\n", type_of(r, str_c(a, p->key)),
			STR_ARG(identifier(a, p->key, false)));
	}
	return buf_str(&b);
}

static void
entry_text(struct buf *b, const struct ranking *r, const struct rank_size *s)
{
	const struct rank_entry *c = rank_champion(s);
	struct launch l = {0};

	launch_parse(c->launch, &l);
	buf_adds(b, "\t{");
	add_literal(b, s->name);
	json_each(p, first_champion(r)->assignment)
	{
		const struct json *v = json_get(c->assignment, str_c(b->a, p->key));
		buf_adds(b, ", ");
		if (v)
			add_value(b, v);
		else
			buf_addc(b, '0');
	}
	buf_adds(b, ", {");
	add_dim(b, l.block);
	buf_adds(b, "}, {");
	add_dim(b, l.grid);
	buf_adds(b, "}, {");
	add_dim(b, l.cluster);
	buf_addf(b, "}, %llu, %d},\n", (unsigned long long)l.shared_bytes, l.cooperative);
}

static struct str
entries_text(struct arena *a, const struct ranking *r, size_t *count)
{
	struct buf b = {.a = a};

	*count = 0;
	for (size_t i = 0; i < r->n_sizes; i++)
		if (r->sizes[i].n_ranked) {
			entry_text(&b, r, &r->sizes[i]);
			++*count;
		}
	return buf_str(&b);
}

struct str
apply_header(struct arena *a, const struct ranking *r, const char *file)
{
	struct str upper = identifier(a, r->kernel, true), text;
	struct buf name = {.a = a}, kernel = {.a = a};
	size_t count;
	struct str entries = entries_text(a, r, &count);

	if (!asset_find("templates/tuned.h", &text))
		BUG("templates/tuned.h is not embedded");
	add_comment(&name, str_of(fs_basename(file)));
	add_comment(&kernel, r->kernel);
	struct template_var vars[] = {
		{"file", buf_str(&name)},
		{"kernel", buf_str(&kernel)},
		{"pins", pins_text(a, r)},
		{"guard", str_fmt(a, "%.*s_TUNED_H", STR_ARG(upper))},
		{"macros", macros_text(a, r)},
		{"name", identifier(a, r->kernel, false)},
		{"upper", upper},
		{"fields", fields_text(a, r)},
		{"count", str_fmt(a, "%zu", count)},
		{"entries", entries},
	};
	return template_fill(a, text, vars, sizeof vars / sizeof *vars);
}
