/*
 * Strict reading of machine-written JSON records (devices, facts, verdicts, results,
 * rows, rankings): every member is asked for by name and type, the first one that is
 * missing or wrong is reported with its place, and from then on all members read as
 * empty.  So a reader is a list of assignments with one test of `ok` at its end.
 *
 *     struct record r = record_open(v, "lanewise/facts.v1", d);
 *     f->registers = record_i64(&r, "registers", -1, INT32_MAX);
 *     return r.ok;
 */
#ifndef MODEL_RECORD_H
#define MODEL_RECORD_H

#include "format/json.h"

/* Numbers in JSON are doubles: integers are exact up to 2^53 and saturate there. */
#define RECORD_MAX_I64 ((int64_t)1 << 53)

struct record {
	const struct json *v; /* the object */
	struct diag *d;
	bool ok;
	const struct json *next; /* where the next member is likely to be */
};

/* v must be an object whose "schema" is `schema` (NULL: a nested object without one).
 * v may be NULL, after a json_parse that failed: then nothing more is printed. */
struct record record_open(const struct json *v, const char *schema, struct diag *d);
/* A nested object; required. */
struct record record_object(struct record *r, const char *key);

/* Required members.  Texts must be valid and may be empty. */
struct str record_str(struct record *r, const char *key);
int64_t record_i64(struct record *r, const char *key, int64_t low, int64_t high);
bool record_bool(struct record *r, const char *key);
/* Finite, or null: NaN. */
double record_f64(struct record *r, const char *key);
/* An array, of `kind` only; NULL when r is no longer ok. */
const struct json *record_array(struct record *r, const char *key, enum json_kind kind);
/* True when the member is there and not null. */
bool record_has(const struct record *r, const char *key);

/* The value as it is, at most RECORD_MAX_DEPTH levels of it (deeper ones, and v NULL:
 * null). */
enum { RECORD_MAX_DEPTH = 16 };
void record_copy(struct json_out *o, const char *key, const struct json *v);

/* Reports at the member (or at the object, key NULL) and clears ok, unless it is clear.
 */
void record_fail(struct record *r, const char *key, const char *fmt, ...) PRINTF(3, 4);

#endif
