#include "captured.h"

#include "base/buf.h"
#include "ptx/lex.h"
#include "ptx/ptx.h"

#define HEAD ".version 8.5\n.target sm_90a, debug\n.address_size 64\n"
#define KERNEL(body) \
	HEAD ".visible .entry k(.param .u64 p)\n{\n" \
	     ".reg .pred %p<9>; .reg .b32 %r<99>; .reg .b64 %rd<99>;\n" body "\n}\n"

static const struct ptx_module *
parse(struct captured *c, const char *text)
{
	struct source *src = captured_source(c, text);
	src->name = "t.ptx";
	return ptx_parse(&c->a, src, &c->d);
}

static const struct ptx_func *
parse_kernel(struct captured *c, const char *text)
{
	const struct ptx_module *m = parse(c, text);
	if (!m)
		fail_msg("refused: %s", captured_take(c));
	return &m->funcs[0];
}

static void
reads_the_head(void **state)
{
	struct captured *c = *state;
	const struct ptx_module *m = parse(c, HEAD);
	assert_int_equal(m->version, 85);
	assert_int_equal(m->sm, 90);
	assert_int_equal(m->sm_suffix, 'a');
	assert_true(str_is(m->target, "sm_90a"));
	assert_true(str_is(m->target_options, "debug"));
	assert_int_equal(m->address_bits, 64);
}

static void
reads_kernels_and_their_limits(void **state)
{
	struct captured *c = *state;
	const struct ptx_module *m = parse(c,
		HEAD ".visible .entry k(\n"
		     ".param .u64 .ptr .global .align 16 a,\n"
		     ".param .align 8 .b8 s[24],\n.param .v4 .f32 v, .param .u16 h)\n"
		     ".maxntid 256\n.minnctapersm 2 .maxnreg 64\n.explicitcluster\n"
		     ".reqnctapercluster 2, 1, 1 .maxclusterrank 8\n{ ret; }\n"
		     ".weak .entry q() .reqntid 32, 4, 2 {}\n");
	assert_non_null(m);
	const struct ptx_func *k = &m->funcs[0];
	assert_true(k->entry && k->defined && k->link == PTX_LINK_VISIBLE);
	assert_int_equal(k->n_params, 4);
	const struct ptx_var *v = &m->vars[k->params];
	assert_true(v[0].ptr && v[0].ptr_space == PTX_SPACE_GLOBAL);
	assert_int_equal(v[0].ptr_align, 16);
	assert_int_equal(v[0].align, 8);
	assert_int_equal(v[1].bytes, 24);
	assert_int_equal(v[1].align, 8);
	assert_true(v[1].array);
	assert_int_equal(v[2].bytes, 16);
	assert_int_equal(v[3].bytes, 2);
	assert_int_equal(v[3].param, 3);
	assert_int_equal(k->maxntid.v[0], 256);
	assert_int_equal(k->maxntid.v[2], 1);
	assert_int_equal(k->minnctapersm, 2);
	assert_int_equal(k->maxnreg, 64);
	assert_true(k->explicit_cluster);
	assert_int_equal(k->cluster.v[0], 2);
	assert_int_equal(k->maxclusterrank, 8);
	assert_int_equal(m->funcs[1].reqntid.v[1], 4);
	assert_int_equal(m->funcs[1].maxntid.v[0], 0);
}

static void
counts_shared_memory(void **state)
{
	struct captured *c = *state;
	const struct ptx_module *m =
		parse(c, HEAD ".extern .shared .align 16 .b8 dyn[];\n.shared .align 4 "
			      ".b8 a[5], b[2][3];\n"
			      ".entry k() { .shared .align 16 .f64 x[3]; .shared .b8 y;\n"
			      ".local .align 8 .b8 __local_depot0[40]; ret; }\n");
	assert_true(m->vars[0].dynamic);
	assert_int_equal(m->vars[0].bytes, 0);
	assert_int_equal(m->vars[2].bytes, 6);
	assert_int_equal(m->shared_bytes, 14);
	assert_int_equal(m->funcs[0].shared_bytes, 25);
	assert_int_equal(m->funcs[0].local_bytes, 40);
}

