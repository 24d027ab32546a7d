#include "report/sarif.h"

#include "base/arena.h"
#include "base/asset.h"
#include "base/hash.h"
#include "simt/rules.h"

#define SCHEMA "https://json.schemastore.org/sarif-2.1.0.json"

/* Where a rule stands in the run's list; -1: it is not used. */
struct rule_use {
	int at[N_GATE_RULES];
};

static int
rule_find(struct str id)
{
	for (int i = 0; i < N_GATE_RULES; i++)
		if (str_is(id, gate_rules[i].id))
			return i;
	return -1;
}

/* ---- places ---- */

/* RFC 3986: all but unreserved characters and '/' are percent-encoded. */
static struct str
uri_of(struct arena *a, const char *root, struct str path)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789-._~/";
	struct buf b = {.a = a};
	size_t n = root ? strlen(root) : 0;

	if (n && str_starts(path, root) && path.n > n + 1 && path.s[n] == '/')
		path = str_sub(path, n + 1, path.n);
	if (path.n && path.s[0] == '/')
		buf_adds(&b, "file://");
	for (size_t i = 0; i < path.n; i++) {
		unsigned char c = (unsigned char)path.s[i];

		if (c && strchr(plain, c))
			buf_addc(&b, (char)c);
		else
			buf_addf(&b, "%%%02X", c);
	}
	return buf_str(&b);
}

static void
put_physical(struct json_out *o, struct str uri, uint32_t line, struct str text)
{
	json_open_object(o, "physicalLocation");
	json_open_object(o, "artifactLocation");
	json_put_str(o, "uri", uri);
	json_close_object(o);
	if (line) {
		json_open_object(o, "region");
		json_put_i64(o, "startLine", line);
		if (text.n) {
			json_open_object(o, "snippet");
			json_put_str(o, "text", text);
			json_close_object(o);
		}
		json_close_object(o);
	}
	json_close_object(o);
}

static void
put_text(struct json_out *o, const char *key, struct str text)
{
	json_open_object(o, key);
	json_put_str(o, "text", text);
	json_close_object(o);
}

/* Where the PTX says it, besides the source line. */
static void
put_related(struct json_out *o, const struct sarif_run *r, const struct finding *f)
{
	json_open_array(o, "relatedLocations", false);
	json_open_object(o, NULL);
	json_put_i64(o, "id", 1);
	put_physical(
		o, uri_of(o->b.a, r->root, str_of(r->ptx)), f->ptx_line, (struct str){0});
	put_text(o, "message", STR_LIT("the instruction in the PTX"));
	json_close_object(o);
	json_close_array(o);
}

static void
put_location(struct json_out *o, const struct sarif_run *r, struct str uri, uint32_t line,
	struct str text)
{
	json_open_array(o, "locations", false);
	json_open_object(o, NULL);
	put_physical(o, uri, line, text);
	json_open_array(o, "logicalLocations", false);
	json_open_object(o, NULL);
	json_put_str(o, "fullyQualifiedName", r->entry);
	json_put_c(o, "kind", "function");
	json_close_object(o);
	json_close_array(o);
	json_close_object(o);
	json_close_array(o);
}

/* ---- results ---- */

static struct str
message_of(struct arena *a, const struct verdict *v, const struct finding *f)
{
	return str_fmt(a, "%.*s (block %.*s, grid %.*s)", STR_ARG(f->message),
		STR_ARG(dim_text(a, v->launch.block)),
		STR_ARG(dim_text(a, v->launch.grid)));
}

/* The line's text, and not its number, tells sites apart, so that it stays when code
 * above it changes. */
static void
put_fingerprint(struct json_out *o, const struct sarif_run *r, const struct finding *f,
	struct str uri, uint32_t line, struct str text)
{
	struct arena *a = o->b.a;
	struct str site = text.n ? str_trim(text) : str_fmt(a, "line %u", (unsigned)line);
	char hex[HASH_HEX + 1];

	hash_hex(hash_bytes(str_fmt(a, "%.*s|%.*s|%.*s|%.*s", STR_ARG(f->rule),
			 STR_ARG(r->entry), STR_ARG(uri), STR_ARG(site))),
		hex);
	json_open_object(o, "partialFingerprints");
	json_put_c(o, "lanewiseSite/v1", hex);
	json_close_object(o);
}

