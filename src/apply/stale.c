#include "apply/stale.h"

#include "base/arena.h"
#include "base/fs.h"
#include "base/hash.h"
#include "model/record.h"

struct check {
	struct arena *a;
	const struct stale_query *q;
	struct buf *to;
	size_t n; /* differences */
};

static const char *
shown(struct arena *a, struct str s)
{
	return s.n ? str_c(a, s) : "(none)";
}

static void
differs(struct check *c, const char *what, struct str then, struct str now)
{
	if (str_eq(then, now))
		return;
	buf_addf(c->to, "  %s: applied with %s, now %s\n", what, shown(c->a, then),
		shown(c->a, now));
	c->n++;
}

static void
note(struct check *c, const char *what, struct str then, struct str now)
{
	if (!str_eq(then, now))
		buf_addf(c->to, "  note: %s: applied with %s, now %s; not counted\n",
			what, shown(c->a, then), shown(c->a, now));
}

static void
check_text(struct check *c, const struct json *then, const char *key, const char *what)
{
	differs(c, what, json_get_str(then, key), json_get_str(c->q->pins, key));
}

/* --- sources --------------------------------------------------------------------- */

/* What is on disk counts, even before the graph has seen it; a source that is not here is
 * as the graph recorded it. */
static struct str
source_now(struct check *c, struct str name)
{
	const char *path = str_c(c->a, name);
	struct str text, pinned = json_get_str(json_get(c->q->pins, "sources"), path);

	if (c->q->root)
		path = fs_join(c->a, c->q->root, path);
	if (fs_try_read(c->a, path, &text))
		return str_of(hash_short(c->a, text, pinned.n ? pinned.n : 16));
	return pinned;
}

static void
check_sources(struct check *c, const struct json *then)
{
	const struct json *old = json_get(then, "sources");
	const struct json *now = json_get(c->q->pins, "sources");

	if (old && old->kind == JSON_OBJECT)
		json_each(s, old)
		{
			const char *name = str_c(c->a, s->key);
			const char *what = str_c(c->a, str_fmt(c->a, "source %s", name));
			if (json_get(now, name))
				differs(c, what, s->string, source_now(c, s->key));
			else
				differs(c, what, s->string, STR_LIT("no longer used"));
		}
	if (now && now->kind == JSON_OBJECT)
		json_each(s, now)
		{
			const char *name = str_c(c->a, s->key);
			if (!json_get(old, name))
				differs(c, str_c(c->a, str_fmt(c->a, "source %s", name)),
					(struct str){0}, s->string);
		}
}

/* --- device ---------------------------------------------------------------------- */

static void
check_device(struct check *c, const struct json *then)
{
	const struct json *old = json_get(then, "device");
	const struct json *now = json_get(c->q->pins, "device");
	struct str backend = json_get_str(then, "backend");
	struct str backend_now = json_get_str(c->q->pins, "backend");
	bool here = json_get_str(now, "uuid").n > 0;

	differs(c, "device", json_get_str(old, "name"), json_get_str(now, "name"));
	differs(c, "compute capability", json_get_str(old, "cc"),
		json_get_str(now, "cc"));
	if (here)
		differs(c, "driver", json_get_str(old, "driver"),
			json_get_str(now, "driver"));
	if (here && json_get_str(old, "uuid").n)
		note(c, "board", json_get_str(old, "uuid"), json_get_str(now, "uuid"));
	/* An estimate that could be a measurement is out of date, not the other way
	 * round. */
	if (str_is(backend_now, "model"))
		note(c, "backend", backend, backend_now);
	else
		differs(c, "backend", backend, backend_now);
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

static bool
check_choice(struct check *c, const struct json *choice, struct diag *d)
{
	struct record r = record_open(choice, NULL, d);
	struct str size = record_str(&r, "size"), label = record_str(&r, "label");
	struct str kind = record_str(&r, "kind"), text;
	const char *what;
	const struct rank_size *now;
	const struct rank_entry *champion;

	if (!r.ok || !c->q->now)
		return r.ok;
	now = size_find(c->q->now, size);
	champion = now ? rank_champion(now) : NULL;
	what = str_c(c->a, str_fmt(c->a, "champion at %.*s", STR_ARG(size)));
	text = champion ? champion->label : (struct str){0};
	check_safe(c, now, str_c(c->a, str_fmt(c->a, "applied at %.*s", STR_ARG(size))),
		label);
	/* An estimate is no reason to drop what was measured. */
	if (now && !result_is_measured(now->kind) && champion && str_is(kind, "measured"))
		note(c, what, label, text);
	else
		differs(c, what, label, text);
	return true;
}

static bool
has_choice(const struct json *choices, struct str size)
{
	json_each(v, choices)
	{
		if (str_eq(json_get_str(v, "size"), size))
			return true;
	}
	return false;
}

static void
check_new_sizes(struct check *c, const struct json *choices)
{
	for (size_t i = 0; c->q->now && i < c->q->now->n_sizes; i++) {
		const struct rank_size *s = &c->q->now->sizes[i];
		const struct rank_entry *champion = rank_champion(s);
		if (champion && !has_choice(choices, s->name))
			differs(c,
				str_c(c->a, str_fmt(c->a, "champion at %.*s",
						    STR_ARG(s->name))),
				(struct str){0}, champion->label);
	}
}

int
stale_check(struct arena *a, const struct stale_query *q, struct buf *to, struct diag *d)
{
	struct check c = {.a = a, .q = q, .to = to};
	struct record r;
	const struct json *then, *choices;

	if (!fs_exists(q->applied)) {
		diag_error(d, (struct place){0},
			"there is no '%s'; run 'lanewise apply' first", q->applied);
		return EXIT_TROUBLE;
	}
	r = record_open(json_parse_file(a, q->applied, d), "lanewise/applied.v1", d);
	if (r.ok && !str_eq(record_str(&r, "kernel"), q->kernel))
		record_fail(&r, "kernel",
			"this is the choice of another kernel than '%.*s'",
			STR_ARG(q->kernel));
	then = record_object(&r, "pins").v;
	choices = record_array(&r, "choices", JSON_OBJECT);
	if (!then || !choices)
		return EXIT_TROUBLE;
	check_text(&c, then, "spec", "spec of the kernel");
	check_sources(&c, then);
	check_device(&c, then);
	check_text(&c, then, "toolchain", "toolchain");
	check_text(&c, then, "assembler", "assembler");
	json_each(v, choices)
	{
		if (!check_choice(&c, v, d))
			return EXIT_TROUBLE;
	}
	check_new_sizes(&c, choices);
	return c.n ? EXIT_NO : EXIT_YES;
}
