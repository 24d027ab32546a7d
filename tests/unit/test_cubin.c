#include "captured.h"

#include "toolchain/cubin.h"

#include "base/rng.h"
#include "toolchain/ptxas.h"

/* --- a cubin made by hand: sections of one entry "k" for sm_90 --- */

static void
put(struct buf *b, uint64_t v, int bytes)
{
	for (int i = 0; i < bytes; i++)
		buf_addc(b, (char)(i < 8 ? v >> (8 * i) : 0));
}

static void
attribute(struct buf *b, unsigned format, unsigned id, const uint32_t *v, unsigned n)
{
	put(b, format, 1);
	put(b, id, 1);
	put(b, n * 4, 2);
	for (unsigned i = 0; i < n; i++)
		put(b, v[i], 4);
}

static void
instruction(struct buf *b, unsigned op, unsigned width)
{
	put(b, op, 8);
	put(b, (uint64_t)width << 9, 8);
}

struct raw {
	const char *name;
	uint32_t type;
	uint64_t bytes; /* when it has no data */
	struct buf data;
	uint32_t link;
};

static struct str
elf(struct arena *a, struct raw *s, size_t n)
{
	struct buf b = {.a = a}, names = {.a = a}, table = {.a = a};
	put(&b, 0x010102464c457f, 7);
	put(&b, 0, 1);
	put(&b, 8, 1); /* ABI version */
	put(&b, 0, 7);
	put(&b, 2, 2);
	put(&b, 190, 2); /* EM_CUDA */
	put(&b, 1, 4);
	put(&b, 0, 16);
	put(&b, 0, 8); /* section table: patched below */
	put(&b, 90 << 8, 4);
	put(&b, 64, 2);
	put(&b, 0, 4);
	put(&b, 64, 2);
	put(&b, n, 2);
	put(&b, 0, 2); /* section 0 holds the names */
	for (size_t i = 0; i < n; i++) {
		s[i].bytes = s[i].data.n ? s[i].data.n : s[i].bytes;
		put(&table, names.n, 4);
		put(&table, s[i].type, 4);
		put(&table, 0, 16);
		put(&table, 0, 8);
		put(&table, s[i].bytes, 8);
		put(&table, s[i].link, 4);
		put(&table, 0, 20);
		buf_adds(&names, s[i].name);
		buf_addc(&names, 0);
	}
	s[0].data = names;
	for (size_t i = 0; i < n; i++) {
		for (int k = 0; k < 8; k++)
			table.s[i * 64 + 24 + k] = (char)(b.n >> (8 * k));
		if (i == 0)
			for (int k = 0; k < 8; k++)
				table.s[32 + k] = (char)(names.n >> (8 * k));
		buf_add(&b, s[i].data.s, s[i].data.n);
	}
	for (int k = 0; k < 8; k++)
		b.s[40 + k] = (char)(b.n >> (8 * k));
	buf_add(&b, table.s, table.n);
	return buf_str(&b);
}

static struct str
sample(struct arena *a)
{
	struct raw s[] = {
		{.name = ".shstrtab", .type = 3, .data.a = a},
		{.name = ".strtab", .type = 3, .data.a = a},
		{.name = ".symtab", .type = 2, .data.a = a, .link = 1},
		{.name = ".nv.info", .type = 0x70000000, .data.a = a},
		{.name = ".nv.info.k", .type = 0x70000000, .data.a = a},
		{.name = ".text.k", .type = 1, .data.a = a},
		{.name = ".nv.shared.k", .type = 8, .bytes = 1024 + 512},
		{.name = ".nv.constant0.k", .type = 1, .data.a = a},
	};
	buf_add(&s[1].data, "\0other\0k", 9);
	put(&s[2].data, 0, 24);
	put(&s[2].data, 1, 24);
	put(&s[2].data, 7, 24);
	attribute(&s[3].data, 4, CUBIN_REGCOUNT, (uint32_t[]){1, 99}, 2);
	attribute(&s[3].data, 4, CUBIN_REGCOUNT, (uint32_t[]){2, 40}, 2);
	attribute(&s[3].data, 4, CUBIN_FRAME_SIZE, (uint32_t[]){2, 64}, 2);
	put(&s[4].data, 0x00034c02, 4); /* format 2, NUM_BARRIERS, 3 */
	attribute(&s[4].data, 4, CUBIN_MAX_THREADS, (uint32_t[]){128, 2, 1}, 3);
	attribute(&s[4].data, 4, CUBIN_ANNOTATIONS,
		(uint32_t[]){1, 0, 1, 16, 1, 32, 2, 0, 1, 4096}, 10);
	instruction(&s[5].data, 0x187, 4);
	instruction(&s[5].data, 0x983, 6);
	instruction(&s[5].data, 0x183, 5);
	instruction(&s[5].data, 0x183, 4); /* a local array, not a spill */
	buf_pad(&s[7].data, 0, 548);
	return elf(a, s, sizeof s / sizeof *s);
}

static void
reads_every_fact(void **state)
{
	struct captured *c = *state;
	struct facts f = facts_none();
	struct str why, bytes = sample(&c->a);
	assert_int_equal(cubin_arch(bytes), 90);
	assert_true(cubin_facts(&c->a, bytes, STR_LIT("k"), &f, &why));
	assert_int_equal(f.registers, 40);
	assert_int_equal(f.local_bytes, 64);
	assert_int_equal(f.barriers, 3);
	assert_int_equal(f.max_threads, 256);
	assert_int_equal(f.spill_store_bytes, 4);
	assert_int_equal(f.spill_load_bytes, 16 + 8);
	assert_int_equal(f.static_shared_bytes, 512);
	assert_int_equal(f.constant_bytes, 548);
	assert_int_equal(f.code_bytes, 64);
}

