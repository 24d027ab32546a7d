/*
 * lower: one specialization's source to PTX, or of what is native to a shared object, by
 * a toolchain.
 *
 * Line information goes to a file of its own, so that an edit that moves lines but
 * changes no code leaves the PTX, and all that is built from it, as they are.
 */
#include "base/arena.h"
#include "base/fs.h"
#include "node/lowered.h"
#include "node/node.h"
#include "ptx/lines.h"
#include "toolchain/errlog.h"
#include "toolchain/toolchain.h"

enum {
	KERNEL,
	SPECIALIZATION,
	TOOLCHAIN,
	VERSION,
	SOURCE,
	NAME,
	DEP,
	DEFINE,
	INCLUDE,
	FLAG,
	COMMAND,
	CC,
	ENTRY,
	SIGNATURE,
	LINES
};

static const struct node_word words[] = {
	[KERNEL] = {"kernel", NODE_NOTE, false, false},
	[SPECIALIZATION] = {"specialization", NODE_NOTE, false, false},
	[TOOLCHAIN] = {"toolchain", NODE_PARAM, true, false},
	[VERSION] = {"version", NODE_PARAM, true, false},
	[SOURCE] = {"source", NODE_INPUT, true, false},
	[NAME] = {"name", NODE_PARAM, true, false},
	[DEP] = {"dep", NODE_INPUT, false, true},
	[DEFINE] = {"define", NODE_PARAM, false, true},
	[INCLUDE] = {"include", NODE_PARAM, false, true},
	[FLAG] = {"flag", NODE_PARAM, false, true},
	[COMMAND] = {"command", NODE_PARAM, false, false},
	[CC] = {"cc", NODE_PARAM, true, false},
	[ENTRY] = {"entry", NODE_PARAM, false, false},
	[SIGNATURE] = {"signature", NODE_PARAM, false, false},
	[LINES] = {"lines", NODE_OUTPUT, true, false},
	{0},
};

/* Ten minutes: heavy template code takes two; a compiler that hangs must end. */
static const int64_t TIMEOUT_NS = 600 * INT64_C(1000000000);

static const char *const *
word_list(const struct node_call *c, size_t i)
{
	const char **v = arena_news(c->a, c->n[i] + 1, const char *);
	for (size_t k = 0; k < c->n[i]; k++)
		v[k] = str_c(c->a, c->word[i][k]);
	return v;
}

static bool
same_file(struct arena *a, const char *cwd, const char *relative, struct str absolute)
{
	return str_is(absolute, fs_normal(a, fs_join(a, cwd, relative)));
}

/*
 * What a report calls a file: the user's path for the user's files; for those of a
 * toolkit the part from include/ on, so that two machines agree.
 */
static struct str
report_name(const struct node_call *c, struct str file)
{
	const char *cwd = fs_cwd(c->a);
	struct str mark = STR_LIT("/include/");
	if (!str_starts(file, "/"))
		return log_user_name(c->a, file);
	file = str_of(fs_normal(c->a, str_c(c->a, file)));
	struct str name = log_user_name(c->a, file);
	if (!str_starts(name, "/"))
		return name;
	for (size_t i = 0; i < c->n[DEP]; i++)
		if (same_file(c->a, cwd, c->file[DEP][i].path, file))
			return str_of(c->file[DEP][i].path);
	if (same_file(c->a, cwd, c->file[SOURCE]->path, file))
		return node_word(c, NAME);
	for (size_t i = file.n; i-- > 0;)
		if (str_starts(str_sub(file, i, file.n), mark.s))
			return str_sub(file, i + 1, file.n);
	return str_of(fs_basename(file.s));
}

/* Cuts the next "..." off *rest; a backslash escapes what follows it. */
static bool
quoted(struct arena *a, struct str *rest, struct str *out)
{
	struct buf b = {.a = a};
	for (size_t i = str_find(*rest, '"') + 1; i < rest->n; i++) {
		if (rest->s[i] == '"') {
			*out = buf_str(&b);
			*rest = str_sub(*rest, i + 1, rest->n);
			return true;
		}
		i += rest->s[i] == '\\' && i + 1 < rest->n;
		buf_addc(&b, rest->s[i]);
	}
	return false;
}

static void
add_quoted(struct buf *b, struct str s)
{
	buf_addc(b, '"');
	for (size_t i = 0; i < s.n; i++) {
		if (s.s[i] == '"' || s.s[i] == '\\')
			buf_addc(b, '\\');
		buf_addc(b, s.s[i]);
	}
	buf_addc(b, '"');
}

/* A .file line, with the file called by its report name; some compilers give folder and
 * name apart. */
static void
add_file_line(const struct node_call *c, struct str line, struct buf *b)
{
	struct str rest = line, file, name;
	size_t head = str_find(line, '"');
	if (!quoted(c->a, &rest, &file)) {
		buf_addstr(b, line);
		return;
	}
	if (str_starts(str_trim(rest), "\"") && quoted(c->a, &rest, &name)) {
		file = str_of(fs_join(c->a, str_c(c->a, file), str_c(c->a, name)));
		rest = (struct str){0};
	}
	buf_addstr(b, str_sub(line, 0, head));
	add_quoted(b, report_name(c, file));
	buf_addstr(b, rest);
}

