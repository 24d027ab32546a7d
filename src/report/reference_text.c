#include "report/reference_text.h"

#include "base/arena.h"
#include "base/buf.h"
#include "perf/rank_reference.h"
#include "report/show.h"

#include <math.h>

static void
rate(struct buf *b, double v, const char *unit)
{
	if (isfinite(v))
		buf_addf(b, ", %.*f %s", v < 100 ? 1 : 0, v, unit);
}

static void
speed(struct buf *b, const struct rank_size *s, const struct rank_reference *r)
{
	buf_addf(b, "%.*s%s", STR_ARG(time_text(b->a, r->median_ns)),
		result_kind_shout(s->kind));
	rate(b, rank_reference_gflops(r), "GFLOP/s");
	rate(b, rank_reference_gbps(r), "GB/s");
	if (isfinite(r->ratio))
		buf_addf(b, "; the champion takes %.3f [%.3f, %.3f] times as long",
			r->ratio, r->ratio_low, r->ratio_high);
	else
		buf_addf(b, "; not compared: %.*s", STR_ARG(r->reason));
	if (r->drifted)
		buf_addf(b, "; its own time CHANGED by %+.2f %% during the final",
			r->drift * 100);
	else if (isfinite(r->drift))
		buf_addf(b, "; its own time drifted by %+.2f %% in the final",
			r->drift * 100);
}

struct str
reference_text(struct arena *a, const struct rank_size *s)
{
	const struct rank_reference *r = &s->reference;
	struct buf b = {.a = a};

	if (!r->exists)
		return (struct str){0};
	buf_addf(&b, "reference %.*s: ", STR_ARG(r->name));
	if (isfinite(r->median_ns))
		speed(&b, s, r);
	else if (r->status == RESULT_TROUBLE && r->reason.n)
		buf_addf(&b, "not timed: %.*s", STR_ARG(r->reason));
	else
		buf_addf(&b, "NO TIME: %s%s%.*s",
			r->status == RESULT_OK ? "" : result_status_name(r->status),
			r->status == RESULT_OK || !r->reason.n ? "" : ": ",
			STR_ARG(r->reason));
	return buf_str(&b);
}
