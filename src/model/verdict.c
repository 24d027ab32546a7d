#include "model/verdict.h"

#include "base/arena.h"
#include "model/record.h"

#define SCHEMA      "lanewise/verdict.v1"
#define FILE_SCHEMA "lanewise/verdicts.v1"
#define MAX_WARPS   32 /* of a witness */
#define LANES       32

static const char *const kind_names[] = {"clean", "caveat", "refused", "error"};

const char *
verdict_name(enum verdict_kind k)
{
	return (unsigned)k < 4 ? kind_names[k] : "error";
}

bool
verdict_kind_find(struct str name, enum verdict_kind *out)
{
	for (int i = 0; i < 4; i++)
		if (str_is(name, kind_names[i])) {
			*out = (enum verdict_kind)i;
			return true;
		}
	return false;
}

const char *
admit_name(enum admit a)
{
	return a == ADMIT_CAVEAT ? "caveat" : "clean";
}

enum admit
admit_of(struct str word)
{
	return !word.n || str_is(word, "caveat") ? ADMIT_CAVEAT : ADMIT_CLEAN;
}

bool
verdict_admitted(const struct verdict *v, enum admit admit)
{
	return v->kind == VERDICT_CLEAN ||
	       (v->kind == VERDICT_CAVEAT && admit == ADMIT_CAVEAT);
}

/* --- writing --------------------------------------------------------------------- */

static void
put_count(struct json_out *o, const char *key, uint64_t v)
{
	json_put_i64(o, key, v > (uint64_t)RECORD_MAX_I64 ? RECORD_MAX_I64 : (int64_t)v);
}

static void
put_witness(struct json_out *o, const struct witness *w)
{
	if (!w->present) {
		json_put_null(o, "witness");
		return;
	}
	json_open_object(o, "witness");
	json_open_array(o, "block", true);
	for (int i = 0; i < 3; i++)
		put_count(o, NULL, w->cta[i]);
	json_close_array(o);
	put_count(o, "blocks", w->n_blocks);
	json_open_array(o, "warps", false);
	for (size_t i = 0; i < w->n_warps && i < MAX_WARPS; i++) {
		json_open_object(o, NULL);
		json_put_i64(o, "warp", w->warps[i].warp);
		json_put_c(o, "lanes", w->warps[i].lanes);
		json_close_object(o);
	}
	json_close_array(o);
	json_put_str(o, "note", w->note);
	json_close_object(o);
}

void
finding_write(struct json_out *o, const struct finding *f)
{
	json_open_object(o, NULL);
	json_put_str(o, "rule", f->rule);
	json_put_str(o, "class", f->klass);
	json_put_c(o, "kind", verdict_name(f->kind));
	json_put_str(o, "file", f->file);
	json_put_i64(o, "line", f->line);
	json_put_i64(o, "ptx_line", f->ptx_line);
	json_put_str(o, "message", f->message);
	put_witness(o, &f->witness);
	json_close_object(o);
}

void
verdict_write(struct json_out *o, const char *key, const struct verdict *v)
{
	bool top = o->depth == 0;

	json_open_object(o, key);
	if (top)
		json_put_str(o, "schema", STR_LIT(SCHEMA));
	json_put_c(o, "verdict", verdict_name(v->kind));
	if (v->point.n)
		json_put_str(o, "point", v->point);
	json_put_str(o, "launch", launch_text(o->b.a, &v->launch));
	json_open_array(o, "findings", false);
	for (size_t i = 0; i < v->n_findings; i++)
		finding_write(o, &v->findings[i]);
	json_close_array(o);
	json_close_object(o);
}

struct str
verdict_file_write(struct arena *a, const struct verdict_file *f)
{
	struct json_out o = {.b = {.a = a}};

	json_open_object(&o, NULL);
	json_put_str(&o, "schema", STR_LIT(FILE_SCHEMA));
	json_put_str(&o, "kernel", f->kernel);
	json_put_str(&o, "entry", f->entry);
	json_put_i64(&o, "static_shared_bytes", f->static_shared_bytes);
	json_open_array(&o, "verdicts", false);
	for (size_t i = 0; i < f->n; i++)
		verdict_write(&o, NULL, &f->v[i]);
	json_close_array(&o);
	json_close_object(&o);
	return json_done(&o);
}

/* --- reading --------------------------------------------------------------------- */

const struct lane_letter lane_letters[] = {{'W', "waits here"}, {'o', "waits elsewhere"},
	{'.', "never comes"}, {'x', "has exited"}, {'?', "may or may not come"},
	{'u', "uses an undefined value"}, {'-', "is not concerned"}, {0}};

static void
read_lanes(struct record *r, struct lane_map *map)
{
	struct str lanes = record_str(r, "lanes");

	map->warp = (uint32_t)record_i64(r, "warp", 0, UINT32_MAX);
	if (!r->ok)
		return;
	if (lanes.n != LANES)
		record_fail(r, "lanes", "a lane map has 32 characters");
	for (size_t i = 0; i < lanes.n && r->ok; i++)
		if (!strchr("Wo.x?u- ", lanes.s[i]))
			record_fail(r, "lanes", "a lane is one of 'Wo.x?u- '");
	if (r->ok)
		memcpy(map->lanes, lanes.s, LANES);
}