static void
refuses_what_is_no_cubin(void **state)
{
	struct captured *c = *state;
	struct facts f = facts_none();
	struct str why;
	assert_false(cubin_facts(&c->a, STR_LIT(""), STR_LIT("k"), &f, &why));
	assert_false(cubin_facts(&c->a, STR_LIT("\177ELF\2\1"), STR_LIT("k"), &f, &why));
	assert_true(str_is(why, "not a cubin"));
	assert_false(cubin_facts(&c->a, sample(&c->a), STR_LIT("other"), &f, &why));
	assert_true(str_is(why, "the cubin has no entry 'other'"));
	assert_int_equal(f.registers, -1);
}

/* Truncated and damaged at random, in a block of exactly that size, so that a sanitizer
 * sees a byte too far. */
static void
survives_damage(void **state)
{
	struct captured *c = *state;
	struct str whole = sample(&c->a);
	struct rng r = {20261129};
	for (int i = 0; i < 20000; i++) {
		struct arena_mark mark = arena_mark(&c->a);
		size_t n = rng_below(&r, 4) ? whole.n : rng_below(&r, whole.n + 1);
		char *s = malloc(n + !n);
		memcpy(s, whole.s, n);
		for (uint64_t k = rng_below(&r, 8); n && k > 0; k--)
			s[rng_below(&r, n)] =
				(char)(rng_below(&r, 3) ? rng_next(&r) : 0xff);
		struct facts f = facts_none();
		struct str why;
		cubin_facts(&c->a, (struct str){s, n}, STR_LIT("k"), &f, &why);
		free(s);
		arena_pop(&c->a, mark);
	}
}

/* --- against ptxas, where it is present --- */

/* A kernel that keeps `live` sums alive, so that a register limit makes it spill. */
static struct str
hungry(struct arena *a, int live, int max_registers)
{
	struct buf b = {.a = a};
	buf_addf(&b,
		".version 7.5\n.target sm_75\n.address_size 64\n"
		".visible .entry k(.param .u64 in, .param .u64 out)\n"
		".maxntid 128, 2, 1\n.maxnreg %d\n{\n"
		"\t.shared .align 4 .b8 tile[768];\n\t.reg .f32 %%f<%d>;\n"
		"\t.reg .b64 %%rd<4>;\n\t.reg .b32 %%r<4>;\n"
		"\tld.param.u64 %%rd1, [in];\n\tld.param.u64 %%rd2, [out];\n"
		"\tmov.u32 %%r1, %%tid.x;\n\tmov.u32 %%r2, tile;\n"
		"\tst.shared.u32 [%%r2], %%r1;\n",
		max_registers, live + 2);
	for (int i = 0; i < live; i++)
		buf_addf(&b, "\tld.volatile.global.f32 %%f%d, [%%rd1+%d];\n", i, 4 * i);
	buf_adds(&b, "\tbar.sync 0;\n\tbar.sync 4;\n");
	for (int i = 0; i < live; i++)
		buf_addf(&b, "\tst.volatile.global.f32 [%%rd2+%d], %%f%d;\n", 4 * i, i);
	buf_adds(&b, "\tret;\n}\n");
	return buf_str(&b);
}

static void
agree(struct captured *c, const char *program, int cc, int live)
{
	struct ptxas_request q = {.program = program,
		.cc = cc,
		.entry = STR_LIT("k"),
		.ptx = hungry(&c->a, live, 32)};
	struct ptxas_result r = {0};
	struct facts said = facts_none(), read = facts_none();
	struct str why;
	assert_true(ptxas_run(&c->a, &q, &r));
	if (!r.ok)
		fail_msg("sm_%d: %s", cc, r.log.s);
	assert_int_equal(cubin_arch(r.cubin), cc);
	assert_true(ptxas_facts(r.log, q.entry, &said));
	assert_true(cubin_facts(&c->a, r.cubin, q.entry, &read, &why));
	assert_int_equal(read.registers, said.registers);
	assert_int_equal(read.barriers, said.barriers);
	assert_int_equal(read.barriers, 5);
	assert_int_equal(read.static_shared_bytes, said.static_shared_bytes);
	assert_int_equal(read.static_shared_bytes, 768);
	assert_int_equal(read.local_bytes, said.local_bytes);
	assert_int_equal(read.spill_store_bytes, said.spill_store_bytes);
	assert_int_equal(read.spill_load_bytes, said.spill_load_bytes);
	assert_int_equal(read.max_threads, 256);
	if (live > 40)
		assert_true(read.spill_store_bytes > 0);
}

static void
agrees_with_ptxas(void **state)
{
	struct captured *c = *state;
	struct toolchain_info info = ptxas_probe(&c->a);
	if (!info.present) {
		print_message("skipped: %s\n", info.why.s);
		skip();
	}
	static const int ccs[] = {80, 90, 120};
	for (size_t i = 0; i < sizeof ccs / sizeof *ccs; i++) {
		agree(c, info.path.s, ccs[i], 8);
		agree(c, info.path.s, ccs[i], 64);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		captured_test(reads_every_fact),
		captured_test(refuses_what_is_no_cubin),
		captured_test(survives_damage),
		captured_test(agrees_with_ptxas),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
