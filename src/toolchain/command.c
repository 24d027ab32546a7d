/*
 * Any command that writes PTX: `"language": "command", "command": "mycc $defines $in -o
 * $out"`.
 *
 * The text is cut into words at spaces; '...' and "..." keep spaces in a word.  A word
 * that is exactly $defines, $includes or $flags becomes one word for each (with -D or -I
 * in front); $in, $out and $cc are replaced anywhere in a word, $$ is a dollar.  There is
 * no shell.
 */
#include "base/arena.h"
#include "base/buf.h"
#include "base/fs.h"
#include "base/proc.h"
#include "toolchain/argv.h"
#include "toolchain/errlog.h"
#include "toolchain/ptxtext.h"
#include "toolchain/scratch.h"

struct command_env {
	const struct lower_request *q;
	const char *out;
	struct str why; /* what is wrong with the command */
};

/* Cuts the next word off *rest, quotes removed. */
static bool
next_word(struct arena *a, struct str *rest, struct str *word, struct str *why)
{
	struct buf b = {.a = a};
	size_t i = 0;
	char quote = 0;
	*rest = str_trim(*rest);
	if (!rest->n)
		return false;
	for (; i < rest->n; i++) {
		char c = rest->s[i];
		if (!quote && strchr(" \t\r\n", c))
			break;
		if (quote && c == quote)
			quote = 0;
		else if (!quote && (c == '\'' || c == '"'))
			quote = c;
		else
			buf_addc(&b, c);
	}
	if (quote)
		*why = str_fmt(a, "the command has a %c without its partner", quote);
	*rest = str_sub(*rest, i, rest->n);
	buf_c(&b);
	*word = buf_str(&b);
	return !quote;
}

/* The value of a variable of the command, or NULL. */
static const char *
variable(struct arena *a, const struct command_env *e, struct str name)
{
	if (str_is(name, "in"))
		return e->q->path;
	if (str_is(name, "out"))
		return e->out;
	if (str_is(name, "cc"))
		return str_fmt(a, "%d", e->q->cc).s;
	return NULL;
}

static size_t
name_length(struct str s)
{
	size_t n = 0;
	while (n < s.n && ((s.s[n] | 32) >= 'a' ? (s.s[n] | 32) <= 'z' : s.s[n] == '_'))
		n++;
	return n;
}

static const char *
expand(struct arena *a, struct command_env *e, struct str word)
{
	struct buf b = {.a = a};
	for (size_t i = 0; i < word.n; i++) {
		struct str rest = str_sub(word, i + 1, word.n);
		if (word.s[i] != '$') {
			buf_addc(&b, word.s[i]);
		} else if (str_starts(rest, "$")) {
			buf_addc(&b, '$');
			i++;
		} else {
			bool brace = str_starts(rest, "{");
			struct str name = str_sub(rest, brace, rest.n);
			name.n = name_length(name);
			const char *v = variable(a, e, name);
			if (!v || (brace && !str_starts(str_sub(rest, name.n + 1, rest.n),
						    "}")))
				e->why = str_fmt(a,
					"the command has an unknown '$%.*s' (known: $in "
					"$out $cc, and as whole words $defines "
					"$includes $flags; $$ is a dollar)",
					STR_ARG(name));
			buf_adds(&b, v ? v : "");
			i += name.n + (brace ? 2 : 0);
		}
	}
	return buf_c(&b);
}

static bool
add_words(struct arena *a, struct command_env *e, struct argv *v)
{
	struct str rest = str_of(e->q->command), word;
	while (next_word(a, &rest, &word, &e->why)) {
		if (str_is(word, "$defines"))
			argv_add_each(v, "-D", e->q->defines);
		else if (str_is(word, "$includes"))
			argv_add_each(v, "-I", e->q->includes);
		else if (str_is(word, "$flags"))
			argv_add_each(v, "", e->q->flags);
		else
			argv_add(v, expand(a, e, word));
	}
	if (!e->why.n && !v->n)
		e->why = STR_LIT("the command is empty (spec key \"command\")");
	return !e->why.n;
}

static struct toolchain_info
command_probe(struct arena *a)
{
	(void)a;
	return (struct toolchain_info){.present = true, .version = STR_LIT("command 1")};
}

static void
run(struct arena *a, const struct command_env *e, const struct argv *v, const char *dir,
	struct lower_result *r)
{
	struct proc_result p = proc_run(a, v->v,
		(struct proc_opts){.timeout_ns = e->q->timeout_ns, .merge = true});
	const char *what = proc_explain(a, &p);
	r->log = scratch_hide(a, p.out, dir);
	r->ok = p.started && p.status == 0;
	if (r->ok && (!fs_is_file(e->out) || !fs_try_read(a, e->out, &r->ptx))) {
		what = "it wrote no $out";
		r->ok = false;
	}
	if (r->ok && !ptx_text_check(a, r->ptx, &r->log)) {
		what = r->log.s;
		r->ok = false;
	}
	r->transient = !r->ok && p.status < 0;
	if (!r->ok)
		log_explain(a, e->q, str_fmt(a, "'%s': %s", v->v[0], what).s, r);
}

static bool
command_lower(struct arena *a, const struct lower_request *q, struct lower_result *r)
{
	char *dir = scratch_make(a);
	struct command_env e = {.q = q, .out = fs_join(a, dir, "out.ptx")};
	struct argv v = {.a = a};
	bool ok = add_words(a, &e, &v);
	if (!ok) {
		r->log = e.why;
	} else if (!fs_which(a, v.v[0])) {
		r->log = str_fmt(a, "there is no program '%s'", v.v[0]);
		ok = false;
	} else {
		run(a, &e, &v, dir, r);
	}
	scratch_remove(a, dir);
	return ok;
}

const struct toolchain toolchain_command = {
	.name = "command",
	.languages = "command",
	.about = "any command that writes PTX",
	.probe = command_probe,
	.lower = command_lower,
};
