#include "captured.h"

#include "toolchain/paramuse.h"

static const char PTX[] =
	".version 7.8\n.target sm_90\n.address_size 64\n"
	".extern .shared .align 16 .b8 pool[];\n"
	".visible .entry k(.param .u64 in, .param .u64 out, .param .u64 both, .param "
	".u32 n,\n"
	"  .param .u64 unused, .param .u64 big, .param .align 8 .b8 pair[16])\n{\n"
	"\t.reg .b64 %rd<20>;\n\t.reg .b32 %r<9>;\n\t.reg .f64 %fd<3>;\n\t.reg .pred "
	"%p<2>;\n"
	"\tld.param.u64 %rd1, [in];\n\tld.param.u64 %rd2, [out];\n\tld.param.u64 %rd3, "
	"[both];\n"
	"\tld.param.u32 %r1, [n];\n\tld.param.u64 %rd9, [big];\n"
	"\tmov.u32 %r2, %tid.y;\n\tmov.u32 %r3, %ctaid.x;\n"
	"\tcvta.to.global.u64 %rd4, %rd1;\n\tcvta.to.global.u64 %rd5, %rd2;\n"
	"\tcvta.to.global.u64 %rd6, %rd3;\n"
	"\tadd.s64 %rd7, %rd4, %rd9;\n"
	"L0:\n\tld.global.f64 %fd1, [%rd8];\n\tst.global.s16 [%rd5+8], %r1;\n"
	"\tmov.u64 %rd8, %rd7;\n\tatom.global.add.u32 %r4, [%rd6], 1;\n"
	"\tsetp.lt.s64 %p1, %rd7, %rd8;\n\t@%p1 bra L0;\n\tret;\n}\n";

static void
says_what_is_done_with_parameters(void **state)
{
	struct captured *c = *state;
	const struct ptx_module *m = ptx_parse(&c->a, captured_source(c, PTX), &c->d);
	if (!m)
		fail_msg("%s", captured_take(c));
	struct kernel_use u = kernel_use(&c->a, m, ptx_find_func(m, STR_LIT("k")));
	const struct param_use *p = u.params;
	/* the load through %rd8, which is assigned further down, counts */
	assert_true(p[0].pointer && p[0].loaded && !p[0].stored);
	assert_true(p[0].typed && p[0].type == DTYPE_F64);
	assert_true(p[1].pointer && !p[1].loaded && p[1].stored);
	assert_true(p[1].typed && p[1].type == DTYPE_I16);
	assert_true(p[2].pointer && p[2].loaded && p[2].stored);
	assert_true(p[2].typed && p[2].type == DTYPE_U32);
	assert_false(p[3].pointer);
	assert_false(p[4].pointer);
	assert_false(p[5].pointer); /* an offset is added, but no address is made of it */
	assert_false(p[6].pointer);
	assert_int_equal(u.block_dims, 2);
	assert_int_equal(u.grid_dims, 1);
	assert_true(u.dynamic_shared);
}

/* blockIdx.x < cols and blockIdx.y < rows, whichever parameter comes first. */
static void
says_what_blocks_are_compared_with(void **state)
{
	struct captured *c = *state;
	static const char text[] =
		".version 7.8\n.target sm_90\n.address_size 64\n"
		".visible .entry k(.param .u32 rows, .param .u32 cols, .param .u32 "
		"z)\n{\n"
		"\t.reg .b32 %r<9>;\n\t.reg .pred %p<4>;\n"
		"\tld.param.u32 %r1, [rows];\n\tld.param.u32 %r2, [cols];\n"
		"\tld.param.u32 %r7, [z];\n"
		"\tmov.u32 %r3, %tid.x;\n\tmad.lo.s32 %r4, %ctaid.x, 32, %r3;\n"
		"\tmov.u32 %r5, %ctaid.y;\n\tshl.b32 %r5, %r5, 3;\n"
		"\tsetp.ge.s32 %p1, %r4, %r2;\n\tsetp.lt.s32 %p2, %r1, %r5;\n"
		"\tadd.s32 %r6, %r4, %r5;\n\tsetp.lt.s32 %p3, %r6, %r7;\n\tret;\n}\n";
	const struct ptx_module *m = ptx_parse(&c->a, captured_source(c, text), &c->d);
	if (!m)
		fail_msg("%s", captured_take(c));
	struct kernel_use u = kernel_use(&c->a, m, ptx_find_func(m, STR_LIT("k")));
	assert_int_equal(u.grid_bound[0], 2);
	assert_int_equal(u.grid_bound[1], 1);
	assert_int_equal(u.grid_bound[2], 0);
}

