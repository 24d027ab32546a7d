#include "model/certificate.h"

#include "base/arena.h"
#include "model/record.h"

#define SCHEMA "lanewise/certify.v1"

static const char *const status_names[] = {
#define X(id, name) name,
	CHECK_STATUSES(X)
#undef X
};

const char *
check_status_name(enum check_status s)
{
	return (unsigned)s < N_CHECK_STATUSES ? status_names[s] : "?";
}

static bool
status_find(struct str name, enum check_status *out)
{
	for (int i = 0; i < N_CHECK_STATUSES; i++)
		if (str_is(name, status_names[i])) {
			*out = (enum check_status)i;
			return true;
		}
	return false;
}

struct str
certificate_write(struct arena *a, const struct certificate *c)
{
	struct json_out o = {.b = {.a = a}};

	json_open_object(&o, NULL);
	json_put_str(&o, "schema", STR_LIT(SCHEMA));
	json_put_str(&o, "kernel", c->kernel);
	json_put_str(&o, "size", c->size);
	json_put_str(&o, "candidate", c->candidate);
	json_put_str(&o, "artifact", c->artifact);
	json_put_str(&o, "launch", c->launch);
	json_put_c(&o, "kind", result_kind_name(c->kind));
	json_put_str(&o, "checker", c->checker);
	json_put_str(&o, "device", c->device);
	json_put_str(&o, "device_uuid", c->device_uuid);
	json_put_str(&o, "driver", c->driver);
	json_open_array(&o, "checks", false);
	for (size_t i = 0; i < c->n; i++) {
		json_open_object(&o, NULL);
		json_put_str(&o, "tool", c->checks[i].tool);
		json_put_c(&o, "status", check_status_name(c->checks[i].status));
		json_put_i64(&o, "errors", c->checks[i].errors);
		json_put_str(&o, "said", c->checks[i].said);
		json_close_object(&o);
	}
	json_close_array(&o);
	json_close_object(&o);
	return json_done(&o);
}

static bool
get_check(const struct json *v, struct check *c, struct diag *d)
{
	struct record r = record_open(v, NULL, d);
	struct str status;

	c->tool = record_str(&r, "tool");
	status = record_str(&r, "status");
	if (r.ok && !status_find(status, &c->status))
		record_fail(&r, "status", "unknown status of a check");
	c->errors = record_i64(&r, "errors", -1, RECORD_MAX_I64);
	c->said = record_str(&r, "said");
	return r.ok;
}

struct certificate *
certificate_read(struct arena *a, const struct json *v, struct diag *d)
{
	struct record r = record_open(v, SCHEMA, d);
	struct certificate *c = arena_new(a, struct certificate);
	const struct json *checks;
	struct str kind;

	c->kernel = record_str(&r, "kernel");
	c->size = record_str(&r, "size");
	c->candidate = record_str(&r, "candidate");
	c->artifact = record_str(&r, "artifact");
	c->launch = record_str(&r, "launch");
	kind = record_str(&r, "kind");
	if (r.ok && !result_kind_find(kind, &c->kind))
		record_fail(&r, "kind", "unknown kind of a result");
	c->checker = record_str(&r, "checker");
	c->device = record_str(&r, "device");
	c->device_uuid = record_str(&r, "device_uuid");
	c->driver = record_str(&r, "driver");
	checks = record_array(&r, "checks", JSON_OBJECT);
	if (!checks || !r.ok)
		return NULL;
	c->checks = arena_news(a, checks->n, struct check);
	json_each(k, checks)
	{
		if (!get_check(k, &c->checks[c->n++], d))
			return NULL;
	}
	return c;
}