static void
registers_exist_once_they_are_named(void **state)
{
	struct captured *c = *state;
	const struct ptx_func *f = parse_kernel(
		c, KERNEL(".reg .b32 %q<4000000000>; mov.u32 %q3999999999, %r7; ret;"));
	assert_int_equal(f->n_regs, 3);
	assert_int_equal(f->regs[0].type, PTX_T_pred); /* the carry flag */
	assert_true(str_is(f->regs[1].name, "%q3999999999"));
	assert_true(str_is(f->regs[2].name, "%r7"));
}

static void
scopes_shadow(void **state)
{
	struct captured *c = *state;
	const struct ptx_func *f = parse_kernel(
		c, KERNEL("setp.ne.s32 %p1, %r1, 0;\n"
			  "{ .reg .pred %p1; setp.eq.s32 %p1, %r1, 0; { .reg .b32 %r1;\n"
			  "mov.u32 %r1, 1; } L: @%p1 bra L; }\n"
			  "@%p1 bra L; L: ret;"));
	ptx_reg outer = ptx_operand(&f->ins[0], 0)->id;
	ptx_reg inner = ptx_operand(&f->ins[1], 0)->id;
	assert_int_not_equal(outer, inner);
	assert_int_equal(f->ins[3].guard, inner);
	assert_int_equal(f->ins[4].guard, outer);
	assert_int_equal(f->labels[ptx_operand(&f->ins[3], 0)->id].ins, 3);
	assert_int_equal(f->labels[ptx_operand(&f->ins[4], 0)->id].ins, 5);
	assert_int_not_equal(
		ptx_operand(&f->ins[2], 0)->id, ptx_operand(&f->ins[0], 1)->id);
}

static void
operands_keep_their_shape(void **state)
{
	struct captured *c = *state;
	const struct ptx_func *f = parse_kernel(
		c, KERNEL("ld.global.v2.u32 {%r1, _}, [%rd1+-16];\n"
			  "shfl.sync.bfly.b32 %r1|%p1, %r2, 1, 0x1f, -1;\n"
			  "mov.f32 %r1, 0f3f800000; mov.f64 %rd1, -1.5;\n"
			  "mov.u32 %r1, %ctaid.y; mov.u32 %r1, %envreg3;\n"
			  "mov.u32 %r1, WARP_SZ; add.s32 %r1, %r2, (3*4+1);\n"
			  "cp.async.bulk.tensor.2d.global.shared::cta [%rd1, {%r1, "
			  "%r2}], [%r3];\n"
			  "setp.lt.and.s32 %p1, %r1, 010, !%p2; ret;"));
	const struct ptx_operand *o = ptx_operand(&f->ins[0], 0);
	assert_int_equal(o->kind, PTX_O_VEC);
	assert_int_equal(ptx_parts(o), 2);
	assert_int_equal(ptx_part(o, 1)->kind, PTX_O_SINK);
	assert_null(ptx_part(o, 2));
	o = ptx_operand(&f->ins[0], 1);
	assert_int_equal(o->kind, PTX_O_ADDR);
	assert_int_equal(o->i, -16);
	assert_int_equal(ptx_operand(&f->ins[1], 0)->kind, PTX_O_PAIR);
	assert_int_equal(f->ins[1].n_ops, 5);
	assert_int_equal(ptx_membermask(&f->ins[1])->i, -1);
	assert_int_equal(ptx_operand(&f->ins[2], 1)->kind, PTX_O_F32);
	assert_int_equal(ptx_operand(&f->ins[2], 1)->i, 0x3f800000);
	assert_true((uint64_t)ptx_operand(&f->ins[3], 1)->i == 0xbff8000000000000u);
	o = ptx_operand(&f->ins[4], 1);
	assert_int_equal(o->id, PTX_SREG_CTAID);
	assert_int_equal(o->part, 'y');
	o = ptx_operand(&f->ins[5], 1);
	assert_int_equal(o->kind, PTX_O_SREG);
	assert_int_equal(o->id, PTX_SREG_UNKNOWN);
	assert_int_equal(ptx_operand(&f->ins[6], 1)->i, 32);
	assert_int_equal(ptx_operand(&f->ins[7], 2)->i, 13);
	o = ptx_operand(&f->ins[8], 0);
	assert_int_equal(ptx_parts(o), 2);
	assert_int_equal(ptx_part(o, 1)->kind, PTX_O_VEC);
	assert_int_equal(f->ins[8].n_dst, 0);
	assert_int_equal(ptx_operand(&f->ins[9], 2)->i, 8);
	assert_true(ptx_operand(&f->ins[9], 3)->neg);
}

