/* What ninja.c writes is read by the real ninja: that is the only judge of an escape. */
#include "scratch.h"

#include "base/proc.h"
#include "base/rng.h"
#include "format/ninja.h"

#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})

static struct proc_result
ninja(struct scratch *s, const char *const *args)
{
	const char *argv[16] = {"ninja"};
	size_t n = 1;
	for (; *args; args++)
		argv[n++] = *args;
	return proc_run(&s->a, argv,
		(struct proc_opts){.timeout_ns = 60000000000, .merge = true});
}

static void
assert_ok(const struct proc_result *r)
{
	if (r->status != 0)
		fail_msg("ninja: %.*s%.*s", STR_ARG(r->out), STR_ARG(r->err));
}

static struct buf
manifest(struct scratch *s)
{
	struct buf b = {.a = &s->a};
	buf_adds(&b, "ninja_required_version = 1.10\n"
		     "rule copy\n  command = cp $in $out\n"
		     "rule say\n  command = printf '%s\\n' $words >$out\n");
	return b;
}

static const char *const odd_paths[] = {"plain", "with space", "dollar$sign", "co:lon",
	"$", " lead", "trail ", "a$ b:c $$x", "quote's", "star*", "hash#tag",
	"back\\slash", "\xc3\xa9t\xc3\xa9", "=", "build", "${in}", "$\\", "-dash",
	"BLOCK=64,TILE=128@1M.json"};

static void
paths_survive(void **state)
{
	struct scratch *s = *state;
	struct buf b = manifest(s);
	enum { N = sizeof odd_paths / sizeof odd_paths[0] };
	for (size_t i = 0; i < N; i++) {
		const char *in = str_fmt(&s->a, "in/%s", odd_paths[i]).s;
		const char *out = str_fmt(&s->a, "out/%s", odd_paths[i]).s;
		fs_write(in, str_of(in), NULL);
		ninja_build(
			&b, &(struct ninja_edge){
				    .rule = "copy", .outs = LIST(out), .ins = LIST(in)});
	}
	fs_write("build.ninja", buf_str(&b), NULL);
	struct proc_result r = ninja(s, LIST("--quiet"));
	assert_ok(&r);
	for (size_t i = 0; i < N; i++)
		assert_string_equal(
			scratch_text(s, str_fmt(&s->a, "out/%s", odd_paths[i]).s),
			str_fmt(&s->a, "in/%s", odd_paths[i]).s);
	r = ninja(s, LIST("-n"));
	assert_true(str_has(r.out, STR_LIT("no work to do")));
	const char **names;
	assert_int_equal(fs_list(&s->a, "out", &names), N); /* and nothing besides */
}

static const char *const odd_words[] = {"plain", "", "two words", "$HOME", "${in}", "$$",
	"`id`", "$(id)", "it's", "''", "\"q\"", "a;b&c|d>e<f", "back\\slash", "*?[x]",
	"~", "#no", " lead", "trail ", "\xc3\xa9", "!x", "a=b", "-o", "%s", "\\n",
	"tab\tx", "{a,b}", "(x)", "BLOCK=64,TILE=128@1M|64,1,1/1,1,1/1,1,1/0|n:i32=4",
	"$\\", "'$'"};

static void
words_reach_the_command(void **state)
{
	struct scratch *s = *state;
	struct buf b = manifest(s), words = {.a = &s->a}, want = {.a = &s->a};
	for (size_t i = 0; i < sizeof odd_words / sizeof odd_words[0]; i++) {
		if (i)
			buf_addc(&words, ' ');
		ninja_shell_word(&words, str_of(odd_words[i]));
		buf_addf(&want, "%s\n", odd_words[i]);
	}
	ninja_build(&b, &(struct ninja_edge){.rule = "say", .outs = LIST("said")});
	ninja_var(&b, "  ", "words", buf_str(&words));
	fs_write("build.ninja", buf_str(&b), NULL);
	struct proc_result r = ninja(s, LIST("--quiet"));
	assert_ok(&r);
	assert_string_equal(scratch_text(s, "said"), buf_c(&want));
}

