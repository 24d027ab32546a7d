#include "cache/remote_settings.h"

#include "base/arena.h"
#include "base/fs.h"
#include "cache/store.h"
#include "format/json.h"

#include <stdlib.h>

/* An entry has a head and a key besides its parts. */
enum { BODY_MAX = STORE_ENTRY_MAX + (1 << 20), TOKEN_MAX = 16 << 10 };

static const double DEFAULT_TIMEOUT_S = 10, TIMEOUT_MIN_S = 0.1, TIMEOUT_MAX_S = 600;

/* What is being read. */
struct reader {
	struct arena *a;
	struct diag *d;
	struct remote_settings *s;
	const char *dir; /* of the file */
};

static bool
is_url(struct str s)
{
	return str_starts(s, "http://") || str_starts(s, "https://");
}

/* "host:8080" of "https://host:8080/path". */
static struct str
authority_of(struct str url)
{
	struct str rest = str_sub(url, str_starts(url, "https") ? 8 : 7, url.n);
	return str_sub(rest, 0, str_find(rest, '/'));
}

static struct str
host_of(struct str url)
{
	struct str host = authority_of(url);
	return str_starts(host, "[") ? str_sub(host, 1, str_find(host, ']'))
				     : str_sub(host, 0, str_find(host, ':'));
}

static bool
is_loopback(struct str url)
{
	struct str host = host_of(url);
	return str_is(host, "localhost") || str_is(host, "127.0.0.1") ||
	       str_is(host, "::1");
}

/* What is wrong with it, or NULL. */
static const char *
url_fault(struct str url)
{
	if (!is_url(url))
		return "wants a URL that begins with http:// or https://";
	for (size_t i = 0; i < url.n; i++)
		if ((unsigned char)url.s[i] <= ' ' || (unsigned char)url.s[i] >= 0x7f)
			return "has a character that no URL may have; write it as %xx";
	if (str_find(url, '?') < url.n || str_find(url, '#') < url.n)
		return "is a folder of a server: it takes no '?' and no '#'";
	if (str_has(authority_of(url), STR_LIT("@")))
		return "would be shown in messages: put no password into it, use "
		       "'token_file' or 'token_env'";
	return host_of(url).n ? NULL : "names no server";
}

static void
set_url(struct arena *a, struct remote_settings *s, struct str url)
{
	while (str_ends(url, "/"))
		url.n--;
	s->http.url = str_c(a, url);
}

static bool
need_string(struct reader *r, const struct json *v)
{
	if (v->kind == JSON_STRING && v->string.n)
		return true;
	diag_error(r->d, json_place(v), "'%.*s' wants a string", STR_ARG(v->key));
	return false;
}

static bool
read_schema(struct reader *r, const struct json *v)
{
	if (v->kind == JSON_STRING && str_is(v->string, "lanewise/remote.v1"))
		return true;
	diag_error(r->d, json_place(v), "'schema' wants \"lanewise/remote.v1\"");
	return false;
}

static bool
read_url(struct reader *r, const struct json *v)
{
	if (!need_string(r, v))
		return false;
	const char *fault = url_fault(v->string);
	if (fault) {
		diag_error(r->d, json_place(v), "'url' %s", fault);
		return false;
	}
	set_url(r->a, r->s, v->string);
	return true;
}

static bool
read_choice(struct reader *r, const struct json *v, const char *no, const char *yes,
	bool *out)
{
	*out = v->kind == JSON_STRING && str_is(v->string, yes);
	if (*out || (v->kind == JSON_STRING && str_is(v->string, no)))
		return true;
	diag_error(r->d, json_place(v), "'%.*s' wants \"%s\" or \"%s\"", STR_ARG(v->key),
		no, yes);
	return false;
}

static bool
read_mode(struct reader *r, const struct json *v)
{
	return read_choice(r, v, "read", "read-write", &r->s->writes);
}

static bool
read_layout(struct reader *r, const struct json *v)
{
	bool bazel;
	bool ok = read_choice(r, v, "folders", "bazel", &bazel);
	r->s->layout = bazel ? REMOTE_BAZEL : REMOTE_FOLDERS;
	return ok;
}

/* A line that can stand in a header; *why when it cannot. */
static struct str
token_of(struct str text, const char **why)
{
	text = str_trim(text);
	for (size_t i = 0; i < text.n; i++)
		if ((unsigned char)text.s[i] <= ' ' || (unsigned char)text.s[i] >= 0x7f)
			*why = "is no token: it has spaces or control characters";
	if (text.n > TOKEN_MAX)
		*why = "is no token: it is too long";
	if (!text.n)
		*why = "is empty";
	if (*why)
		text.n = 0;
	return text;
}

static bool
read_token_env(struct reader *r, const struct json *v)
{
	const char *why = NULL;
	if (!need_string(r, v))
		return false;
	const char *value = getenv(v->string.s);
	r->s->http.token =
		value ? str_dup(r->a, token_of(str_of(value), &why)) : (struct str){0};
	if (!value || why)
		r->s->tokenless = str_fmt(r->a, "the variable '%s' %s", v->string.s,
			value ? why : "is not set")
					  .s;
	return true;
}

