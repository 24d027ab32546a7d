#include "captured.h"

#include "ptx/lines.h"

static const char before[] =
	".version 8.5\n"
	".target sm_90, debug\n"
	".address_size 64\n"
	".visible .entry k()\n"
	"{\n"
	"$L__func_begin0:\n"
	"\t.loc\t1 10 3\n"
	"\t{ // a scope\n"
	"\tmov.u32 %r1, 1;\n"
	"\t}\n"
	"$L__tmp1:\n"
	"\t.loc\t2 110 3, function_name $L__info_string0, inlined_at 1 12 3\n"
	"\tbar.sync 0;\n"
	"\t.loc\t3 7 1, function_name $L__info_string0, inlined_at 2 110 3\n"
	"\tbar.sync 1;\n"
	"\tbra $L__tmp2;\n"
	"$L__tmp2:\n"
	"\t.loc 1 0 3\n"
	"\tret;\n"
	"$L__func_end0:\n"
	"}\n"
	"\t.file\t1 \"/home/me/p/a.cu\"\n"
	"\t.file\t2 \"/usr/include/b.h\"\n"
	"\t.file\t3 \"/usr/include/c.h\"\n"
	"\t.section\t.debug_str\n"
	"\t{\n"
	"$L__info_string0:\n"
	".b8 95,0\n"
	"\t}\n";

static const char stripped[] = ".version 8.5\n"
			       ".target sm_90\n"
			       ".address_size 64\n"
			       ".visible .entry k()\n"
			       "{\n"
			       "\t{ // a scope\n"
			       "\tmov.u32 %r1, 1;\n"
			       "\t}\n"
			       "\tbar.sync 0;\n"
			       "\tbar.sync 1;\n"
			       "\tbra $L__tmp2;\n"
			       "$L__tmp2:\n"
			       "\tret;\n"
			       "}\n";

static const char map[] = "lanewise/lines.v1\n"
			  "file 1 a.cu\n"
			  "file 2 /usr/include/b.h\n"
			  "file 3 /usr/include/c.h\n"
			  "6 1:10\n"
			  "9 2:110 @ 1:12\n"
			  "10 3:7 @ 2:110 @ 1:12\n";

static void
splits(void **state)
{
	struct captured *c = *state;
	struct ptx_split s =
		ptx_split_lines(&c->a, str_of(before), STR_LIT("/home/me/p/"));
	assert_string_equal(str_c(&c->a, s.ptx), stripped);
	assert_string_equal(str_c(&c->a, s.lines), map);
	s = ptx_split_lines(&c->a, str_of(stripped), STR_LIT(""));
	assert_string_equal(str_c(&c->a, s.ptx), stripped);
	assert_string_equal(str_c(&c->a, s.lines), "lanewise/lines.v1\n");
}

static void
reads_a_map_back(void **state)
{
	struct captured *c = *state;
	struct ptx_lines l;
	assert_true(ptx_lines_read(&c->a, captured_source(c, map), &c->d, &l));
	assert_int_equal(l.n, 3);
	assert_null(ptx_lines_find(&l, 5));
	assert_int_equal(ptx_lines_find(&l, 8)->at[0].line, 10);
	const struct ptx_line *at = ptx_lines_find(&l, 10);
	assert_int_equal(at->n, 3);
	assert_true(str_is(at->at[0].file, "/usr/include/c.h"));
	assert_int_equal(ptx_line_shown(at).line, 12);
	assert_true(str_is(ptx_line_shown(at).file, "a.cu"));
	assert_int_equal(ptx_line_shown(NULL).line, 0);
	assert_non_null(ptx_lines_find(&l, 4000000000));
}

static void
a_function_ends_its_place(void **state)
{
	struct captured *c = *state;
	struct ptx_split s = ptx_split_lines(&c->a,
		STR_LIT("{\n.loc 1 5\nret;\n}\n\n.entry b()\n{\nret;\n.loc 1 9\nret;\n}\n"
			".file 1 \"x\"\n"),
		STR_LIT(""));
	assert_string_equal(str_c(&c->a, s.lines),
		"lanewise/lines.v1\nfile 1 x\n2 1:5\n5 -\n8 1:9\n");
	struct ptx_lines l;
	struct source src = {"lines", s.lines};
	assert_true(ptx_lines_read(&c->a, &src, &c->d, &l));
	assert_non_null(ptx_lines_find(&l, 4));
	assert_null(ptx_lines_find(&l, 6));
}

