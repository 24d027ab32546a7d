/*
 * oracle: the user's C file to a shared object.  What the compiler says of it is the
 * user's text being wrong, so it ends the node.
 */
#include "base/arena.h"
#include "base/asset.h"
#include "base/fs.h"
#include "base/proc.h"
#include "base/shown.h"
#include "node/node.h"

#include <errno.h>

enum { KERNEL, SOURCE, DEP, INCLUDE, COMPILER };

static const struct node_word words[] = {
	[KERNEL] = {"kernel", NODE_NOTE, false, false},
	[SOURCE] = {"source", NODE_INPUT, true, false},
	[DEP] = {"dep", NODE_INPUT, false, true},
	[INCLUDE] = {"include", NODE_PARAM, false, true},
	[COMPILER] = {"compiler", NODE_PARAM, true, false},
	{0},
};

#define HEADER "lanewise_oracle.h"

/* Oracles loop over large arrays in plain C: tens of seconds is not a compiler's fault.
 */
static const int64_t TIMEOUT_NS = 300 * INT64_C(1000000000);

/* The header comes out of the program, so that a project needs no copy of it. */
static const char *
write_header(struct node_call *c)
{
	struct str text;
	const char *dir = fs_join(c->a, fs_dirname(c->a, c->main_out), "oracle-include");
	if (!asset_find("templates/" HEADER, &text))
		BUG("the program does not carry templates/" HEADER);
	fs_write(fs_join(c->a, dir, HEADER), text, NULL);
	return dir;
}

struct words {
	struct arena *a;
	const char **v;
	size_t n, cap;
};

static void
add(struct words *w, const char *s)
{
	arena_grow(w->a, w->v, w->n, w->cap);
	w->v[w->n++] = s;
}

/* Contraction is off as in lanewise itself: the same reference on every machine. */
static const char *const *
compiler_argv(struct node_call *c, const char *program, const char *out)
{
	static const char *const flags[] = {"-std=c11", "-O2", "-shared", "-fPIC",
		"-ffp-contract=off", "-fdiagnostics-color=never"};
	struct words w = {.a = c->a};
	add(&w, program);
	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
		add(&w, flags[i]);
	add(&w, str_fmt(c->a, "-I%s", write_header(c)).s);
	for (size_t i = 0; i < c->n[INCLUDE]; i++)
		add(&w, str_fmt(c->a, "-I%.*s", STR_ARG(c->word[INCLUDE][i])).s);
	add(&w, "-o");
	add(&w, out);
	add(&w, node_file(c, SOURCE)->path);
	add(&w, "-lm");
	add(&w, NULL);
	return w.v;
}

/* The staged copy is ours; the user knows the file without the folder. */
static struct str
unstaged(struct arena *a, struct str text)
{
	static const char prefix[] = ".lanewise/in/";
	struct buf b = {.a = a};
	while (text.n) {
		if (str_starts(text, prefix))
			text = str_sub(text, strlen(prefix), text.n);
		if (text.n)
			buf_addc(&b, text.s[0]);
		text = str_sub(text, 1, text.n);
	}
	return buf_str(&b);
}

static bool
failed(struct node_call *c, const char *program, const struct proc_result *p,
	struct diag *d)
{
	const char *path =
		str_c(c->a, unstaged(c->a, str_of(node_file(c, SOURCE)->path)));
	struct source src = {path, node_file(c, SOURCE)->bytes};
	shown_print_lines(stderr, unstaged(c->a, p->err));
	diag_error(d, (struct place){&src, 0, 0},
		"the oracle does not compile (%s: %s); correct it", program,
		proc_explain(c->a, p));
	return false;
}

/* --compiler is the pin: the first line of `cc --version`. */
static const char *
compiler_program(struct node_call *c)
{
	static const char *const names[] = {"cc", "gcc", "clang", NULL};
	for (size_t i = 0; names[i]; i++) {
		char *found = fs_which(c->a, names[i]);
		if (found)
			return found;
	}
	die("oracle: no C compiler on PATH (looked for cc, gcc, clang); install gcc");
}

static bool
compute(struct node_call *c, struct diag *d)
{
	const char *out = str_fmt(c->a, "%s.tmp.so", c->main_out).s;
	const char *program = compiler_program(c);
	fs_mkdirs(fs_dirname(c->a, c->main_out));
	struct proc_opts o = {.timeout_ns = TIMEOUT_NS};
	struct proc_result p = proc_run(c->a, compiler_argv(c, program, out), o);
	if (!p.started || p.timed_out || p.status != 0) {
		fs_remove(out);
		return failed(c, fs_basename(program), &p, d);
	}
	struct str bytes = fs_read(c->a, out);
	fs_remove(out);
	/* Warnings of an oracle that compiles are worth a look. */
	shown_print_lines(stderr, unstaged(c->a, p.err));
	buf_addstr(&c->out, bytes);
	return true;
}

const struct node node_oracle = {
	.name = "oracle",
	.about = "compile the oracle of one kernel",
	.revision = 1,
	.words = words,
	.local = true, /* it runs on this processor: nobody else's cache brings it */
	.compute = compute,
};