static void
read_block(struct record *r, uint64_t cta[3])
{
	const struct json *v = record_array(r, "block", JSON_NUMBER);
	int64_t x = 0;
	size_t i = 0;

	if (!v)
		return;
	json_each(e, v)
	{
		if (!json_is_i64(e, &x) || x < 0 || i == 3)
			break;
		cta[i++] = (uint64_t)x;
	}
	if (i != 3 || v->n != 3)
		record_fail(r, "block", "'block' must be three whole numbers");
}

static bool
read_witness(struct arena *a, const struct json *v, struct witness *w, struct diag *d)
{
	struct record r = record_open(v, NULL, d);
	const struct json *warps;

	w->present = true;
	read_block(&r, w->cta);
	w->n_blocks = (uint64_t)record_i64(&r, "blocks", 0, RECORD_MAX_I64);
	w->note = record_str(&r, "note");
	warps = record_array(&r, "warps", JSON_OBJECT);
	if (!warps)
		return false;
	if (warps->n > MAX_WARPS)
		record_fail(&r, "warps", "a witness shows at most %d warps", MAX_WARPS);
	w->warps = arena_news(a, warps->n, struct lane_map);
	json_each(e, warps)
	{
		struct record lane = record_open(e, NULL, d);
		if (!r.ok)
			break;
		read_lanes(&lane, &w->warps[w->n_warps++]);
		r.ok = lane.ok;
	}
	return r.ok;
}

bool
finding_read(struct arena *a, const struct json *v, struct finding *f, struct diag *d)
{
	struct record r = record_open(v, NULL, d);

	f->rule = record_str(&r, "rule");
	f->klass = record_str(&r, "class");
	if (!verdict_kind_find(record_str(&r, "kind"), &f->kind) ||
		f->kind == VERDICT_CLEAN)
		record_fail(&r, "kind",
			"'kind' must be \"caveat\", \"refused\" or \"error\"");
	f->file = record_str(&r, "file");
	f->line = (uint32_t)record_i64(&r, "line", 0, UINT32_MAX);
	f->ptx_line = (uint32_t)record_i64(&r, "ptx_line", 0, UINT32_MAX);
	f->message = record_str(&r, "message");
	if (r.ok && record_has(&r, "witness"))
		r.ok = read_witness(a, json_get(v, "witness"), &f->witness, d);
	return r.ok;
}

/* A damaged file must not turn a refusal into a pass. */
static void
check_kind(struct record *r, const struct verdict *v)
{
	for (size_t i = 0; i < v->n_findings; i++)
		if (v->findings[i].kind > v->kind)
			record_fail(r, "verdict",
				"the verdict '%s' has a finding that is '%s'",
				verdict_name(v->kind), verdict_name(v->findings[i].kind));
}

bool
verdict_read(struct arena *a, const struct json *v, struct verdict *out, struct diag *d)
{
	struct record r = record_open(v, json_get(v, "schema") ? SCHEMA : NULL, d);
	const struct json *findings;

	*out = (struct verdict){0};
	if (!verdict_kind_find(record_str(&r, "verdict"), &out->kind))
		record_fail(&r, "verdict", "unknown verdict");
	out->point = record_has(&r, "point") ? record_str(&r, "point") : (struct str){0};
	if (!launch_parse(record_str(&r, "launch"), &out->launch))
		record_fail(&r, "launch", "malformed launch shape");
	findings = record_array(&r, "findings", JSON_OBJECT);
	if (!findings)
		return false;
	out->findings = arena_news(a, findings->n, struct finding);
	json_each(e, findings)
	{
		if (!finding_read(a, e, &out->findings[out->n_findings++], d))
			return false;
	}
	check_kind(&r, out);
	return r.ok;
}

struct verdict_file *
verdict_file_get(struct arena *a, const struct json *v, struct diag *d)
{
	struct record r = record_open(v, FILE_SCHEMA, d);
	struct verdict_file *f = arena_new(a, struct verdict_file);
	const struct json *verdicts;

	f->kernel = record_str(&r, "kernel");
	f->entry = record_str(&r, "entry");
	f->static_shared_bytes =
		record_i64(&r, "static_shared_bytes", -1, RECORD_MAX_I64);
	verdicts = record_array(&r, "verdicts", JSON_OBJECT);
	if (!verdicts)
		return NULL;
	f->v = arena_news(a, verdicts->n, struct verdict);
	json_each(e, verdicts)
	{
		if (!verdict_read(a, e, &f->v[f->n++], d))
			return NULL;
	}
	return f;
}

struct verdict_file *
verdict_file_read(struct arena *a, const char *path, struct diag *d)
{
	return verdict_file_get(a, json_parse_file(a, path, d), d);
}

const struct verdict *
verdict_file_find(const struct verdict_file *f, struct str point)
{
	for (size_t i = 0; i < f->n; i++)
		if (str_eq(f->v[i].point, point))
			return &f->v[i];
	return NULL;
}
