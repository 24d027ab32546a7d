#include "format/json.h"

#include "base/arena.h"
#include "base/fs.h"
#include "base/map.h"
#include "format/json_text.h"

#include <cjson/cJSON.h>
#include <math.h>

/* A walk over the clean text in step with cJSON's tree, which keeps no positions. */
struct walk {
	struct arena *a;
	struct arena scratch; /* keys of the objects that are open */
	const struct source *src;
	struct str text; /* a string that is done ends in a NUL, not in its quote */
	size_t i;
	uint32_t line;
	size_t line_start;
	struct diag *d;
	bool ok;
};

/* To the next character that starts a key or a value, or closes a container. */
static void
step_blanks(struct walk *w)
{
	const char *s = w->text.s;
	for (; w->i < w->text.n; w->i++) {
		char c = s[w->i];
		if (c == '\n') {
			w->line++;
			w->line_start = w->i + 1;
		} else if (c != ' ' && c != ',' && c != ':' && c != '\t' && c != '\r') {
			return;
		}
	}
}

static bool
ends_scalar(char c)
{
	switch (c) {
	case ' ':
	case '\t':
	case '\r':
	case '\n':
	case ',':
	case ':':
	case ']':
	case '}': return true;
	default: return false;
	}
}

/* Its text, and does that stand for itself? */
static struct str
step_string(struct walk *w, bool *plain)
{
	const char *s = w->text.s;
	size_t start = w->i + 1, i = start;
	*plain = true;
	for (; s[i] != '"'; i++)
		if (s[i] == '\\') {
			*plain = false;
			i++;
		}
	w->i = i + 1;
	return (struct str){s + start, i - start};
}

static void
step_scalar(struct walk *w)
{
	const char *s = w->text.s;
	size_t i = w->i;
	while (i < w->text.n && !ends_scalar(s[i]))
		i++;
	w->i = i;
}

static uint32_t
column(const struct walk *w)
{
	return (uint32_t)(w->i - w->line_start + 1);
}

static void
read_key(struct walk *w, struct json *v, const char *decoded)
{
	step_blanks(w);
	v->key_line = w->line;
	v->key_col = column(w);
	bool plain;
	v->key = step_string(w, &plain);
	if (!plain)
		v->key = str_dup(w->a, str_of(decoded));
}

static void
read_string(struct walk *w, struct json *v, const char *decoded)
{
	bool plain;
	v->kind = JSON_STRING;
	v->string = step_string(w, &plain);
	if (plain) /* the text is our own copy */
		*(char *)(uintptr_t)(w->text.s + w->i - 1) = 0;
	else
		v->string = str_dup(w->a, str_of(decoded));
}

static bool
is_real(char c)
{
	return c == '.' || c == 'e' || c == 'E';
}

static void
read_scalar(struct walk *w, struct json *v, const cJSON *c)
{
	size_t start = w->i;
	if (cJSON_IsString(c)) {
		read_string(w, v, c->valuestring);
		return;
	}
	step_scalar(w);
	if (cJSON_IsNumber(c)) {
		v->kind = JSON_NUMBER;
		v->number = c->valuedouble;
		for (size_t i = start; i < w->i && !v->real; i++)
			v->real = is_real(w->text.s[i]);
	} else if (cJSON_IsBool(c)) {
		v->kind = JSON_BOOL;
		v->boolean = cJSON_IsTrue(c);
	}
}

/* A small object is compared pairwise; a large one would make that quadratic. */
static const struct json *
find_twin(struct map *seen, const struct json *obj, const struct json *v)
{
	enum { SMALL = 12 };
	if (obj->n < SMALL) {
		for (const struct json *o = obj->child; o != v; o = o->next)
			if (str_eq(o->key, v->key))
				return o;
		return NULL;
	}
	if (obj->n == SMALL)
		for (const struct json *o = obj->child; o != v; o = o->next)
			map_put(seen, o->key, NULL);
	bool added;
	size_t at = map_put(seen, v->key, &added);
	if (added)
		return NULL;
	const struct json *o = obj->child;
	while (at--)
		o = o->next;
	return o;
}

static void
check_twin(struct walk *w, struct map *seen, const struct json *obj, const struct json *v)
{
	const struct json *twin = find_twin(seen, obj, v);
	if (!twin || !w->ok)
		return;
	diag_error(w->d, json_key_place(v), "duplicate key '%.*s': remove one",
		STR_ARG(v->key));
	diag_note(w->d, json_key_place(twin), "the first one is here");
	w->ok = false;
}

static struct json *
read_node(struct walk *w, const cJSON *c, struct json *parent)
{
	struct json *v = arena_new(w->a, struct json);
	v->src = w->src;
	v->parent = parent;
	if (c->string)
		read_key(w, v, c->string);
	step_blanks(w);
	v->line = w->line;
	v->col = column(w);
	if (!cJSON_IsArray(c) && !cJSON_IsObject(c)) {
		read_scalar(w, v, c);
		return v;
	}
	v->kind = cJSON_IsArray(c) ? JSON_ARRAY : JSON_OBJECT;
	w->i++;
	struct map seen = {.a = &w->scratch};
	struct arena_mark mark = arena_mark(&w->scratch);
	struct json **end = &v->child;
	for (const cJSON *k = c->child; k; k = k->next) {
		*end = read_node(w, k, v);
		if (v->kind == JSON_OBJECT)
			check_twin(w, &seen, v, *end);
		end = &(*end)->next;
		v->n++;
	}
	arena_pop(&w->scratch, mark);
	step_blanks(w);
	w->i++;
	return v;
}

