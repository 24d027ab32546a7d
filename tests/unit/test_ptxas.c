#include "captured.h"

#include "toolchain/ptxas.h"

static const char LOG[] =
	"ptxas info    : 0 bytes gmem\n"
	"ptxas info    : Compiling entry function '_Z1gILi3EEvPi' for 'sm_90'\n"
	"ptxas info    : Function properties for _Z1gILi3EEvPi\n"
	"    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
	"ptxas info    : Used 10 registers, used 6 barriers\n"
	"ptxas info    : Compile time = 9.696 ms\n"
	"ptxas info    : Compiling entry function 'k' for 'sm_90'\n"
	"ptxas info    : Function properties for leaf_k\n"
	"    512 bytes stack frame, 9 bytes spill stores, 9 bytes spill loads\n"
	"ptxas info    : Function properties for k\n"
	"    256 bytes stack frame, 16 bytes spill stores, 24 bytes spill loads\n"
	"ptxas info    : Used 80 registers, used 1 barriers, 256 bytes cumulative stack "
	"size, "
	"1024 bytes smem, 372 bytes cmem[0]\n"
	"ptxas info    : Compile time = 15.171 ms\n";

static void
reads_the_entry_asked_for(void **state)
{
	struct facts f = facts_none();
	(void)state;
	assert_true(ptxas_facts(str_of(LOG), STR_LIT("k"), &f));
	assert_int_equal(f.registers, 80);
	assert_int_equal(f.barriers, 1);
	assert_int_equal(f.static_shared_bytes, 1024);
	assert_int_equal(f.local_bytes, 256);
	assert_int_equal(f.spill_store_bytes, 16);
	assert_int_equal(f.spill_load_bytes, 24);
	assert_int_equal(f.constant_bytes, 372);
	f = facts_none();
	assert_true(ptxas_facts(str_of(LOG), STR_LIT("_Z1gILi3EEvPi"), &f));
	assert_int_equal(f.registers, 10);
	assert_int_equal(f.barriers, 6);
	assert_int_equal(f.static_shared_bytes, 0);
	assert_int_equal(f.local_bytes, 0);
	assert_int_equal(f.constant_bytes, -1);
}

static void
does_not_invent_an_entry(void **state)
{
	struct facts f = facts_none();
	(void)state;
	assert_false(ptxas_facts(str_of(LOG), STR_LIT("leaf_k"), &f));
	assert_false(ptxas_facts(STR_LIT(""), STR_LIT("k"), &f));
	assert_int_equal(f.registers, -1);
}

static void
picks_the_architecture(void **state)
{
	struct captured *c = *state;
	struct {
		const char *ptx;
		int cc;
		const char *arch;
	} t[] = {
		{".version 8.0\n.target sm_90\n", 90, "sm_90"},
		{".version 8.0\n.target sm_90a\n", 90, "sm_90a"},
		{".version 8.0\n.target sm_90a, debug\n", 90, "sm_90a"},
		{".version 8.0\n.target sm_90a\n", 100, "sm_100"},
		{".version 7.1\n.target sm_86\n", 90, "sm_90"},
		{".version 9.0\n.target sm_120f\n", 120, "sm_120f"},
		{"", 75, "sm_75"},
	};
	for (size_t i = 0; i < sizeof t / sizeof *t; i++)
		assert_string_equal(
			ptxas_arch(&c->a, str_of(t[i].ptx), t[i].cc), t[i].arch);
}

static void
need_ptxas(struct captured *c, struct toolchain_info *info)
{
	*info = ptxas_probe(&c->a);
	if (!info->present) {
		print_message("skipped: %s\n", info->why.s);
		skip();
	}
}

static void
assembles_and_refuses(void **state)
{
	struct captured *c = *state;
	struct toolchain_info info;
	need_ptxas(c, &info);
	struct ptxas_request q = {.program = info.path.s,
		.cc = 90,
		.entry = STR_LIT("k"),
		.ptx = STR_LIT(".version 7.0\n.target sm_80\n.address_size 64\n"
			       ".visible .entry k()\n{\n\tbar.sync 0;\n\tret;\n}\n")};
	struct ptxas_result r = {0};
	assert_true(ptxas_run(&c->a, &q, &r));
	assert_true(r.ok);
	assert_true(str_starts(r.cubin, "\177ELF"));
	assert_int_equal(r.facts.barriers, 1);
	assert_true(str_is(r.facts.source, "ptxas -v"));
	struct ptxas_result again = {0};
	assert_true(ptxas_run(&c->a, &q, &again));
	assert_true(str_eq(r.cubin, again.cubin)); /* no name of a temporary file in it */
	q.ptx = STR_LIT(".version 7.0\n.target sm_80\n.address_size 64\n"
			".visible .entry k()\n{\n\tfrobnicate;\n}\n");
	r = (struct ptxas_result){0};
	assert_true(ptxas_run(&c->a, &q, &r));
	assert_false(r.ok);
	assert_false(r.transient);
	assert_true(str_starts(r.reason, "ptxas: line 6: "));
	q.program = "/nonexistent/ptxas";
	assert_false(ptxas_run(&c->a, &q, &r));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_the_entry_asked_for),
		cmocka_unit_test(does_not_invent_an_entry),
		captured_test(picks_the_architecture),
		captured_test(assembles_and_refuses),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
