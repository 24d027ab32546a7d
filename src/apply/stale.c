#include "apply/stale.h"

#include "apply/apply.h"
#include "base/arena.h"
#include "base/fs.h"
#include "base/hash.h"
#include "base/map.h"
#include "model/record.h"

struct check {
	struct arena *a;
	const struct stale_query *q;
	struct map said; /* entries of one run have the same differences */
	struct buf *to;
	size_t n; /* differences */
};

static const char *
shown(struct arena *a, struct str s)
{
	return s.n ? str_c(a, s) : "(none)";
}

/* True when the line is new. */
static bool
say(struct check *c, struct str line)
{
	bool added;

	map_put(&c->said, line, &added);
	if (added)
		buf_addstr(c->to, line);
	return added;
}

static void
differs(struct check *c, const char *what, struct str then, struct str now)
{
	if (!str_eq(then, now) &&
		say(c, str_fmt(c->a, "  %s: applied with %s, now %s\n", what,
			       shown(c->a, then), shown(c->a, now))))
		c->n++;
}

static void
note(struct check *c, const char *what, struct str then, struct str now)
{
	if (!str_eq(then, now))
		say(c, str_fmt(c->a, "  note: %s: applied with %s, now %s; not counted\n",
			       what, shown(c->a, then), shown(c->a, now)));
}

/* --- sources --------------------------------------------------------------------- */

/* What is on disk counts, even before the graph has seen it; a source that is not here is
 * as the graph recorded it. */
static struct str
source_now(struct arena *a, const char *root, const struct json *pins, struct str name)
{
	const char *path = str_c(a, name);
	struct str text, pinned = json_get_str(json_get(pins, "sources"), path);

	if (root)
		path = fs_join(a, root, path);
	if (fs_try_read(a, path, &text))
		return str_of(hash_short(a, text, pinned.n ? pinned.n : 16));
	return pinned;
}

static void
check_sources(struct check *c, const struct wisdom_entry *e)
{
	const struct json *now = json_get(c->q->pins, "sources");

	json_each(s, e->sources)
	{
		const char *name = str_c(c->a, s->key);
		const char *what = str_c(c->a, str_fmt(c->a, "source %s", name));
		if (json_get(now, name))
			differs(c, what, s->string,
				source_now(c->a, c->q->root, c->q->pins, s->key));
		else
			differs(c, what, s->string, STR_LIT("no longer used"));
	}
	if (now && now->kind == JSON_OBJECT)
		json_each(s, now)
		{
			const char *name = str_c(c->a, s->key);
			if (!json_get(e->sources, name))
				differs(c, str_c(c->a, str_fmt(c->a, "source %s", name)),
					(struct str){0}, s->string);
		}
}

static bool
differs_from(struct str then, struct str now, const char *what, struct arena *a,
	struct str *why)
{
	if (str_eq(then, now))
		return false;
	*why = str_fmt(
		a, "%s: recorded with %s, now %s", what, shown(a, then), shown(a, now));
	return true;
}

bool
stale_entry(struct arena *a, const struct wisdom_entry *e, const struct json *pins,
	const char *root, struct str *why)
{
	const struct json *now = json_get(pins, "sources");

	*why = STR_LIT("the project has no such kernel");
	if (!pins)
		return true;
	json_each(s, e->sources)
	{
		const char *name = str_c(a, s->key);
		struct str hash = json_get(now, name) ? source_now(a, root, pins, s->key)
						      : STR_LIT("no longer used");
		if (differs_from(
			    s->string, hash, str_fmt(a, "source %s", name).s, a, why))
			return true;
	}
	if (now && now->kind == JSON_OBJECT)
		json_each(s, now)
		{
			const char *name = str_c(a, s->key);
			if (differs_from(json_get_str(e->sources, name), s->string,
				    str_fmt(a, "source %s", name).s, a, why))
				return true;
		}
	return differs_from(
		e->spec, json_get_str(pins, "spec"), "spec of the kernel", a, why);
}

/* --- device ---------------------------------------------------------------------- */

/* Where the project is now. */
static bool
is_here(const struct check *c, const struct wisdom_entry *e)
{
	const struct json *now = json_get(c->q->pins, "device");

	return str_eq(e->device, json_get_str(now, "name")) &&
	       str_eq(wisdom_cc_text(c->a, e->cc), json_get_str(now, "cc"));
}

static struct str
device_now(const struct check *c)
{
	const struct json *now = json_get(c->q->pins, "device");

	return str_fmt(c->a, "%.*s (%.*s)", STR_ARG(json_get_str(now, "name")),
		STR_ARG(json_get_str(now, "cc")));
}

static bool
has_board(const struct check *c, const struct wisdom *w, struct str uuid)
{
	for (size_t i = 0; i < w->n; i++)
		if (is_here(c, &w->v[i]) && str_eq(w->v[i].uuid, uuid))
			return true;
	return false;
}

static void
check_tools(struct check *c, const struct wisdom *w, const struct wisdom_entry *e)
{
	const struct json *pins = c->q->pins, *device = json_get(pins, "device");
	struct str backend = json_get_str(pins, "backend");
	struct str uuid = json_get_str(device, "uuid");

	differs(c, "spec of the kernel", e->spec, json_get_str(pins, "spec"));
	check_sources(c, e);
	if (uuid.n)
		differs(c, "driver", e->driver, json_get_str(device, "driver"));
	if (uuid.n && e->uuid.n && !has_board(c, w, uuid))
		note(c, "board", e->uuid, uuid);
	/* An estimate that could be a measurement is out of date, not the other way
	 * round. */
	if (str_is(backend, "model"))
		note(c, "backend", e->backend, backend);
	else
		differs(c, "backend", e->backend, backend);
	differs(c, "toolchain", e->toolchain, json_get_str(pins, "toolchain"));
	differs(c, "assembler", e->assembler, json_get_str(pins, "assembler"));
}

