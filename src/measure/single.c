#include "measure/measure_parts.h"

#include "base/arena.h"

/*
 * What a caller waits for one launch: submitting it to a device that has nothing to do,
 * and seeing its end.  Batches hide that.  The readings stand beside those of batches and
 * are compared with nothing: clocks are lower on an idle device, and the host's clock
 * sees what else the host does.
 */
bool
take_singles(struct measure *m, struct arena *a, struct timed *t, struct result *r,
	struct fault *f)
{
	struct batch alone = {1, LAUNCH_STREAM, t->batch.cache, true};
	size_t n = t->ns > SLOW_LAUNCH_NS ? 1 : SINGLES;
	int64_t allowed = measure_later_ns(t->ns);

	r->singles = arena_news(a, n, struct reading);
	r->n_singles = 0;
	for (size_t i = 0; i < n; i++) {
		struct reading *out = &r->singles[r->n_singles];
		measure_step(m, "single", allowed);
		if (!m->ops->time(m->s, t->l, &alone, measure_now(m) + allowed, out, f))
			return false;
		measure_end(m);
		/* One that is shorter than a step of the device's clock is none. */
		r->n_singles += out->ns > 0;
	}
	return true;
}