/* cJSON's tree is a copy of the text in small pieces, and gone when it was read: it lies
 * in an arena of its own, which the hooks cannot be given. */
static _Thread_local struct arena *tree_arena;

static void *
tree_alloc(size_t n)
{
	return arena_raw(tree_arena, n, 1);
}

static void
tree_free(void *p)
{
	(void)p;
}

static cJSON *
parse_tree(struct arena *a, struct str clean, const char **end)
{
	cJSON_Hooks hooks = {tree_alloc, tree_free};
	tree_arena = a;
	cJSON_InitHooks(&hooks);
	return cJSON_ParseWithLengthOpts(clean.s, clean.n + 1, end, true);
}

struct json *
json_parse(struct arena *a, const struct source *src, struct diag *d)
{
	struct str clean;
	if (src->text.n > UINT32_MAX / 2) {
		diag_error(d, (struct place){.src = src}, "the file is too large");
		return NULL;
	}
	if (!json_text_clean(a, src, &clean, d))
		return NULL;
	const char *end = clean.s;
	struct arena tree = {0};
	cJSON *root = parse_tree(&tree, clean, &end);
	struct walk w = {
		.a = a, .src = src, .text = clean, .line = 1, .d = d, .ok = root};
	struct json *v = root ? read_node(&w, root, NULL) : NULL;
	/* The text is checked, so that only half a surrogate pair is left to refuse. */
	if (!root)
		diag_error(d, source_place(src, (size_t)(end - clean.s)),
			"bad escape: half of a surrogate pair");
	arena_release(&w.scratch);
	arena_release(&tree);
	return w.ok ? v : NULL;
}

/* As caches of results are often kept.  Its bytes are not shown. */
static bool
is_compressed(const struct source *src, struct diag *d)
{
	static const struct {
		const char *magic, *tool;
	} forms[] = {{"\x1f\x8b", "gzip"}, {"\x28\xb5\x2f\xfd", "zstd"},
		{"\xfd\x37zXZ", "xz"}, {"BZh", "bzip2"}};
	const struct source unshown = {.name = src->name};

	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
		if (str_starts(src->text, forms[i].magic)) {
			diag_error(d, (struct place){&unshown, 1, 1},
				"it is compressed; give what '%s -dc' makes of it",
				forms[i].tool);
			return true;
		}
	return false;
}

const struct source *
json_source(struct arena *a, const char *path, struct diag *d)
{
	struct source *src = arena_new(a, struct source);
	src->name = path;
	if (!fs_try_read(a, path, &src->text)) {
		diag_error(d, (struct place){.src = src}, "cannot read: %s", fs_reason());
		return NULL;
	}
	if (is_compressed(src, d))
		return NULL;
	return src;
}

struct json *
json_parse_file(struct arena *a, const char *path, struct diag *d)
{
	const struct source *src = json_source(a, path, d);
	return src ? json_parse(a, src, d) : NULL;
}

struct place
json_place(const struct json *v)
{
	return (struct place){v->src, v->line, v->col};
}

struct place
json_key_place(const struct json *v)
{
	if (!v->key_line)
		return json_place(v);
	return (struct place){v->src, v->key_line, v->key_col};
}

const struct json *
json_get(const struct json *obj, const char *key)
{
	if (!obj || obj->kind != JSON_OBJECT)
		return NULL;
	struct str k = str_of(key);
	json_each(v, obj) if (str_eq(v->key, k)) return v;
	return NULL;
}

const char *
json_kind_name(enum json_kind k)
{
	static const char *const names[] = {
		"null", "true or false", "a number", "a string", "an array", "an object"};
	return names[k];
}

struct str
json_get_str(const struct json *obj, const char *key)
{
	const struct json *v = json_get(obj, key);
	return v && v->kind == JSON_STRING ? v->string : (struct str){0};
}

double
json_get_f64(const struct json *obj, const char *key, double absent)
{
	const struct json *v = json_get(obj, key);
	return v && v->kind == JSON_NUMBER ? v->number : absent;
}

int64_t
json_get_i64(const struct json *obj, const char *key, int64_t absent)
{
	int64_t i;
	const struct json *v = json_get(obj, key);
	return v && json_is_i64(v, &i) ? i : absent;
}

bool
json_get_bool(const struct json *obj, const char *key, bool absent)
{
	const struct json *v = json_get(obj, key);
	return v && v->kind == JSON_BOOL ? v->boolean : absent;
}

bool
json_is_i64(const struct json *v, int64_t *out)
{
	/* 2^63 itself is a double, INT64_MAX is not. */
	if (v->kind != JSON_NUMBER ||
		!(v->number >= (double)INT64_MIN && v->number < -(double)INT64_MIN) ||
		floor(v->number) != v->number)
		return false;
	*out = (int64_t)v->number;
	return true;
}