static void
barriers_have_id_and_count(void **state)
{
	struct captured *c = *state;
	const struct ptx_func *f = parse_kernel(
		c, KERNEL("bar.sync 3; bar.sync %r1, 64; bar.red.popc.u32 %r2, 1, !%p1;\n"
			  "barrier.cta.red.and.pred %p1, %r1, 128, %p2; ret;"));
	assert_int_equal(ptx_barrier_id(&f->ins[0])->i, 3);
	assert_null(ptx_barrier_count(&f->ins[0]));
	assert_int_equal(ptx_barrier_id(&f->ins[1])->kind, PTX_O_REG);
	assert_int_equal(ptx_barrier_count(&f->ins[1])->i, 64);
	assert_int_equal(ptx_barrier_id(&f->ins[2])->i, 1);
	assert_null(ptx_barrier_count(&f->ins[2]));
	assert_int_equal(ptx_barrier_count(&f->ins[3])->i, 128);
	assert_null(ptx_barrier_id(&f->ins[4]));
}

static void
calls_have_four_operands(void **state)
{
	struct captured *c = *state;
	const struct ptx_module *m = parse(c,
		HEAD ".extern .func (.param .b32 r) f(.param .b32 a, .param .b64 b);\n"
		     ".func __assertfail(.param .b64 a);\n.func quit() .noreturn;\n"
		     ".entry k() { .reg .b64 %rd<4>;\n"
		     "{ .param .b32 a; .param .b64 b; .param .b32 r;\n"
		     "call.uni (r), f, (a, b); }\n"
		     "call g;\n"
		     "proto: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b8 "
		     "_[8]);\n"
		     "{ .param .b32 a; .param .b32 r; call (r), %rd1, (a), proto; }\n"
		     "T: .calltargets f, g; call %rd1, (%rd2), T; ret; }\n"
		     ".func g() { ret; }\n.func h();\n.alias h, g;\n");
	if (!m)
		fail_msg("%s", captured_take(c));
	const struct ptx_func *k = ptx_find_func(m, STR_LIT("k"));
	struct ptx_call call = ptx_call_of(&k->ins[0]);
	assert_int_equal(ptx_parts(call.rets), 1);
	assert_int_equal(call.target->kind, PTX_O_FUNC);
	assert_true(str_is(m->funcs[call.target->id].name, "f"));
	assert_int_equal(ptx_parts(call.args), 2);
	assert_int_equal(call.proto->kind, PTX_O_NONE);
	call = ptx_call_of(&k->ins[1]);
	assert_true(str_is(m->funcs[call.target->id].name, "g"));
	assert_true(m->funcs[call.target->id].defined);
	call = ptx_call_of(&k->ins[2]);
	assert_int_equal(call.target->kind, PTX_O_REG);
	assert_int_equal(call.proto->kind, PTX_O_PROTO);
	assert_int_equal(m->protos[call.proto->id].n_params, 2);
	assert_int_equal(m->protos[call.proto->id].n_rets, 1);
	call = ptx_call_of(&k->ins[3]);
	assert_int_equal(call.proto->kind, PTX_O_TABLE);
	assert_int_equal(ptx_parts(call.rets), 0);
	assert_true(ptx_find_func(m, STR_LIT("__assertfail"))->noreturn);
	assert_true(ptx_find_func(m, STR_LIT("quit"))->noreturn);
	assert_true(str_is(ptx_find_func(m, STR_LIT("h"))->name, "g"));
}