/* What newer clang (seen: 22.1) makes of a kernel in OpenCL C that it does not inline. */
static void
looks_behind_the_entry_of_clang(void **state)
{
	struct captured *c = *state;
	static const char text[] =
		".version 8.8\n.target sm_80\n.address_size 64\n"
		".func __clang_ocl_kern_imp_k(.param .b64 p0, .param .b64 p1, .param "
		".b32 "
		"p2);\n"
		".entry k(.param .u64 .ptr .global .align 4 k0,\n"
		"  .param .u64 .ptr .global .align 4 k1, .param .u32 k2)\n{\n"
		"\t.reg .b32 %r<3>;\n\t.reg .b64 %rd<3>;\n"
		"\t{\n\t.param .b64 a0;\n\t.param .b64 a1;\n\t.param .b32 a2;\n"
		"\tld.param.b32 %r2, [k2];\n\tst.param.b32 [a2], %r2;\n"
		"\tld.param.b64 %rd1, [k1];\n\tst.param.b64 [a1], %rd1;\n"
		"\tld.param.b64 %rd2, [k0];\n\tst.param.b64 [a0], %rd2;\n"
		"\tcall.uni __clang_ocl_kern_imp_k, (a0, a1, a2);\n\t}\n\tret;\n}\n"
		".func __clang_ocl_kern_imp_k(.param .b64 p0, .param .b64 p1, .param "
		".b32 "
		"p2)\n{\n"
		"\t.reg .b32 %r<9>;\n\t.reg .b64 %rd<6>;\n\t.reg .pred %p<2>;\n"
		"\tld.param.b64 %rd1, [p0];\n\tld.param.b64 %rd2, [p1];\n"
		"\tld.param.b32 %r1, [p2];\n\tmov.u32 %r2, %ctaid.y;\n"
		"\tmov.u32 %r3, %tid.y;\n\tsetp.ge.s32 %p1, %r2, %r1;\n"
		"\tld.global.b32 %r4, [%rd1];\n\tld.global.b32 %r5, [%rd2];\n"
		"\tst.global.b32 [%rd2], %r4;\n\tret;\n}\n";
	const struct ptx_module *m = ptx_parse(&c->a, captured_source(c, text), &c->d);
	if (!m)
		fail_msg("%s", captured_take(c));
	struct kernel_use u = kernel_use(&c->a, m, ptx_find_func(m, STR_LIT("k")));
	assert_true(u.params[0].pointer && u.params[0].loaded && !u.params[0].stored);
	assert_true(u.params[1].pointer && u.params[1].loaded && u.params[1].stored);
	assert_false(u.params[2].pointer);
	assert_int_equal(u.block_dims, 2);
	assert_int_equal(u.grid_dims, 2);
	assert_int_equal(u.grid_bound[1], 3);
}

static void
types_scalars(void **state)
{
	(void)state;
	assert_int_equal(ptx_param_type(PTX_T_u32, 4), DTYPE_U32);
	assert_int_equal(ptx_param_type(PTX_T_s64, 8), DTYPE_I64);
	assert_int_equal(ptx_param_type(PTX_T_f32, 4), DTYPE_F32);
	assert_int_equal(ptx_param_type(PTX_T_f16, 2), DTYPE_F16);
	assert_int_equal(ptx_param_type(PTX_T_bf16, 2), DTYPE_BF16);
	assert_int_equal(ptx_param_type(PTX_T_b8, 1), DTYPE_U8);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		captured_test(says_what_is_done_with_parameters),
		captured_test(says_what_blocks_are_compared_with),
		captured_test(looks_behind_the_entry_of_clang),
		captured_test(types_scalars),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