/* LLVM writes what a place was inlined at into a comment; rustc names no file. */
static void
reads_comments_of_llvm(void **state)
{
	struct captured *c = *state;
	const char *text =
		".version 7.8\n.target sm_90\n.address_size 64\n"
		".entry k() {\n"
		"\t.loc\t2 125 5\t// m.rs:125:5 @[ lib.rs:54:102 @[ src/k.rs:14:17 ] ]\n"
		"\tbar.sync \t0;\n"
		"\t.loc\t1 15 9\t// src/k.rs:15:9\n"
		"\tret;\n}\n\t.file\t1 \"\"\n\t.file\t2 \"/usr/src/m.rs\"\n";
	struct source *src = captured_source(c, text);
	const struct ptx_module *m = ptx_parse(&c->a, src, &c->d);
	assert_non_null(m);
	struct ptx_line l = ptx_line_of(&c->a, m, &m->funcs[0].ins[0]);
	assert_int_equal(l.n, 3);
	assert_true(str_is(l.at[0].file, "/usr/src/m.rs"));
	assert_true(str_is(l.at[1].file, "lib.rs"));
	assert_int_equal(ptx_line_shown(&l).line, 14);
	assert_true(str_is(ptx_line_shown(&l).file, "src/k.rs"));
	struct ptx_where at = ptx_where_of(m, &m->funcs[0].ins[0]);
	assert_int_equal(at.line, 14);
	assert_true(str_is(at.file, "src/k.rs"));
	l = ptx_line_of(&c->a, m, &m->funcs[0].ins[1]);
	assert_int_equal(l.n, 1);
	assert_true(str_is(l.at[0].file, "src/k.rs"));
	struct ptx_split s = ptx_split_lines(&c->a, src->text, STR_LIT(""));
	assert_true(
		str_ends(s.lines, "file 1 /usr/src/m.rs\nfile 2 lib.rs\nfile 3 src/k.rs\n"
				  "5 1:125 @ 2:54 @ 3:14\n6 3:15\n"));
}

/* A helper in the kernel's own file is shown; a header's is not. */
static void
shows_the_innermost_place_of_the_kernels_file(void **state)
{
	(void)state;
	struct ptx_where at[] = {{STR_LIT("sync.h"), 1}, {STR_LIT("k.cu"), 5},
		{STR_LIT("other.cuh"), 9}, {STR_LIT("k.cu"), 30}};
	struct ptx_line l = {.n = 4, .at = at};
	assert_int_equal(ptx_line_shown(&l).line, 5);
}

static void
says_what_is_wrong_with_a_map(void **state)
{
	struct captured *c = *state;
	static const struct {
		const char *text, *says;
	} bad[] = {
		{"", "not a line map"},
		{"lanewise/lines.v2\n", "not a line map"},
		{"lanewise/lines.v1\nfile 2 a\n", ":2:1: error: files are numbered"},
		{"lanewise/lines.v1\n5 1:3\n", "expected FILE:LINE"},
		{"lanewise/lines.v1\nfile 1 a\nx 1:3\n", "expected a line of the PTX"},
		{"lanewise/lines.v1\nfile 1 a\n5 1:3\n5 1:4\n", "out of order"},
	};
	struct ptx_lines l;
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		struct source *src = captured_source(c, bad[i].text);
		assert_false(ptx_lines_read(&c->a, src, &c->d, &l));
		assert_says(c, bad[i].says);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		captured_test(splits),
		captured_test(reads_a_map_back),
		captured_test(a_function_ends_its_place),
		captured_test(reads_comments_of_llvm),
		captured_test(shows_the_innermost_place_of_the_kernels_file),
		captured_test(says_what_is_wrong_with_a_map),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