/* Random words from the letters that mean something to ninja or to the shell. */
static void
random_words_reach_the_command(void **state)
{
	static const char letters[] = "a $:|'\"\\`*?~#&;<>(){}[]!%^=-\t@,.";
	struct scratch *s = *state;
	struct rng r = {20261129};
	struct buf b = manifest(s), words = {.a = &s->a}, want = {.a = &s->a};
	for (int i = 0; i < 2000; i++) {
		char word[12];
		size_t n = rng_below(&r, sizeof word);
		for (size_t k = 0; k < n; k++)
			word[k] = letters[rng_below(&r, sizeof letters - 1)];
		buf_adds(&words, i ? " " : "");
		ninja_shell_word(&words, (struct str){word, n});
		buf_addf(&want, "%.*s\n", (int)n, word);
	}
	ninja_build(&b, &(struct ninja_edge){.rule = "say", .outs = LIST("said")});
	ninja_var(&b, "  ", "words", buf_str(&words));
	fs_write("build.ninja", buf_str(&b), NULL);
	struct proc_result p = ninja(s, LIST("--quiet"));
	assert_ok(&p);
	assert_string_equal(scratch_text(s, "said"), buf_c(&want));
}

/* A variable keeps its spaces: read back through -t commands, before any shell. */
static void
values_are_verbatim(void **state)
{
	struct scratch *s = *state;
	static const char *const values[] = {"x", "  lead", "trail  ", "$", "$x ${y} $$",
		": | ||", "#", "", "a\\", " $"};
	for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
		struct buf b = {.a = &s->a};
		ninja_var(&b, "", "top", str_of(values[i]));
		buf_adds(&b, "rule r\n  command = [$top][$low]\n");
		ninja_build(&b, &(struct ninja_edge){.rule = "r", .outs = LIST("o")});
		ninja_var(&b, "  ", "low", str_of(values[i]));
		fs_write("build.ninja", buf_str(&b), NULL);
		struct proc_result r = ninja(s, LIST("-t", "commands"));
		assert_ok(&r);
		assert_string_equal(
			r.out.s, str_fmt(&s->a, "[%s][%s]\n", values[i], values[i]).s);
	}
}

static void
lists_keep_their_kinds(void **state)
{
	struct scratch *s = *state;
	struct buf b = manifest(s);
	ninja_build(&b, &(struct ninja_edge){.rule = "copy",
				.outs = LIST("o 1"),
				.implicit_outs = LIST("o2", "o:3"),
				.ins = LIST("i 1"),
				.implicit_ins = LIST("i2", "i$3"),
				.order_ins = LIST("i4")});
	ninja_phony(&b, "all things", LIST("o 1", "o2"));
	ninja_phony(&b, "nothing", NULL);
	assert_contains(buf_c(&b), "build o$ 1 | o2 o$:3: copy i$ 1 | i2 i$$3 || i4\n");
	fs_write("build.ninja", buf_str(&b), NULL);
	struct proc_result r = ninja(s, LIST("-t", "query", "o 1"));
	assert_ok(&r);
	assert_string_equal(r.out.s, "o 1:\n  input: copy\n    i 1\n    | i2\n    | i$3\n"
				     "    || i4\n  outputs:\n    all things\n");
	r = ninja(s, LIST("-t", "commands", "o 1"));
	assert_string_equal(r.out.s, "cp 'i 1' 'o 1'\n"); /* only explicit ones */
	r = ninja(s, LIST("-t", "targets", "all"));
	assert_true(str_has(r.out, STR_LIT("nothing: phony\n")));
	assert_true(str_has(r.out, STR_LIT("o:3: copy\n")));
}

static void
write_newline_path(void *arg)
{
	struct arena a = {0};
	struct buf b = {.a = &a};
	ninja_path(&b, "a\nb");
}

static void
write_newline_value(void *arg)
{
	struct arena a = {0};
	struct buf b = {.a = &a};
	ninja_value(&b, STR_LIT("a\nb"));
}

static void
a_line_break_is_our_bug(void **state)
{
	assert_int_equal(scratch_run(*state, write_newline_path, NULL).signal, SIGABRT);
	assert_int_equal(scratch_run(*state, write_newline_value, NULL).signal, SIGABRT);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(paths_survive),
		scratch_test(words_reach_the_command),
		scratch_test(random_words_reach_the_command),
		scratch_test(values_are_verbatim),
		scratch_test(lists_keep_their_kinds),
		scratch_test(a_line_break_is_our_bug),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
