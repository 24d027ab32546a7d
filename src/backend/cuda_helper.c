#include "backend/cuda_session.h"

/*
 * PTX 6.0 for compute capability 5.0: every driver since 384 compiles it for every device
 * since.  lanewise_sum adds a number to *to that changes when any of the `words` changes:
 * each 32-bit word is mixed with its index (multiply, xor of a shift, multiply; constants
 * of splitmix64), so that swapped words are seen, too.
 */
static const char ptx[] =
	".version 6.0\n"
	".target sm_50\n"
	".address_size 64\n"
	".visible .entry lanewise_empty()\n"
	"{\n"
	"	ret;\n"
	"}\n"
	".visible .entry lanewise_clock(.param .u64 to, .param .u64 spin_ns)\n"
	"{\n"
	"	.reg .pred %again;\n"
	"	.reg .b32 %sm;\n"
	"	.reg .b64 %to, %end, %ns, %cycles;\n"
	"	mov.u64 %ns, %globaltimer;\n"
	"	ld.param.u64 %end, [spin_ns];\n"
	"	add.u64 %end, %end, %ns;\n"
	"more:\n"
	"	mov.u64 %ns, %globaltimer;\n"
	"	setp.lt.u64 %again, %ns, %end;\n"
	"	@%again bra more;\n"
	"	mov.u64 %ns, %globaltimer;\n"
	"	mov.u64 %cycles, %clock64;\n"
	"	mov.u32 %sm, %smid;\n"
	"	ld.param.u64 %to, [to];\n"
	"	cvta.to.global.u64 %to, %to;\n"
	"	st.global.u64 [%to], %ns;\n"
	"	st.global.u64 [%to+8], %cycles;\n"
	"	st.global.u32 [%to+16], %sm;\n"
	"	ret;\n"
	"}\n"
	".visible .entry lanewise_sum(\n"
	"	.param .u64 from, .param .u64 words, .param .u64 to)\n"
	"{\n"
	"	.reg .pred %done;\n"
	"	.reg .b32 %a, %b, %c, %word;\n"
	"	.reg .b64 %from, %words, %to, %i, %step, %at, %x, %y, %sum;\n"
	"	ld.param.u64 %from, [from];\n"
	"	ld.param.u64 %words, [words];\n"
	"	ld.param.u64 %to, [to];\n"
	"	cvta.to.global.u64 %from, %from;\n"
	"	cvta.to.global.u64 %to, %to;\n"
	"	mov.u32 %a, %ctaid.x;\n"
	"	mov.u32 %b, %ntid.x;\n"
	"	mov.u32 %c, %tid.x;\n"
	"	mul.wide.u32 %i, %a, %b;\n"
	"	cvt.u64.u32 %x, %c;\n"
	"	add.u64 %i, %i, %x;\n"
	"	mov.u32 %a, %nctaid.x;\n"
	"	mul.wide.u32 %step, %a, %b;\n"
	"	mov.u64 %sum, 0;\n"
	"more:\n"
	"	setp.ge.u64 %done, %i, %words;\n"
	"	@%done bra out;\n"
	"	shl.b64 %at, %i, 2;\n"
	"	add.u64 %at, %at, %from;\n"
	"	ld.global.u32 %word, [%at];\n"
	"	cvt.u64.u32 %x, %word;\n"
	"	shl.b64 %y, %i, 32;\n"
	"	xor.b64 %x, %x, %y;\n"
	"	mul.lo.u64 %x, %x, 0x9E3779B97F4A7C15;\n"
	"	shr.u64 %y, %x, 31;\n"
	"	xor.b64 %x, %x, %y;\n"
	"	mul.lo.u64 %x, %x, 0xBF58476D1CE4E5B9;\n"
	"	shr.u64 %y, %x, 29;\n"
	"	xor.b64 %x, %x, %y;\n"
	"	add.u64 %sum, %sum, %x;\n"
	"	add.u64 %i, %i, %step;\n"
	"	bra more;\n"
	"out:\n"
	"	red.global.add.u64 [%to], %sum;\n"
	"	ret;\n"
	"}\n";

void
cuda_helpers_load(struct session *s)
{
	cu_module m = NULL;
	struct cuda_helpers h = {0};
	if (s->api.module_load(&m, ptx, 0, NULL, NULL) == CU_OK &&
		s->api.module_function(&h.empty, m, "lanewise_empty") == CU_OK &&
		s->api.module_function(&h.clock, m, "lanewise_clock") == CU_OK &&
		s->api.module_function(&h.sum, m, "lanewise_sum") == CU_OK)
		s->helper = h;
}

static cu_result
submit(struct session *s, cu_function f, unsigned blocks, unsigned threads, void **params)
{
	struct cu_launch l = {blocks, 1, 1, threads, 1, 1, 0, s->stream, NULL, 0};
	return s->api.launch(&l, f, params, NULL);
}

cu_result
cuda_clock_submit(struct session *s, cu_pointer to, uint64_t spin_ns)
{
	void *params[] = {&to, &spin_ns};
	return submit(s, s->helper.clock, 1, 1, params);
}

cu_result
cuda_sum_submit(struct session *s, cu_pointer from, uint64_t bytes, cu_pointer to)
{
	enum { THREADS = 256, BLOCKS = 1024 };
	uint64_t words = (bytes + 3) / 4, blocks = (words + THREADS - 1) / THREADS;
	void *params[] = {&from, &words, &to};
	return submit(s, s->helper.sum,
		blocks > BLOCKS ? BLOCKS
		: blocks        ? (unsigned)blocks
				: 1,
		THREADS, params);
}
