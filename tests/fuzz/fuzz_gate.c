/*
 * Any bytes as PTX, judged at a few launches: no crash, no unbounded run, and the same
 * answer twice.
 */
#include "base/arena.h"
#include "base/diag.h"
#include "gate/gate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { ENTRIES_MAX = 3, ARGS_MAX = 8 };

static const struct dim blocks[] = {{32, 1, 1}, {100, 1, 1}, {16, 16, 1}};
static const struct dim grids[] = {{1, 1, 1}, {7, 3, 1}, {100000, 1, 1}};

static FILE *
nowhere(void)
{
	static FILE *f;
	if (!f)
		f = fopen("/dev/null", "w");
	return f;
}

static void
judge(struct arena *a, const struct ptx_module *m, struct str entry, unsigned i,
	uint8_t x)
{
	static const unsigned char zeros[8];
	unsigned char small[8] = {x};
	struct str why = {0};
	struct gate_arg args[ARGS_MAX] = {0};
	struct gate_query q = {
		.launch = {.block = blocks[i], .grid = grids[i], .cluster = {1, 1, 1}},
		.args = args,
		.n_args = ARGS_MAX,
		.exit_release = i == 1};
	struct gate_kernel *k = gate_prepare(a, m, entry, &why);
	if (!k)
		return;
	for (unsigned j = 0; j < ARGS_MAX && i; j++)
		args[j] = (struct gate_arg){
			GATE_ARG_BYTES, i == 1 ? small : zeros, sizeof small};
	struct verdict v = gate_check(a, k, &q), w = gate_check(a, k, &q);
	if (v.kind != w.kind || v.n_findings != w.n_findings)
		BUG("two answers to one question");
	if ((v.kind == VERDICT_CLEAN) != (v.n_findings == 0))
		BUG("a verdict without a finding, or the other way round");
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct arena a = {0};
	struct diag d = {.to = nowhere()};
	struct source src = {"fuzz.ptx", {(const char *)data, n}};
	const struct ptx_module *m = n < 200000 ? ptx_parse(&a, &src, &d) : NULL;
	unsigned entries = 0;
	for (uint32_t f = 0; m && f < m->n_funcs && entries < ENTRIES_MAX; f++) {
		if (!m->funcs[f].entry || !m->funcs[f].defined)
			continue;
		entries++;
		for (unsigned i = 0; i < 3; i++)
			judge(&a, m, m->funcs[f].name, i, data[n / 2]);
	}
	arena_release(&a);
	return 0;
}