static bool
read_token_file(struct reader *r, const struct json *v)
{
	struct str text;
	const char *why = NULL;
	if (!need_string(r, v))
		return false;
	const char *path = fs_join(r->a, r->dir, v->string.s);
	if (fs_try_read_most(r->a, path, TOKEN_MAX, &text))
		r->s->http.token = token_of(text, &why);
	else
		why = str_fmt(r->a, "cannot be read: %s", fs_reason()).s;
	if (why)
		r->s->tokenless = str_fmt(r->a, "'%s' %s", path, why).s;
	return true;
}

static bool
read_ca_file(struct reader *r, const struct json *v)
{
	if (!need_string(r, v))
		return false;
	r->s->http.ca_file = fs_join(r->a, r->dir, v->string.s);
	if (fs_is_file(r->s->http.ca_file))
		return true;
	diag_error(r->d, json_place(v), "there is no file '%s'", r->s->http.ca_file);
	return false;
}

static bool
read_timeout(struct reader *r, const struct json *v)
{
	if (v->kind != JSON_NUMBER || v->number < TIMEOUT_MIN_S ||
		v->number > TIMEOUT_MAX_S) {
		diag_error(r->d, json_place(v), "'timeout_s' wants %g to %g",
			TIMEOUT_MIN_S, TIMEOUT_MAX_S);
		return false;
	}
	r->s->http.patience_ns = (int64_t)(v->number * 1e9);
	return true;
}

static const struct {
	const char *name;
	bool (*read)(struct reader *r, const struct json *v);
} keys[] = {
	{"schema", read_schema},
	{"url", read_url},
	{"mode", read_mode},
	{"layout", read_layout},
	{"token_env", read_token_env},
	{"token_file", read_token_file},
	{"ca_file", read_ca_file},
	{"timeout_s", read_timeout},
};

enum { N_KEYS = sizeof keys / sizeof keys[0] };

static void
unknown_key(struct reader *r, const struct json *v)
{
	struct str names[N_KEYS];
	for (size_t i = 0; i < N_KEYS; i++)
		names[i] = str_of(keys[i].name);
	struct str near = str_nearest(v->key, names, N_KEYS);
	diag_error(r->d, json_key_place(v), "unknown key '%.*s'%s%.*s%s", STR_ARG(v->key),
		near.n ? " (did you mean '" : "", STR_ARG(near), near.n ? "'?)" : "");
}

static void
read_members(struct reader *r, const struct json *top)
{
	json_each(v, top)
	{
		size_t i = 0;
		while (i < N_KEYS && !str_is(v->key, keys[i].name))
			i++;
		if (i == N_KEYS)
			unknown_key(r, v);
		else
			(void)keys[i].read(r, v);
	}
}

/* What only all keys together show. */
static void
check_together(struct reader *r, const struct json *top)
{
	const struct json *url = json_get(top, "url"), *env = json_get(top, "token_env"),
			  *file = json_get(top, "token_file");
	if (!json_get(top, "schema"))
		diag_error(r->d, json_place(top),
			"'schema' is missing: "
			"\"lanewise/remote.v1\"");
	if (!url)
		diag_error(r->d, json_place(top), "'url' is missing");
	if (env && file)
		diag_error(r->d, json_key_place(file),
			"'token_env' names a token already; keep one of them");
	if (url && (env || file) && str_starts(url->string, "http://") &&
		!is_loopback(url->string))
		diag_error(r->d, json_place(url),
			"a token would go to it unencrypted; use https");
}

static void
read_file(struct arena *a, const char *path, struct remote_settings *s)
{
	struct diag d = {0};
	struct reader r = {.a = a, .d = &d, .s = s, .dir = fs_dirname(a, path)};
	const struct json *top = json_parse_file(a, path, &d);
	if (top && top->kind != JSON_OBJECT)
		diag_error(&d, json_place(top), "it wants an object");
	if (top && top->kind == JSON_OBJECT) {
		read_members(&r, top);
		check_together(&r, top);
	}
	if (d.errors)
		die("the settings of the remote cache are wrong (LANEWISE_REMOTE); unset "
		    "it "
		    "to work without one");
}

bool
remote_settings_read(struct arena *a, struct remote_settings *s)
{
	const char *named = getenv("LANEWISE_REMOTE");
	*s = (struct remote_settings){
		.http = {.patience_ns = (int64_t)(DEFAULT_TIMEOUT_S * 1e9),
			.body_max = BODY_MAX}};
	if (!named || !*named)
		return false;
	if (!strstr(named, "://")) {
		if (!fs_exists(named))
			die("LANEWISE_REMOTE is '%s': that is no URL "
			    "(https://SERVER/FOLDER), and there is no such file of "
			    "settings; unset it to work without a remote cache",
				named);
		read_file(a, named, s);
		return true;
	}
	const char *fault = url_fault(str_of(named));
	if (fault)
		die("LANEWISE_REMOTE %s", fault);
	set_url(a, s, str_of(named));
	return true;
}
