/* Any text as a spec: read, and when it is one, its spaces, launches and names. */
#include "base/arena.h"
#include "space/space.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { RAW_MAX = 2000, SHOWN = 8, STEPS_MAX = 50000 };

static bool
is_small(const struct kernel *k)
{
	size_t raw = 1;
	for (size_t i = 0; i < k->n_params && raw <= RAW_MAX; i++)
		raw *= k->params[i].n_values;
	return raw <= RAW_MAX;
}

static void
derive(struct arena *a, const struct kernel *k, const struct candidate *c, struct diag *d)
{
	struct scope s = {k, c, &k->sizes[0], NULL};
	struct launch l;
	struct arg *v;
	size_t n;
	double work;
	candidate_name(a, k, c);
	specialization_name(a, k, c);
	specialization_defines(a, k, c);
	specialization_source(a, k, c);
	if (candidate_launch(a, &s, &l, d))
		launch_text(a, &l);
	if (candidate_args(a, &s, &v, &n, d))
		args_text(a, v, n);
	candidate_number(a, &s, k->work_bytes, &work, d);
}

/* Places and candidates are two names of one thing. */
static void
derive_nth(struct arena *a, const struct space *s, uint64_t i, struct diag *d)
{
	uint16_t choice[SPEC_PARAMS_MAX];
	uint64_t at = 0;
	struct candidate c = {choice, space_nth(s, i, choice)};
	if (!c.sizes || space_find(s, choice, &at) != c.sizes || at != i)
		abort();
	derive(a, s->kernel, &c, d);
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
	struct spec *s = spec_parse(&a, &src, &d);
	if (!s != (d.errors > 0))
		abort();
	for (size_t i = 0; s && i < s->n_kernels; i++) {
		const struct kernel *k = &s->kernels[i];
		struct space_ask ask = {.steps = STEPS_MAX};
		struct space *space = is_small(k) ? space_build(&a, k, NULL, &d)
						  : space_ask(&a, k, &ask, &d);
		for (size_t j = 0; space && j < space->count && j < SHOWN; j++)
			derive_nth(&a, space, j, &d);
	}
	arena_release(&a);
	return 0;
}
