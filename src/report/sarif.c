#include "report/sarif.h"

#include "base/arena.h"
#include "base/asset.h"
#include "base/hash.h"
#include "simt/rules.h"

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

/* RFC 3986: all but unreserved characters and '/' are percent-encoded.  The first segment
 * of a relative one may look like a scheme, so ':' is, too. */
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
put_related(struct json_out *o, const char *root, const struct sarif_result *r)
{
	json_open_array(o, "relatedLocations", false);
	json_open_object(o, NULL);
	json_put_i64(o, "id", 1);
	put_physical(o, uri_of(o->b.a, root, r->ptx), r->ptx_line, (struct str){0});
	put_text(o, "message", STR_LIT("the instruction in the PTX"));
	json_close_object(o);
	json_close_array(o);
}

static void
put_location(struct json_out *o, const struct sarif_result *r, struct str uri)
{
	json_open_array(o, "locations", false);
	json_open_object(o, NULL);
	put_physical(o, uri, r->line, r->snippet);
	json_open_array(o, "logicalLocations", false);
	json_open_object(o, NULL);
	json_put_str(o, "fullyQualifiedName", r->function);
	json_put_c(o, "kind", "function");
	json_close_object(o);
	json_close_array(o);
	json_close_object(o);
	json_close_array(o);
}

/* ---- results ---- */

/* The line's text, and not its number, tells sites apart, so that it stays when code
 * above it changes. */
static void
put_fingerprint(struct json_out *o, const struct sarif_result *r, struct str uri)
{
	struct arena *a = o->b.a;
	struct str site = r->snippet.n ? str_trim(r->snippet)
				       : str_fmt(a, "line %u", (unsigned)r->line);
	char hex[HASH_HEX + 1];

	hash_hex(hash_bytes(str_fmt(a, "%.*s|%.*s|%.*s|%.*s", STR_ARG(r->rule),
			 STR_ARG(r->function), STR_ARG(uri), STR_ARG(site))),
		hex);
	json_open_object(o, "partialFingerprints");
	json_put_c(o, "lanewiseSite/v1", hex);
	json_close_object(o);
}

static void
put_properties(struct json_out *o, const struct sarif_result *r)
{
	struct arena *a = o->b.a;
	const struct witness *w = r->witness;

	json_open_object(o, "properties");
	json_put_str(o, "verdict", r->verdict);
	if (r->klass.n)
		json_put_str(o, "class", r->klass);
	if (r->launch.n)
		json_put_str(o, "launch", r->launch);
	if (r->block.n)
		json_put_str(o, "block", r->block);
	if (w && w->present) {
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
	if (r->n_candidates) {
		json_open_array(o, "candidates", false);
		for (size_t i = 0; i < r->n_candidates; i++)
			json_put_str(o, NULL, r->candidates[i]);
		json_close_array(o);
	}
	json_close_object(o);
}

static void
put_result(struct json_out *o, const char *root, const struct rule_use *use,
	const struct sarif_result *r)
{
	int rule = rule_find(r->rule);
	struct str uri = uri_of(o->b.a, root, r->file);

	json_open_object(o, NULL);
	json_put_str(o, "ruleId", r->rule);
	if (rule >= 0)
		json_put_i64(o, "ruleIndex", use->at[rule]);
	json_put_c(o, "level", r->level);
	put_text(o, "message", r->message);
	put_location(o, r, uri);
	if (r->ptx_line)
		put_related(o, root, r);
	put_fingerprint(o, r, uri);
	put_properties(o, r);
	json_close_object(o);
}

/* ---- the tool ---- */

static struct rule_use
rules_used(const struct sarif_result *v, size_t n)
{
	struct rule_use use;
	int next = 0;

	for (int i = 0; i < N_GATE_RULES; i++)
		use.at[i] = -1;
	for (size_t i = 0; i < n; i++) {
		int rule = rule_find(v[i].rule);

		if (rule >= 0)
			use.at[rule] = 0;
	}
	for (int i = 0; i < N_GATE_RULES; i++)
		if (use.at[i] == 0)
			use.at[i] = next++;
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
sarif_document(struct arena *a, const char *root, const struct sarif_result *v, size_t n)
{
	struct json_out o = {.b = {.a = a}};
	struct rule_use use = rules_used(v, n);

	json_open_object(&o, NULL);
	json_put_c(&o, "$schema", SARIF_SCHEMA);
	json_put_c(&o, "version", "2.1.0");
	json_open_array(&o, "runs", false);
	json_open_object(&o, NULL);
	put_tool(&o, &use);
	json_open_array(&o, "results", false);
	for (size_t i = 0; i < n; i++)
		put_result(&o, root, &use, &v[i]);
	json_close_array(&o);
	json_close_object(&o);
	json_close_array(&o);
	json_close_object(&o);
	return json_done(&o);
}