/* -G calls such a function where optimised code has the trap itself. */
static void
finds_functions_that_trap(void **state)
{
	struct captured *c = *state;
	const struct ptx_module *m = parse(c,
		HEAD ".func trap_() { .reg .b32 %r<2>; mov.u32 %r1, 1; trap; ret; }\n"
		     ".func __assertfail();\n"
		     ".func last() { call twice; ret; }\n"
		     ".func twice() { call fails; ret; }\n"
		     ".func fails() { call __assertfail; ret; }\n"
		     ".func meets() { bar.sync 0; trap; }\n"
		     ".func may() { .reg .pred %p<2>; @%p1 trap; ret; }\n"
		     ".func comes() { .reg .pred %p<2>; @%p1 bra L; trap; L: ret; }\n"
		     ".func again() { call again; trap; }\n"
		     ".entry k() { trap; }\n");
	static const struct {
		const char *name;
		bool traps;
	} rows[] = {{"trap_", true}, {"fails", true}, {"twice", true}, {"last", true},
		{"meets", false}, {"may", false}, {"comes", false}, {"again", false},
		{"k", false}};
	if (!m)
		fail_msg("%s", captured_take(c));
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		if (ptx_find_func(m, str_of(rows[i].name))->traps != rows[i].traps)
			fail_msg("%s", rows[i].name);
}

static unsigned
count(struct ptx_walk w)
{
	unsigned n = 0;
	for (ptx_reg r; ptx_walk_next(&w, &r);)
		n++;
	return n;
}

static void
walks_give_reads_and_writes(void **state)
{
	struct captured *c = *state;
	const struct ptx_func *f = parse_kernel(
		c, KERNEL("ld.global.v2.u32 {%r1, %r2}, [%rd1]; @%p1 mov.u32 %r1, %r2;\n"
			  "st.global.u32 [%rd1], %r1; add.cc.u32 %r1, %r2, %r3;\n"
			  "addc.u32 %r1, %r2, %r3; @%p1 bar.red.and.pred %p2, 0, %p3;\n"
			  "frob.x %r1, %r2, [%rd1+4]; ret;"));
	static const unsigned writes[] = {2, 1, 0, 2, 1, 1, 1, 0};
	static const unsigned reads[] = {1, 3, 2, 2, 3, 1, 2, 0};
	for (unsigned i = 0; i < 8; i++) {
		assert_int_equal(count(ptx_writes(&f->ins[i])), writes[i]);
		assert_int_equal(count(ptx_reads(&f->ins[i])), reads[i]);
	}
	assert_true(f->ins[5].split);
	assert_false(f->ins[1].split);
}

static void
skips_what_nobody_knows(void **state)
{
	struct captured *c = *state;
	const struct ptx_module *m =
		parse(c, HEAD ".frobnicate 1, 2;\n.metadata { a { b } }\n.weird x\n"
			      ".visible .global .attribute(.managed) .align 4 .u32 g = "
			      "7, h[2] = {1, 2};\n"
			      ".section .debug_info { .b8 1,2 \n.b32 x }\n"
			      ".visible .func f() .abi_preserve 3 .pragma \"x\"; {\n"
			      ".whatever 3; .pragma \"nounroll\"; frob.x %q, [%rd], {%a, "
			      "%b}; ret; }\n");
	if (!m)
		fail_msg("%s", captured_take(c));
	assert_int_equal(m->n_vars, 2);
	assert_true(str_is(m->vars[1].init, "{1, 2}"));
	assert_int_equal(m->funcs[0].ins[0].form->op, PTX_UNKNOWN);
	assert_int_equal(m->funcs[0].n_ins, 2);
}

static void
places_are_exact(void **state)
{
	struct captured *c = *state;
	const struct ptx_module *m =
		parse(c, KERNEL("\n  bar.sync\t0; @%p1 bra E; E: ret;"));
	const struct ptx_func *f = &m->funcs[0];
	assert_int_equal(f->ins[0].line, 8);
	assert_int_equal(f->ins[1].line, 8);
	assert_memory_equal(m->src->text.s + f->ins[1].at, "@%p1 bra", 8);
	assert_true(str_is(ptx_ins_text(m, &f->ins[0]), "bar.sync\t0"));
	assert_true(str_is(ptx_ins_text(m, &f->ins[1]), "@%p1 bra E"));
}

