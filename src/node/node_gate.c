/*
 * gate: one specialization's PTX against all its launch shapes and arguments.
 *
 * Writes the verdicts, and the Ninja dyndep file that names what is admitted: only those
 * compile and bench edges become inputs of the specialization's rows.
 */
#include "backend/image.h"
#include "base/arena.h"
#include "gate/gate.h"
#include "node/argfit.h"
#include "node/judged.h"
#include "node/lowered.h"
#include "node/node.h"

enum {
	PTX,
	KERNEL,
	ENTRY,
	DEVICE,
	EXIT,
	SITE,
	ADMIT,
	SPECIALIZATION,
	DIR,
	POINT,
	REFERENCE,
	UNSAFE,
	VERDICT
};

static const struct node_word words[] = {
	[PTX] = {"ptx", NODE_INPUT, true, false},
	[KERNEL] = {"kernel", NODE_PARAM, true, false},
	[ENTRY] = {"entry", NODE_PARAM, false, false},
	[DEVICE] = {"device", NODE_INPUT, true, false},
	[EXIT] = {"exit-policy", NODE_PARAM, true, false},
	[SITE] = {"site-policy", NODE_PARAM, true, false},
	[ADMIT] = {"admit", NODE_PARAM, true, false},
	[SPECIALIZATION] = {"specialization", NODE_PARAM, true, false},
	[DIR] = {"dir", NODE_PARAM, true, false},
	[POINT] = {"point", NODE_PARAM, true, true},
	[REFERENCE] = {"reference", NODE_PARAM, false, true},
	[UNSAFE] = {"unsafe", NODE_FLAG, false, false},
	[VERDICT] = {"verdict", NODE_OUTPUT, true, false},
	{0},
};

/* "C@SIZE|LAUNCH|ARGS" */
static void
point_parse(
	struct arena *a, struct str word, struct verdict *v, struct arg **args, size_t *n)
{
	struct str launch, why;
	if (!str_split(&word, '|', &v->point) || !str_split(&word, '|', &launch) ||
		!launch_parse(launch, &v->launch))
		die("gate: malformed point '%.*s'", STR_ARG(word));
	if (!args_parse(a, word, args, n, &why))
		die("gate: arguments of '%.*s': %.*s", STR_ARG(v->point), STR_ARG(why));
}

static struct gate_arg *
gate_args(struct arena *a, const struct arg *v, size_t n)
{
	struct gate_arg *g = arena_news(a, n ? n : 1, struct gate_arg);
	for (size_t i = 0; i < n; i++) {
		if (v[i].pointer) {
			g[i].kind = GATE_ARG_POINTER;
		} else if (v[i].known) {
			g[i].kind = GATE_ARG_BYTES;
			g[i].n = dtype_bytes(v[i].type);
			/* bits hold the storage in the low bytes; PTX and we are
			 * little-endian */
			g[i].bytes = (const unsigned char *)&v[i].bits;
		}
	}
	return g;
}

static void
judge_all(struct node_call *c, const struct ptx_module *m, const struct gate_kernel *k,
	const struct device *limits, struct verdict_file *f)
{
	const struct ptx_func *entry = ptx_find_func(m, f->entry);
	bool release = str_is(node_word(c, EXIT), "release");
	bool lenient = str_is(node_word(c, SITE), "lenient");
	for (size_t i = 0; i < f->n; i++) {
		struct arg *listed;
		size_t n_args;
		struct verdict head = {0};
		point_parse(c->a, c->word[POINT][i], &head, &listed, &n_args);
		const struct arg *args =
			entry ? argfit_spread(c->a, m, entry, listed, &n_args) : listed;
		struct gate_query q = {
			.launch = head.launch,
			.args = gate_args(c->a, args, n_args),
			.n_args = n_args,
			.exit_release = release,
			.site_lenient = lenient,
			.limits = limits,
		};
		f->v[i] = gate_check(c->a, k, &q);
		f->v[i].point = head.point;
		f->v[i].launch = head.launch;
	}
}

/* One error verdict a point: nothing can be said, and that is never a pass. */
static void
fail_all(struct node_call *c, struct verdict_file *f, const struct finding *why)
{
	for (size_t i = 0; i < f->n; i++) {
		struct arg *args;
		size_t n_args;
		struct verdict *v = &f->v[i];
		point_parse(c->a, c->word[POINT][i], v, &args, &n_args);
		v->kind = VERDICT_ERROR;
		v->findings = arena_new(c->a, struct finding);
		v->findings[0] = *why;
		v->n_findings = 1;
	}
}

