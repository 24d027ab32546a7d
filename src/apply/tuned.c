/* The header: templates/tuned.h, filled with the parts of the other tuned_*.c. */
#include "apply/apply.h"
#include "apply/tuned_parts.h"
#include "apply/tuned_text.h"
#include "base/arena.h"
#include "base/asset.h"
#include "base/die.h"
#include "base/fs.h"
#include "format/template.h"

#include <math.h>

/* --- what it was chosen with ----------------------------------------------------- */

static struct str
choice_text(struct arena *a, const struct wisdom_entry *e)
{
	bool estimated = e->kind == RESULT_ESTIMATED;
	bool simulated = e->kind == RESULT_SIMULATED;
	struct buf b = {.a = a};

	buf_addf(&b, "%.*s: %.*s, %s%.0f ns", STR_ARG(e->size), STR_ARG(e->label),
		estimated   ? "ESTIMATED at "
		: simulated ? "SIMULATED at "
			    : "measured ",
		e->median_ns);
	if (isfinite(e->low_ns) && isfinite(e->high_ns))
		buf_addf(&b, " [%.0f, %.0f]", e->low_ns, e->high_ns);
	if (!estimated)
		buf_addf(&b, ", outputs %s%.*s",
			e->verified ? "verified by " : "NOT VERIFIED: ",
			STR_ARG(e->verified_by));
	if (e->verdict == VERDICT_CAVEAT)
		buf_adds(&b, ", admitted with a caveat");
	if (e->faster && isfinite(e->speedup))
		buf_addf(&b, ", %.3f x as fast as the baseline", e->speedup);
	buf_addf(&b, ", claim: %s", rank_claim_name(e->claim));
	return buf_str(&b);
}

/* Boards of one device may have measured a size each. */
static bool
same_tools(const struct wisdom_entry *x, const struct wisdom_entry *y)
{
	return str_eq(x->device, y->device) && x->cc == y->cc &&
	       str_eq(x->uuid, y->uuid) && str_eq(x->driver, y->driver) &&
	       str_eq(x->toolchain, y->toolchain) && str_eq(x->assembler, y->assembler);
}

static struct str
pins_text(struct arena *a, const struct wisdom *w)
{
	struct buf b = {.a = a};

	tuned_comment_line(&b, str_fmt(a, "spec %.*s", STR_ARG(w->v[0].spec)));
	json_each(s, w->v[0].sources)
	{
		tuned_comment_line(&b, str_fmt(a, "source %.*s %.*s", STR_ARG(s->key),
					       STR_ARG(s->string)));
	}
	for (size_t i = 0; i < w->n; i++) {
		const struct wisdom_entry *e = &w->v[i];
		if (!i || !same_tools(e, e - 1))
			tuned_comment_line(&b,
				str_fmt(a,
					"device %.*s%s%.*s%s%.*s, toolchain %.*s, "
					"assembler %.*s",
					STR_ARG(e->device), e->uuid.n ? " " : "",
					STR_ARG(e->uuid), e->driver.n ? ", driver " : "",
					STR_ARG(e->driver), STR_ARG(e->toolchain),
					STR_ARG(e->assembler)));
		tuned_comment_line(&b, str_fmt(a, "  %.*s", STR_ARG(choice_text(a, e))));
	}
	return buf_str(&b);
}

/* --- the parts' common ground ------------------------------------------------------ */

static void
add_device(struct tuned *t, struct map *macros, size_t at)
{
	const struct wisdom_entry *e = &t->v[at];
	struct tuned_device *d = &t->devices[t->n_devices++];
	struct str name = str_fmt(t->a, "%.*s_ON_%.*s", STR_ARG(t->upper),
		STR_ARG(tuned_suffix(t->a, e->device, true)));
	bool added;

	*d = (struct tuned_device){
		.name = e->device, .cc = e->cc, .from = at, .to = at, .measured = true};
	d->macro = name;
	for (size_t n = 2; map_put(macros, d->macro, &added), !added; n++)
		d->macro = str_fmt(t->a, "%.*s_%zu", STR_ARG(name), n);
}

static struct tuned
tuned_of(struct arena *a, const struct wisdom *w)
{
	struct map macros = {.a = a};
	struct tuned t = {.a = a,
		.v = w->v,
		.n = w->n,
		.name = tuned_identifier(a, w->v[0].kernel, false),
		.upper = tuned_identifier(a, w->v[0].kernel, true),
		.params.a = a,
		.values.a = a,
		.devices = arena_news(a, w->n, struct tuned_device)};

	for (size_t i = 0; i < w->n; i++) {
		const struct wisdom_entry *e = &w->v[i];
		json_each(p, e->assignment) map_put(&t.params, p->key, NULL);
		json_each(p, e->values) map_put(&t.values, p->key, NULL);
		if (!i || !str_eq(e->device, e[-1].device) || e->cc != e[-1].cc)
			add_device(&t, &macros, i);
		t.devices[t.n_devices - 1].to = i + 1;
		t.devices[t.n_devices - 1].measured &= result_is_measured(e->kind);
	}
	return t;
}

struct str
apply_header(struct arena *a, const struct wisdom *w, const char *file)
{
	struct tuned t = tuned_of(a, w);
	struct buf name = {.a = a}, kernel = {.a = a};
	struct str text;

	if (!asset_find("templates/tuned.h", &text))
		BUG("templates/tuned.h is not embedded");
	tuned_add_comment(&name, str_of(fs_basename(file)));
	tuned_add_comment(&kernel, w->v[0].kernel);
	struct template_var vars[] = {
		{"file", buf_str(&name)},
		{"kernel", buf_str(&kernel)},
		{"pins", pins_text(a, w)},
		{"name", t.name},
		{"upper", t.upper},
		{"target", tuned_target(&t)},
		{"macros", tuned_macros(&t)},
		{"size_fields", tuned_size_fields(&t)},
		{"param_fields", tuned_param_fields(&t)},
		{"count", str_fmt(a, "%zu", t.n)},
		{"entries", tuned_entries(&t)},
		{"same_size", tuned_same_size(&t)},
		{"apart", tuned_apart(&t)},
	};
	return template_fill(a, text, vars, sizeof vars / sizeof *vars);
}
