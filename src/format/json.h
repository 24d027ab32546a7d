/*
 * JSON: the reader (cJSON behind typed, positioned nodes) and the writer.
 *
 * The reader takes // and block comments (blanked out before parsing, so positions hold)
 * and rejects duplicate keys, trailing garbage, nesting over 200 and non-finite
 * numbers, with file:line:col.  Nodes live in the arena.
 */
#ifndef FORMAT_JSON_H
#define FORMAT_JSON_H

#include "base/buf.h"
#include "base/diag.h"

enum json_kind {
	JSON_NULL,
	JSON_BOOL,
	JSON_NUMBER,
	JSON_STRING,
	JSON_ARRAY,
	JSON_OBJECT
};

struct json {
	enum json_kind kind;
	struct str key; /* member name when the parent is an object */
	struct str
		string; /* JSON_STRING: decoded, NUL-terminated; may hold no NUL inside */
	double number;  /* JSON_NUMBER; integers are exact up to 2^53 */
	bool real;      /* JSON_NUMBER: written with a '.' or an exponent */
	bool boolean;   /* JSON_BOOL */
	size_t n;       /* number of children */
	struct json *parent, *child, *next;
	const struct source *src; /* the text it came from */
	uint32_t line, col;       /* where the value starts; 1-based, columns in bytes */
	uint32_t key_line, key_col; /* where its key's quote stands; 0 if it has none */
};

/* NOLINTNEXTLINE(bugprone-macro-parentheses): v is declared here */
#define json_each(v, of) for (const struct json *v = (of)->child; (v); (v) = (v)->next)

/* NULL after a diag_error.  src must live as long as the nodes. */
struct json *json_parse(struct arena *a, const struct source *src, struct diag *d);
/* A file's text as a source; NULL after a diag_error. */
const struct source *json_source(struct arena *a, const char *path, struct diag *d);
/* Reads and parses a file; NULL after a diag_error (also when it cannot be read). */
struct json *json_parse_file(struct arena *a, const char *path, struct diag *d);

/* Place of a value, and of the key of an object's member (of the value if it has none).
 * The text of a string starts one column after its place. */
struct place json_place(const struct json *v);
struct place json_key_place(const struct json *v);

/* Member of an object, or NULL (also when obj is NULL or no object). */
const struct json *json_get(const struct json *obj, const char *key);
const char *json_kind_name(enum json_kind k); /* "an object", "a number", ... */

/* Typed members with a default, for files that this program wrote itself. */
struct str json_get_str(const struct json *obj, const char *key);
double json_get_f64(const struct json *obj, const char *key, double absent);
int64_t json_get_i64(const struct json *obj, const char *key, int64_t absent);
bool json_get_bool(const struct json *obj, const char *key, bool absent);
/* A number that is whole and in the range of int64 (exact up to 2^53). */
bool json_is_i64(const struct json *v, int64_t *out);

/*
 * The writer (json_out.c): keys in the order written, two spaces a level, arrays of
 * scalars on one line, doubles as the shortest text that reads back equal, non-finite
 * ones as null, bytes that are not UTF-8 as U+FFFD.  At most 60 levels. `key` is NULL
 * inside arrays and at the top.
 */
struct json_out {
	struct buf b;
	unsigned depth;
	bool compact;       /* everything on one line (set before the first call) */
	bool some;          /* the open container has a member already */
	unsigned long flat; /* bit per depth: array printed on one line */
};

void json_open_object(struct json_out *o, const char *key);
void json_close_object(struct json_out *o);
/* flat: the elements stay on one line. */
void json_open_array(struct json_out *o, const char *key, bool flat);
void json_close_array(struct json_out *o);
void json_put_str(struct json_out *o, const char *key, struct str v);
void json_put_c(struct json_out *o, const char *key, const char *v); /* NULL: null */
void json_put_i64(struct json_out *o, const char *key, int64_t v);
void json_put_f64(struct json_out *o, const char *key, double v);
/* The same, and a whole number keeps a ".0": it reads back as a real one. */
void json_put_real(struct json_out *o, const char *key, double v);
void json_put_bool(struct json_out *o, const char *key, bool v);
void json_put_null(struct json_out *o, const char *key);
/* The text, ended by a newline. */
struct str json_done(struct json_out *o);

#endif