static struct finding
error_finding(const char *rule, struct str message)
{
	return (struct finding){
		.rule = str_of(rule),
		.klass = STR_LIT("error"),
		.kind = VERDICT_ERROR,
		.message = message,
	};
}

/*
 * Machine code of the host.  One thread has nobody to wait for, so there is no barrier to
 * decide.  Of several, which the kernel starts itself, barriers and races are its own
 * affair: not decided, and that is never clean.
 */
static void
judge_native(struct node_call *c, struct verdict_file *f)
{
	bool single = true;

	f->static_shared_bytes = 0;
	for (size_t i = 0; i < f->n; i++) {
		struct arg *args;
		size_t n_args;
		struct verdict *v = &f->v[i];
		point_parse(c->a, c->word[POINT][i], v, &args, &n_args);
		uint64_t threads = dim_volume(v->launch.block);
		if (threads <= 1)
			continue;
		single = false;
		v->kind = VERDICT_CAVEAT;
		v->findings = arena_new(c->a, struct finding);
		v->n_findings = 1;
		*v->findings = (struct finding){.rule = STR_LIT("host"),
			.klass = STR_LIT("undecided"),
			.kind = VERDICT_CAVEAT,
			.message = str_fmt(c->a,
				"host code of %llu threads, which it starts itself: its "
				"barriers and races are not judged",
				(unsigned long long)threads)};
	}
	if (single)
		c->detail = STR_LIT("host code of one thread: no barrier to decide");
}

static int64_t
shared_of(const struct ptx_module *m, struct str entry)
{
	const struct ptx_func *f = ptx_find_func(m, entry);
	return f ? (int64_t)(f->shared_bytes + m->shared_bytes) : -1;
}

/* All points of a kernel have the same types of arguments. */
static bool
args_fit(struct node_call *c, const struct ptx_module *m, struct str entry,
	struct str *why)
{
	const struct ptx_func *f = ptx_find_func(m, entry);
	struct verdict head = {0};
	struct arg *args;
	size_t n;

	if (!f || !c->n[POINT])
		return true;
	point_parse(c->a, c->word[POINT][0], &head, &args, &n);
	const struct arg *all = argfit_spread(c->a, m, f, args, &n);
	return argfit_check(c->a, m, f, all, n, why);
}

static void
judge(struct node_call *c, const struct device *limits, struct verdict_file *f)
{
	const struct node_file *ptx = node_file(c, PTX);
	struct finding failed;
	if (lowered_failure(c->a, ptx->bytes, &failed)) {
		fail_all(c, f, &failed);
		return;
	}
	if (image_is_native(ptx->bytes)) {
		judge_native(c, f);
		return;
	}
	struct source src = {ptx->path, ptx->bytes};
	struct diag d = {0};
	struct str why;
	const struct ptx_module *m = ptx_parse(c->a, &src, &d);
	if (!m) {
		struct finding e =
			error_finding("ptx", STR_LIT("the gate cannot parse this PTX"));
		fail_all(c, f, &e);
		return;
	}
	struct gate_kernel *k = gate_prepare(c->a, m, node_word(c, ENTRY), &why);
	if (!k) {
		struct finding e = error_finding("entry", why);
		fail_all(c, f, &e);
		return;
	}
	f->entry = gate_entry_name(k);
	f->static_shared_bytes = shared_of(m, f->entry);
	if (!args_fit(c, m, f->entry, &why)) {
		struct finding e = error_finding("args", why);
		fail_all(c, f, &e);
		return;
	}
	judge_all(c, m, k, limits, f);
}

static bool
admitted(const struct node_call *c, const struct verdict *v)
{
	return verdict_admitted(v, admit_of(node_word(c, ADMIT)));
}

static void
dyndep_rows(struct node_call *c, const struct verdict_file *f, bool refused)
{
	struct str s = node_word(c, SPECIALIZATION), dir = node_word(c, DIR);
	const char *sub = refused ? "unsafe/" : "";
	bool any = false;
	buf_addf(&c->out, "build %.*s/%srows/%.*s.json: dyndep |", STR_ARG(dir), sub,
		STR_ARG(s));
	for (size_t i = 0; i < f->n; i++) {
		const struct verdict *v = &f->v[i];
		if (refused ? v->kind != VERDICT_REFUSED : !admitted(c, v))
			continue;
		any = true;
		buf_addf(&c->out, " %.*s/%sbench/%.*s.json", STR_ARG(dir), sub,
			STR_ARG(v->point));
	}
	/* The rows name the machine code by its hash: it may change and run as before. */
	if (any)
		buf_addf(&c->out, " %.*s/%scubin/%.*s.cubin", STR_ARG(dir), sub,
			STR_ARG(s));
	buf_addc(&c->out, '\n');
}