/* --- champions ------------------------------------------------------------------- */

static const struct rank_size *
size_find(const struct ranking *r, struct str name)
{
	for (size_t i = 0; i < r->n_sizes; i++)
		if (str_eq(r->sizes[i].name, name))
			return &r->sizes[i];
	return NULL;
}

/* A newer gate may know better, with all pins as they were. */
static void
check_safe(
	struct check *c, const struct rank_size *now, const char *what, struct str label)
{
	for (size_t i = 0; now && i < rank_size_n(now); i++) {
		const struct rank_entry *e = &now->v[i];
		if (str_eq(e->label, label) && e->status == RESULT_REFUSED)
			differs(c, what, label, STR_LIT("REFUSED by the gate"));
	}
}

static void
check_choice(struct check *c, const struct wisdom_entry *e)
{
	const struct rank_size *now = c->q->now ? size_find(c->q->now, e->size) : NULL;
	const struct rank_entry *champion = now ? rank_champion(now) : NULL;
	const char *what =
		str_c(c->a, str_fmt(c->a, "champion at %.*s", STR_ARG(e->size)));
	struct str text = champion ? champion->label : (struct str){0};

	if (!c->q->now)
		return;
	check_safe(c, now,
		str_c(c->a, str_fmt(c->a, "applied at %.*s", STR_ARG(e->size))),
		e->label);
	/* An estimate is no reason to drop what was measured. */
	if (champion && !result_is_measured(now->kind) && result_is_measured(e->kind))
		note(c, what, e->label, text);
	else
		differs(c, what, e->label, text);
}

static bool
has_choice(const struct check *c, const struct wisdom *w, struct str size)
{
	for (size_t i = 0; i < w->n; i++)
		if (is_here(c, &w->v[i]) && str_eq(w->v[i].size, size))
			return true;
	return false;
}

static void
check_new_sizes(struct check *c, const struct wisdom *w)
{
	for (size_t i = 0; c->q->now && i < c->q->now->n_sizes; i++) {
		const struct rank_size *s = &c->q->now->sizes[i];
		const struct rank_entry *champion = rank_champion(s);
		if (champion && !has_choice(c, w, s->name))
			differs(c,
				str_c(c->a, str_fmt(c->a, "champion at %.*s",
						    STR_ARG(s->name))),
				(struct str){0}, champion->label);
	}
}

/* --- all of it -------------------------------------------------------------------- */

static void
check_entries(struct check *c, const struct wisdom *w)
{
	struct buf others = {.a = c->a};
	struct map devices = {.a = c->a};
	struct str why;
	size_t here = 0;
	bool added;

	for (size_t i = 0; i < w->n; i++) {
		const struct wisdom_entry *e = &w->v[i];
		if (is_here(c, e)) {
			here++;
			check_tools(c, w, e);
			check_choice(c, e);
			continue;
		}
		struct str name = str_fmt(c->a, "%.*s (%.*s)", STR_ARG(e->device),
			STR_ARG(wisdom_cc_text(c->a, e->cc)));
		map_put(&devices, name, &added);
		if (added)
			buf_addf(&others, "%s%.*s", others.n ? ", " : "", STR_ARG(name));
		if (stale_entry(c->a, e, c->q->pins, c->q->root, &why))
			say(c, str_fmt(c->a,
				       "  note: %.*s on %.*s is stale, tune there again: "
				       "%.*s\n",
				       STR_ARG(e->size), STR_ARG(e->device),
				       STR_ARG(why)));
	}
	if (!here)
		differs(c, "device", buf_str(&others), device_now(c));
	else
		check_new_sizes(c, w);
}

/* Wisdom that was merged, or a header that somebody changed. */
static void
check_header(struct check *c, const struct wisdom *w)
{
	struct buf unused = {.a = c->a};
	struct wisdom current = apply_current(w, c->q->kernel, c->q->pins, &unused);
	struct str text;

	if (!fs_try_read(c->a, c->q->header, &text))
		differs(c, "header", str_of(c->q->header), STR_LIT("not there"));
	else if (current.n && !str_eq(text, apply_header(c->a, &current, c->q->header)))
		differs(c, "header", STR_LIT("what the record says"),
			str_fmt(c->a, "%s says something else", c->q->header));
}

int
stale_check(struct arena *a, const struct stale_query *q, struct buf *to, struct diag *d)
{
	struct check c = {.a = a, .q = q, .said.a = a, .to = to};
	struct wisdom all = {.a = a}, w = {.a = a};

	if (!fs_exists(q->applied)) {
		diag_error(d, (struct place){0},
			"there is no '%s'; run 'lanewise apply' first", q->applied);
		return EXIT_TROUBLE;
	}
	if (!wisdom_read(&all, q->applied, d))
		return EXIT_TROUBLE;
	for (size_t i = 0; i < all.n; i++)
		if (str_eq(all.v[i].kernel, q->kernel))
			wisdom_add(&w, &all.v[i]);
	if (!w.n) {
		diag_error(d, (struct place){0},
			"'%s' has nothing of kernel '%.*s'; run 'lanewise apply' first",
			q->applied, STR_ARG(q->kernel));
		return EXIT_TROUBLE;
	}
	check_entries(&c, &w);
	if (q->header && !c.n)
		check_header(&c, &w);
	return c.n ? EXIT_NO : EXIT_YES;
}
