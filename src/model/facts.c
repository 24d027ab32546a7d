#include "model/facts.h"

#include "base/arena.h"
#include "model/record.h"

#include <stddef.h>

#define SCHEMA "lanewise/facts.v1"

static const struct {
	const char *key;
	size_t at;
} numbers[] = {
#define N(key) \
	{ \
#key, offsetof(struct facts, key) \
	}
	N(registers),
	N(static_shared_bytes),
	N(local_bytes),
	N(spill_store_bytes),
	N(spill_load_bytes),
	N(barriers),
	N(constant_bytes),
	N(code_bytes),
	N(max_threads),
#undef N
};
enum { N_NUMBERS = sizeof numbers / sizeof *numbers };

struct facts
facts_none(void)
{
	struct facts f = {0};

	for (size_t i = 0; i < N_NUMBERS; i++)
		*(int64_t *)(void *)((char *)&f + numbers[i].at) = -1;
	return f;
}

void
facts_put(struct json_out *o, const char *key, const struct facts *f)
{
	json_open_object(o, key);
	json_put_str(o, "schema", STR_LIT(SCHEMA));
	json_put_str(o, "status", f->status);
	json_put_str(o, "reason", f->reason);
	json_put_str(o, "source", f->source);
	json_put_str(o, "entry", f->entry);
	json_put_str(o, "artifact", f->artifact);
	for (size_t i = 0; i < N_NUMBERS; i++)
		json_put_i64(o, numbers[i].key,
			*(const int64_t *)(const void *)((const char *)f +
							 numbers[i].at));
	json_close_object(o);
}

struct str
facts_write(struct arena *a, const struct facts *f)
{
	struct json_out o = {.b = {.a = a}};

	facts_put(&o, NULL, f);
	return json_done(&o);
}

static bool
is_one_of(struct str s, const char *x, const char *y)
{
	return str_is(s, x) || str_is(s, y);
}

bool
facts_get(const struct json *v, struct facts *f, struct diag *d)
{
	struct record r = record_open(v, SCHEMA, d);

	*f = facts_none();
	f->status = record_str(&r, "status");
	f->reason = record_str(&r, "reason");
	f->source = record_str(&r, "source");
	f->entry = record_str(&r, "entry");
	f->artifact = record_str(&r, "artifact");
	for (size_t i = 0; i < N_NUMBERS; i++)
		*(int64_t *)(void *)((char *)f + numbers[i].at) =
			record_i64(&r, numbers[i].key, -1, RECORD_MAX_I64);
	if (r.ok && !is_one_of(f->status, "ok", "failed"))
		record_fail(&r, "status", "'status' must be \"ok\" or \"failed\"");
	if (r.ok && str_is(f->status, "ok") && !is_one_of(f->artifact, "cubin", "ptx") &&
		!str_is(f->artifact, "object"))
		record_fail(&r, "artifact",
			"'artifact' must be \"cubin\", \"ptx\" or \"object\"");
	return r.ok;
}

struct facts *
facts_read(struct arena *a, const char *path, struct diag *d)
{
	struct facts *f = arena_new(a, struct facts);

	return facts_get(json_parse_file(a, path, d), f, d) ? f : NULL;
}