static void
dyndep_compiled(struct node_call *c, bool any)
{
	struct str s = node_word(c, SPECIALIZATION), dir = node_word(c, DIR);
	buf_addf(&c->out, "build %.*s/compiled/%.*s: dyndep |", STR_ARG(dir), STR_ARG(s));
	if (any)
		buf_addf(&c->out, " %.*s/cubin/%.*s.cubin", STR_ARG(dir), STR_ARG(s));
	buf_addc(&c->out, '\n');
}

/* "FILE|C@SIZE": the reference FILE runs this point, if it is admitted. */
static void
dyndep_reference(struct node_call *c, const struct verdict_file *f, struct str word)
{
	struct str file, s = node_word(c, SPECIALIZATION), dir = node_word(c, DIR);
	if (!str_split(&word, '|', &file))
		die("gate: malformed reference '%.*s'", STR_ARG(word));
	const struct verdict *v = verdict_file_find(f, word);
	buf_addf(&c->out, "build %.*s: dyndep |", STR_ARG(file));
	if (v && admitted(c, v))
		buf_addf(&c->out, " %.*s/cubin/%.*s.cubin", STR_ARG(dir), STR_ARG(s));
	buf_addc(&c->out, '\n');
}

static void
write_dyndep(struct node_call *c, const struct verdict_file *f)
{
	bool any = false;
	for (size_t i = 0; i < f->n; i++)
		any |= admitted(c, &f->v[i]);
	buf_adds(&c->out, "ninja_dyndep_version = 1\n");
	dyndep_rows(c, f, false);
	dyndep_compiled(c, any);
	for (size_t i = 0; i < c->n[REFERENCE]; i++)
		dyndep_reference(c, f, c->word[REFERENCE][i]);
	if (node_flag(c, UNSAFE))
		dyndep_rows(c, f, true);
}

static void
tell(struct node_call *c, const struct verdict_file *f)
{
	size_t n[4] = {0};
	for (size_t i = 0; i < f->n; i++)
		n[f->v[i].kind]++;
	c->detail = str_fmt(c->a, "%zu clean, %zu caveat, %zu refused, %zu error%s%.*s",
		n[VERDICT_CLEAN], n[VERDICT_CAVEAT], n[VERDICT_REFUSED], n[VERDICT_ERROR],
		c->detail.n ? "; " : "", STR_ARG(c->detail));
	if (n[VERDICT_ERROR])
		c->status = STR_LIT("failed");
}

static bool
compute(struct node_call *c, struct diag *d)
{
	const struct device *limits = device_read(c->a, node_file(c, DEVICE)->path, d);
	if (!limits)
		return false;
	struct verdict_file f = {
		.kernel = node_word(c, KERNEL),
		.entry = node_word(c, ENTRY),
		.static_shared_bytes = -1,
		.v = arena_news(c->a, c->n[POINT], struct verdict),
		.n = c->n[POINT],
	};
	judge(c, limits, &f);
	buf_addstr(&c->extra[VERDICT], verdict_file_write(c->a, &f));
	write_dyndep(c, &f);
	tell(c, &f);
	return true;
}

/* The verdicts of the points that were asked about, in their order. */
static bool
answers(struct node_call *c, const struct verdict_file *f)
{
	if (f->n != c->n[POINT])
		return false;
	for (size_t i = 0; i < f->n; i++) {
		struct verdict asked = {0};
		struct arg *args;
		size_t n;
		point_parse(c->a, c->word[POINT][i], &asked, &args, &n);
		if (!str_eq(asked.point, f->v[i].point))
			return false;
	}
	return true;
}

/* Ninja obeys a dyndep file to the letter, so none comes out of a cache: it follows from
 * the verdicts, and has only names of this graph. */
static bool
recalled(struct node_call *c)
{
	struct node_file file = {.path = "the cached verdicts",
		.bytes = str_dup(c->a, buf_str(&c->extra[VERDICT])),
		.present = true};
	struct diag d = {.quiet = true};
	const struct verdict_file *f = judged_read(&file, &d);
	if (!f || !answers(c, f))
		return false;
	c->out.n = 0;
	write_dyndep(c, f);
	return true;
}

const struct node node_gate = {
	.name = "gate",
	.about = "judge one specialization at all its launch shapes",
	.revision = 6,
	.words = words,
	.hermetic = true,
	.compute = compute,
	.recalled = recalled,
};
