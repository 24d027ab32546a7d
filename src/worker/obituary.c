#include "worker/obituary.h"

#include "base/arena.h"

#include <math.h>

static enum result_kind
kind_of(const struct device *dev)
{
	return backend_of(dev)->kind;
}

static struct str
of_candidate(struct arena *a, const struct job *j, const struct device *dev,
	enum result_status status, struct str reason)
{
	struct result r = result_none();
	struct str point = j->member[0].point;
	size_t at = point.n;

	while (at > 0 && point.s[at - 1] != '@')
		at--;
	r.kernel = j->kernel;
	r.size = j->size;
	r.candidate = at ? str_sub(point, 0, at - 1) : point;
	r.kind = kind_of(dev);
	r.status = status;
	r.reason = reason;
	r.window.cache = j->cache;
	r.device = dev->name;
	r.device_uuid = dev->uuid;
	r.driver = dev->driver;
	return result_write(a, &r);
}

static struct str
of_final(struct arena *a, const struct job *j, const struct device *dev,
	enum result_status status, struct str reason)
{
	struct final_record f = {.kernel = j->kernel,
		.size = j->size,
		.kind = kind_of(dev),
		.status = status,
		.reason = reason,
		.cache = j->cache,
		.members = arena_news(a, j->n, struct final_member),
		.n_members = j->n,
		.device = dev->name,
		.device_uuid = dev->uuid,
		.driver = dev->driver};

	for (size_t i = 0; i < j->n; i++)
		f.members[i] = (struct final_member){.point = j->member[i].point,
			.role = j->member[i].role,
			.status = status,
			.reason = reason,
			.joules = (double)NAN,
			.joules_error = (double)NAN};
	return final_record_write(a, &f);
}

struct str
obituary_text(struct arena *a, const struct job *j, const struct device *dev,
	enum result_status status, struct str reason)
{
	return j->kind == JOB_FINAL ? of_final(a, j, dev, status, reason)
				    : of_candidate(a, j, dev, status, reason);
}