static void
put_properties(struct json_out *o, const struct verdict *v, const struct finding *f)
{
	struct arena *a = o->b.a;
	const struct witness *w = &f->witness;

	json_open_object(o, "properties");
	json_put_c(o, "verdict", verdict_name(v->kind));
	json_put_str(o, "class", f->klass);
	json_put_str(o, "launch", launch_text(a, &v->launch));
	json_put_str(o, "block", dim_text(a, v->launch.block));
	if (w->present) {
		json_open_array(o, "cta", true);
		for (int i = 0; i < 3; i++)
			json_put_i64(o, NULL, (int64_t)w->cta[i]);
		json_close_array(o);
		json_open_array(o, "lanes", false);
		for (size_t i = 0; i < w->n_warps; i++)
			json_put_str(o, NULL,
				str_fmt(a, "warp %u %s", (unsigned)w->warps[i].warp,
					w->warps[i].lanes));
		json_close_array(o);
	}
	json_close_object(o);
}

static void
put_result(struct json_out *o, const struct sarif_run *r, const struct rule_use *use,
	const struct verdict *v, const struct finding *f, struct excerpts *e)
{
	int rule = rule_find(f->rule);
	bool in_source = f->line && f->file.n;
	struct str text = excerpts_line(e, f->file, f->line);
	uint32_t line = in_source ? f->line : f->ptx_line ? f->ptx_line : r->entry_line;
	struct str uri = uri_of(
		o->b.a, r->root, in_source ? excerpts_path(e, f->file) : str_of(r->ptx));

	json_open_object(o, NULL);
	json_put_str(o, "ruleId", f->rule);
	if (rule >= 0)
		json_put_i64(o, "ruleIndex", use->at[rule]);
	json_put_c(o, "level", f->kind == VERDICT_CAVEAT ? "warning" : "error");
	put_text(o, "message", message_of(o->b.a, v, f));
	put_location(o, r, uri, line, text);
	if (in_source && f->ptx_line)
		put_related(o, r, f);
	put_fingerprint(o, r, f, uri, line, text);
	put_properties(o, v, f);
	json_close_object(o);
}

/* ---- the tool ---- */

static struct rule_use
rules_used(const struct sarif_run *r)
{
	struct rule_use use;
	int n = 0;

	for (int i = 0; i < N_GATE_RULES; i++)
		use.at[i] = -1;
	for (size_t i = 0; i < r->n; i++)
		for (size_t k = 0; k < r->v[i].n_findings; k++) {
			int rule = rule_find(r->v[i].findings[k].rule);

			if (rule >= 0)
				use.at[rule] = 0;
		}
	for (int i = 0; i < N_GATE_RULES; i++)
		if (use.at[i] == 0)
			use.at[i] = n++;
	return use;
}

static void
put_rule(struct json_out *o, const struct gate_rule_info *rule)
{
	struct str page;

	json_open_object(o, NULL);
	json_put_c(o, "id", rule->id);
	put_text(o, "shortDescription", str_of(rule->title));
	if (asset_find(
		    str_fmt(o->b.a, "docs/reference/rules/%s.md", rule->id).s, &page)) {
		json_open_object(o, "help");
		json_put_str(o, "text", page);
		json_put_str(o, "markdown", page);
		json_close_object(o);
	}
	json_open_object(o, "defaultConfiguration");
	json_put_c(o, "level", rule->severity == SEV_CAVEAT ? "warning" : "error");
	json_close_object(o);
	json_open_object(o, "properties");
	json_open_array(o, "tags", true);
	json_put_c(o, NULL, rule->klass);
	json_close_array(o);
	json_close_object(o);
	json_close_object(o);
}

static void
put_tool(struct json_out *o, const struct rule_use *use)
{
	json_open_object(o, "tool");
	json_open_object(o, "driver");
	json_put_c(o, "name", "lanewise");
	json_put_c(o, "version", LANEWISE_VERSION);
	json_open_array(o, "rules", false);
	for (int i = 0; i < N_GATE_RULES; i++)
		if (use->at[i] >= 0)
			put_rule(o, &gate_rules[i]);
	json_close_array(o);
	json_close_object(o);
	json_close_object(o);
}

struct str
sarif_text(struct arena *a, const struct sarif_run *r, struct excerpts *e)
{
	struct json_out o = {.b = {.a = a}};
	struct rule_use use = rules_used(r);

	json_open_object(&o, NULL);
	json_put_c(&o, "$schema", SCHEMA);
	json_put_c(&o, "version", "2.1.0");
	json_open_array(&o, "runs", false);
	json_open_object(&o, NULL);
	put_tool(&o, &use);
	json_open_array(&o, "results", false);
	for (size_t i = 0; i < r->n; i++)
		for (size_t k = 0; k < r->v[i].n_findings; k++)
			put_result(&o, r, &use, &r->v[i], &r->v[i].findings[k], e);
	json_close_array(&o);
	json_close_object(&o);
	json_close_array(&o);
	json_close_object(&o);
	return json_done(&o);
}
