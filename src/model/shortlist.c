#include "model/shortlist.h"

#include "base/arena.h"
#include "model/record.h"

#define SCHEMA "lanewise/shortlist.v1"

static void
put_member(struct json_out *o, const struct shortlist_member *m)
{
	json_open_object(o, NULL);
	json_put_str(o, "point", m->point);
	json_put_c(o, "role", final_role_name(m->role));
	json_put_bool(o, "caveat", m->caveat);
	json_put_str(o, "artifact", m->artifact);
	json_put_str(o, "artifact_hash", m->artifact_hash);
	json_put_str(o, "verdicts", m->verdicts);
	json_put_str(o, "entry", m->entry);
	json_put_str(o, "launch", m->launch);
	json_put_str(o, "args", m->args);
	json_put_str(o, "reference", m->reference);
	if (m->library.n)
		json_put_str(o, "library", m->library);
	json_close_object(o);
}

struct str
shortlist_write(struct arena *a, const struct shortlist *s)
{
	struct json_out o = {.b = {.a = a}};

	json_open_object(&o, NULL);
	json_put_str(&o, "schema", STR_LIT(SCHEMA));
	json_put_str(&o, "kernel", s->kernel);
	json_put_str(&o, "size", s->size);
	json_put_c(&o, "kind", result_kind_name(s->kind));
	json_open_array(&o, "members", false);
	for (size_t i = 0; i < s->n; i++)
		put_member(&o, &s->v[i]);
	json_close_array(&o);
	json_close_object(&o);
	return json_done(&o);
}

static bool
get_member(const struct json *v, struct shortlist_member *m, struct diag *d)
{
	struct record r = record_open(v, NULL, d);
	struct str role;

	m->point = record_str(&r, "point");
	role = record_str(&r, "role");
	if (r.ok && !final_role_find(role, &m->role))
		record_fail(&r, "role", "unknown role in a final");
	m->caveat = record_bool(&r, "caveat");
	m->artifact = record_str(&r, "artifact");
	m->artifact_hash = record_str(&r, "artifact_hash");
	m->verdicts = record_str(&r, "verdicts");
	m->entry = record_str(&r, "entry");
	m->launch = record_str(&r, "launch");
	m->args = record_str(&r, "args");
	m->reference = record_str(&r, "reference");
	if (record_has(&r, "library"))
		m->library = record_str(&r, "library");
	if (r.ok && (m->role == FINAL_REFERENCE) != (m->library.n > 0))
		record_fail(&r, "role", "a reference, and nothing else, has a 'library'");
	return r.ok;
}

struct shortlist *
shortlist_read(struct arena *a, const struct json *v, struct diag *d)
{
	struct record r = record_open(v, SCHEMA, d);
	struct shortlist *s = arena_new(a, struct shortlist);
	const struct json *members;
	struct str kind;

	s->kernel = record_str(&r, "kernel");
	s->size = record_str(&r, "size");
	kind = record_str(&r, "kind");
	if (r.ok && !result_kind_find(kind, &s->kind))
		record_fail(&r, "kind", "unknown kind of a result");
	members = record_array(&r, "members", JSON_OBJECT);
	if (!members || !r.ok)
		return NULL;
	s->v = arena_news(a, members->n, struct shortlist_member);
	json_each(m, members)
	{
		if (!get_member(m, &s->v[s->n++], d))
			return NULL;
	}
	return s;
}