static void
says_what_is_wrong(void **state)
{
	struct captured *c = *state;
	static const struct {
		const char *text, *says;
	} bad[] = {
		{"// nothing\n", "no .version directive"},
		{"", "t.ptx: error: this is not PTX: it is empty"},
		{" \n\t", "it is empty"},
		{"\x7f"
		 "ELF",
			"t.ptx: error: this is not PTX: it is an ELF file"},
		{"\x50\xed\x55\xba\1", "it is a fatbin; 'cuobjdump -ptx'"},
		{"\xff\xfe.v", "it is UTF-16; PTX is ASCII: 'iconv"},
		{"\x1f\x8b\x08", "it is a gzip file"},
		{"BC\xc0\xde", "it is LLVM bitcode"},
		{".version 7.0\r.target sm_70\r", "carriage return alone; 'tr"},
		{HEAD "\xe9", "error: a byte that is not ASCII"},
		{"int main() {}", "expected a directive (is this PTX? 'nvcc -ptx' makes "
				  "it of CUDA)"},
		{HEAD ".entry k() {", "the text ends inside 'k'"},
		{KERNEL("bra L;"), "there is no label 'L' in this function"},
		{KERNEL("{ L: ret; } bra L;"), "there is no label 'L'"},
		{KERNEL("L: L: ret;"), "'L' is declared twice in this scope"},
		{KERNEL("mov.u32 %none, %tid.x;"), "'mov.u32' writes to no declared"},
		{KERNEL("mov.b64 {none, _}, 1;"), "'mov.b64' writes to no declared"},
		{KERNEL(".reg .b32 %r0; mov.b32 %r0, %x; .reg .b32 %x;"),
			"'%x' is used before it is declared"},
		{KERNEL(".reg .b32 y; { mov.b32 y, %x7; } .reg .b32 %x<8>;"),
			"'%x7' is used before it is declared"},
		{KERNEL("brx.idx %r1, T; ret;"), "there is no table 'T'"},
		{KERNEL("mov.u32 %r1 %r2;"), "expected ','"},
		{KERNEL("mov.u32 %r1, 0x;"), "malformed number"},
		{KERNEL("mov.u32 %r1, 99999999999999999999;"), "does not fit 64 bits"},
		{KERNEL("mov.f32 %r1, 0f3f8;"), "a hexadecimal float has 8"},
		{KERNEL("mov.u32 %r1, 1/0;"), "division by zero"},
		{KERNEL("@%r bra L;"), "expected a predicate register after '@'"},
		{KERNEL("mov.b64 {{{{{{{{{{{{%r1;"), "operands are nested too deep"},
		{KERNEL("{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{"
			"{{{{"),
			"more than 64 nested scopes"},
		{HEAD ".global .b8 x[-1];", "no negative size"},
		{HEAD ".global .align 3 .b8 x;", "power of two"},
		{HEAD "/* ", "unterminated comment"},
		{HEAD ".file 1 \"a\n", "unterminated string"},
		{HEAD ".entry k() {}\n.entry k() {}", "'k' is defined twice"},
		{HEAD ".global .b8 x; .global .b8 x;", "'x' is declared twice"},
	};
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		assert_null(parse(c, bad[i].text));
		assert_int_equal(c->d.errors, 1);
		assert_says(c, bad[i].says);
	}
}

/* Names made to meet in one place of the table end the parse, soon. */
static void
names_with_one_hash_are_told(void **state)
{
	struct captured *c = *state;
	struct buf b = {.a = &c->a};
	unsigned n = 0;
	buf_adds(&b, HEAD ".entry k() {\n");
	for (unsigned i = 0; n < 2000; i++) {
		char name[16];
		snprintf(name, sizeof name, "n%x", i);
		if (lex_hash(str_of(name)) % 4096)
			continue;
		buf_addf(&b, ".reg .b32 %s;\n", name);
		n++;
	}
	buf_adds(&b, "ret; }\n");
	assert_null(parse(c, buf_c(&b)));
	assert_says(c, "names with one hash");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		captured_test(reads_the_head),
		captured_test(reads_kernels_and_their_limits),
		captured_test(counts_shared_memory),
		captured_test(registers_exist_once_they_are_named),
		captured_test(scopes_shadow),
		captured_test(operands_keep_their_shape),
		captured_test(barriers_have_id_and_count),
		captured_test(calls_have_four_operands),
		captured_test(finds_functions_that_trap),
		captured_test(walks_give_reads_and_writes),
		captured_test(skips_what_nobody_knows),
		captured_test(places_are_exact),
		captured_test(says_what_is_wrong),
		captured_test(names_with_one_hash_are_told),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
