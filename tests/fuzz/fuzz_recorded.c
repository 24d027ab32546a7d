/* Any text as what another tuner wrote: results, a T1 file, a kernel.toml.  What is read
 * as results can be written in every format and simulated. */
#include "base/arena.h"
#include "search/outline.h"
#include "search/simulate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { ROWS_MAX = 200, STEPS_MAX = 20000 };

static void
use(struct arena *a, const struct recorded *r)
{
	const struct strategy *v = strategy_find(STR_LIT("auto"));
	struct simulate_ask ask = {r, &v, 1, 0, 1, 1, 3};
	recorded_write_kt(a, r);
	recorded_write_t4(a, r);
	recorded_write_csv(a, r);
	for (size_t i = 0; i < r->n && r->n <= ROWS_MAX; i++)
		if (!r->rows[i].fault) {
			struct simulation s = simulate(a, &ask);
			simulation_text(a, &s);
			simulation_json(a, &s);
			return;
		}
}

/* What came of it is a spec, or text that the reader of specs complains about. */
static void
build(struct arena *a, const struct outline *o, struct diag *d)
{
	struct source src = {"spec", outline_write(a, o)};
	struct space_ask ask = {.steps = STEPS_MAX};
	const struct spec *spec = spec_parse(a, &src, d);
	if (spec)
		space_ask(a, &spec->kernels[0], &ask, d);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static FILE *nowhere;
	if (!nowhere && !(nowhere = fopen("/dev/null", "w")))
		return 0;
	struct arena a = {0};
	struct diag d = {.to = nowhere};
	struct source src = {"fuzz", {(const char *)data, n}};
	const struct recorded *r = recorded_parse(&a, &src, (struct str){0}, &d);
	if (!r != (d.errors > 0))
		abort();
	if (r)
		use(&a, r);
	for (int f = OUTLINE_T1; f <= OUTLINE_LAUNCHBOUND; f++) {
		unsigned before = d.errors;
		struct outline *o = outline_read(&a, &src, (enum outline_format)f, &d);
		if (!o != (d.errors > before))
			abort();
		if (o)
			build(&a, o, &d);
	}
	arena_release(&a);
	return 0;
}