/* LLVM 22 names the callers of inlined code in a comment of .loc. */
static void
add_loc_line(const struct node_call *c, struct str line, struct buf *b)
{
	size_t comment = str_find_text(line, STR_LIT("//"));
	struct str said = str_sub(line, comment, line.n);
	if (said.n)
		said = text_replace(
			c->a, said, str_fmt(c->a, "%s/", fs_cwd(c->a)), (struct str){0});
	said = text_replace(c->a, said, STR_LIT(".lanewise/in/"), (struct str){0});
	buf_addstr(b, str_sub(line, 0, comment));
	buf_addstr(b, said);
}

/* Labels that only clang's debug sections name; their numbers follow the line table. */
static bool
is_debug_label(struct str line)
{
	size_t n = strlen("Ltmp");
	if (!str_starts(line, "Ltmp") || !str_ends(line, ":") || line.n < n + 2)
		return false;
	for (size_t i = n; i + 1 < line.n; i++)
		if (line.s[i] < '0' || line.s[i] > '9')
			return false;
	return true;
}

static struct str
name_files(const struct node_call *c, struct str ptx)
{
	struct buf b = {.a = c->a};
	struct str line;
	while (str_line(&ptx, &line)) {
		if (is_debug_label(line))
			continue;
		if (str_starts(str_trim(line), ".file"))
			add_file_line(c, line, &b);
		else if (str_starts(str_trim(line), ".loc"))
			add_loc_line(c, line, &b);
		else
			buf_addstr(&b, line);
		buf_addc(&b, '\n');
	}
	return buf_str(&b);
}

static void
write_ptx(struct node_call *c, struct str ptx)
{
	struct ptx_split s = ptx_split_lines(c->a, name_files(c, ptx), (struct str){0});
	buf_addstr(&c->out, s.ptx);
	buf_addstr(&c->extra[LINES], s.lines);
}

static void
write_failure(struct node_call *c, const struct lower_result *r)
{
	struct str message = r->err_message;
	if (!message.n)
		message = STR_LIT("it does not compile");
	lowered_write_failure(
		&c->out, r->err_file, r->err_line, r->err_col, message, r->log);
	c->status = STR_LIT("failed");
	c->detail = str_fmt(c->a, "%.*s:%u: %.*s", STR_ARG(r->err_file), r->err_line,
		STR_ARG(message));
	c->no_cache = r->transient;
}

/* The key of a cached result names the version, so another compiler must not answer. */
static const struct toolchain *
find_toolchain(struct node_call *c, struct diag *d)
{
	struct str name = node_word(c, TOOLCHAIN), pin = node_word(c, VERSION);
	const struct toolchain *t = toolchain_find(name);
	if (!t) {
		diag_error(d, (struct place){0}, "lower: there is no toolchain '%.*s'",
			STR_ARG(name));
		return NULL;
	}
	struct toolchain_info info = t->probe(c->a);
	if (!info.present) {
		diag_error(d, (struct place){0},
			"lower: toolchain '%s' is not here: %.*s", t->name,
			STR_ARG(info.why));
		return NULL;
	}
	if (!str_eq(info.version, pin)) {
		diag_error(d, (struct place){0},
			"lower: this is '%.*s', but the graph was written for '%.*s'; "
			"'lanewise graph' writes it for this one (that of --replay is "
			"for "
			"the tools of the machine that measured: have those here, or "
			"measure again)",
			STR_ARG(info.version), STR_ARG(pin));
		return NULL;
	}
	return t;
}

static bool
compute(struct node_call *c, struct diag *d)
{
	int64_t cc;
	struct lower_result r = {0};
	const struct node_file *source = node_file(c, SOURCE);
	const struct toolchain *t = find_toolchain(c, d);
	if (!t)
		return false;
	if (!str_to_i64(node_word(c, CC), &cc) || cc < (t->native ? 0 : 10) || cc > 9999)
		die("lower: '--cc %.*s' is not a compute capability such as 90",
			STR_ARG(node_word(c, CC)));
	struct lower_request q = {
		.source = source->bytes,
		.name = str_c(c->a, node_word(c, NAME)),
		.path = source->path,
		.defines = word_list(c, DEFINE),
		.includes = word_list(c, INCLUDE),
		.flags = word_list(c, FLAG),
		.command = str_c(c->a, node_word(c, COMMAND)),
		.entry = node_word(c, ENTRY),
		.signature = node_word(c, SIGNATURE),
		.cc = (int)cc,
		.timeout_ns = TIMEOUT_NS,
	};
	if (!t->lower(c->a, &q, &r)) {
		diag_error(
			d, (struct place){0}, "lower: %s: %.*s", t->name, STR_ARG(r.log));
		return false;
	}
	if (r.ok && t->native)
		buf_addstr(&c->out, r.ptx);
	else if (r.ok)
		write_ptx(c, r.ptx);
	else
		write_failure(c, &r);
	return true;
}

static bool
recalled(struct node_call *c)
{
	return c->out.n > 0;
}

const struct node node_lower = {
	.name = "lower",
	.about = "compile one specialization of a source to PTX",
	.revision = 1,
	.words = words,
	.hermetic = true,
	.compute = compute,
	.recalled = recalled,
};
