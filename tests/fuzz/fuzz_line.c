/* Any text as a line of a batch, asked of a kernel with parameters of several types. */
#include "base/arena.h"
#include "cmd/check_line.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static const char ptx[] =
	".version 7.0\n.target sm_70\n.address_size 64\n"
	".visible .entry k(.param .u64 k_param_0, .param .u32 k_param_1,\n"
	"	.param .f32 k_param_2, .param .align 1 .b8 k_param_3[3])\n"
	"{ .reg .pred %p<2>; .reg .b32 %r<3>;\n"
	"  ld.param.u32 %r1, [k_param_1]; mov.u32 %r2, %tid.x;\n"
	"  setp.ge.u32 %p1, %r2, %r1; @%p1 bra SKIP; bar.sync 0;\n"
	"SKIP: ret; }\n";

static void
ask(struct arena *a, const struct check_line *l, const struct check_kernel *k)
{
	struct gate_query q;
	struct str why = {0};
	bool ok = check_query(a, &l->c, k, &q, &why) &&
		  check_dim(a, "block", l->block, &q.launch.block, &why) &&
		  check_dim(a, "grid", l->grid, &q.launch.grid, &why);

	if (ok == (why.n > 0))
		abort();
	if (ok)
		gate_check(a, k->k, &q);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct arena a = {0};
	struct diag d = {0};
	struct source src = {"k.ptx", {ptx, sizeof ptx - 1}};
	struct check_line l;
	struct check_kernel k;
	struct str why = {0};
	const struct ptx_module *m = ptx_parse(&a, &src, &d);

	if (!m || !check_prepare(&a, m, str_of("k"), &k, &why))
		abort();
	bool ok = check_line_parse(&a, (struct str){(const char *)data, n}, &l, &why);
	if (ok != !why.n)
		abort();
	if (ok)
		ask(&a, &l, &k);
	arena_release(&a);
	return 0;
}
