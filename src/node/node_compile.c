/*
 * compile: PTX to machine code and facts.
 *
 * The verdict file is a guard, not data: code whose every launch is refused is not made,
 * not even out of the cache, whoever asks.
 */
#include "backend/image.h"
#include "base/arena.h"
#include "model/facts.h"
#include "model/verdict.h"
#include "node/lowered.h"
#include "node/node.h"
#include "ptx/ptx.h"
#include "toolchain/ptxas.h"

enum { KERNEL, SPECIALIZATION, PTX, ASSEMBLER, CC, ENTRY, ADMIT, VERDICT, UNSAFE, FACTS };

static const struct node_word words[] = {
	[KERNEL] = {"kernel", NODE_NOTE, false, false},
	[SPECIALIZATION] = {"specialization", NODE_NOTE, false, false},
	[PTX] = {"ptx", NODE_INPUT, true, false},
	[ASSEMBLER] = {"assembler", NODE_PARAM, true, false},
	[CC] = {"cc", NODE_PARAM, true, false},
	[ENTRY] = {"entry", NODE_PARAM, false, false},
	[ADMIT] = {"admit", NODE_NOTE, false, false},
	[VERDICT] = {"verdict", NODE_GUARD, false, false},
	[UNSAFE] = {"allow-unsafe", NODE_FLAG, false, false},
	[FACTS] = {"facts", NODE_OUTPUT, true, false},
	{0},
};

static const int64_t TIMEOUT_NS = 600 * INT64_C(1000000000);

static const struct verdict_file *
read_verdicts(struct node_call *c)
{
	struct diag d = {0};
	const struct node_file *f = node_file(c, VERDICT);
	if (!f || !f->present)
		return NULL;
	return verdict_file_read(c->a, f->path, &d);
}

static bool
admitted(const struct node_call *c, const struct verdict *v)
{
	return verdict_admitted(v, admit_of(node_word(c, ADMIT)));
}

/* "K/S" of messages. */
static const char *
subject(const struct node_call *c)
{
	struct str k = node_word(c, KERNEL), s = node_word(c, SPECIALIZATION);
	if (!s.n)
		return c->main_out;
	return str_fmt(c->a, "%.*s/%.*s", STR_ARG(k), STR_ARG(s)).s;
}

/* Dies unless something that this code is for may run. */
static void
check_guard(struct node_call *c)
{
	const struct verdict_file *f = node_flag(c, UNSAFE) ? NULL : read_verdicts(c);
	if (node_flag(c, UNSAFE))
		return;
	if (!f)
		die("'%s': the gate has not judged it: not compiled", subject(c));
	for (size_t i = 0; i < f->n; i++)
		if (admitted(c, &f->v[i]))
			return;
	die("'%s': refused by the gate: not compiled", subject(c));
}

/* The entry as the PTX spells it: the gate found it; without its word, the module's only
 * one. */
static struct str
find_entry(struct node_call *c, const struct ptx_module *m)
{
	const struct verdict_file *f = read_verdicts(c);
	struct str name = f && f->entry.n ? f->entry : node_word(c, ENTRY), only = {0};
	const struct ptx_func *found = m ? ptx_find_func(m, name) : NULL;
	if (found && found->entry)
		return found->name;
	for (uint32_t i = 0; m && i < m->n_funcs; i++) {
		if (!m->funcs[i].entry || !m->funcs[i].defined)
			continue;
		if (only.n)
			return name;
		only = m->funcs[i].name;
	}
	return only.n ? only : name;
}

static int64_t
threads_of(const struct ptx_func *f)
{
	const struct ptx_dim *d = f->reqntid.v[0] ? &f->reqntid : &f->maxntid;
	uint64_t v = (uint64_t)d->v[0] * d->v[1];
	if (!v || !d->v[2] || v > INT64_MAX / d->v[2])
		return -1;
	return (int64_t)(v * d->v[2]);
}

/* What can be known without machine code. */
static void
ptx_facts(const struct ptx_module *m, struct facts *f)
{
	const struct ptx_func *entry = m ? ptx_find_func(m, f->entry) : NULL;
	if (!entry)
		return;
	f->static_shared_bytes = (int64_t)(entry->shared_bytes + m->shared_bytes);
	f->max_threads = threads_of(entry);
}

static void
fail(struct node_call *c, struct facts *f, struct str reason)
{
	struct str entry = f->entry;
	*f = facts_none();
	f->entry = entry;
	f->source = STR_LIT("ptx");
	f->artifact = STR_LIT("cubin");
	f->status = STR_LIT("failed");
	f->reason = reason;
	c->status = STR_LIT("failed");
	c->detail = reason;
}

static void
keep_ptx(struct node_call *c, const struct ptx_module *m, struct facts *f)
{
	ptx_facts(m, f);
	f->source = STR_LIT("ptx");
	f->artifact = STR_LIT("ptx");
	f->status = STR_LIT("ok");
	buf_addstr(&c->out, node_file(c, PTX)->bytes);
}

/* The compiler made machine code already. */
static void
keep_object(struct node_call *c, struct facts *f)
{
	f->source = STR_LIT("none");
	f->artifact = STR_LIT("object");
	f->status = STR_LIT("ok");
	buf_addstr(&c->out, node_file(c, PTX)->bytes);
}

/* False when the assembler of the graph is not the one that is here. */
static bool
check_assembler(struct node_call *c, const struct toolchain_info *info, struct diag *d)
{
	struct str pin = node_word(c, ASSEMBLER);
	if (info->present && str_eq(info->version, pin))
		return true;
	if (!info->present)
		diag_error(d, (struct place){0}, "compile: %.*s", STR_ARG(info->why));
	else
		diag_error(d, (struct place){0},
			"compile: this is '%.*s', but the graph was written for '%.*s'; "
			"'lanewise graph' writes it for this one (that of --replay is "
			"for "
			"the tools of the machine that measured: have those here, or "
			"measure again)",
			STR_ARG(info->version), STR_ARG(pin));
	return false;
}

static bool
assemble(struct node_call *c, struct facts *f, struct diag *d)
{
	int64_t cc;
	struct ptxas_result r = {0};
	struct toolchain_info info = ptxas_probe(c->a);
	if (!check_assembler(c, &info, d))
		return false;
	if (!str_to_i64(node_word(c, CC), &cc) || cc < 10 || cc > 9999)
		die("compile: '--cc %.*s' is not a compute capability such as 90",
			STR_ARG(node_word(c, CC)));
	struct ptxas_request q = {
		.program = info.path.s,
		.ptx = node_file(c, PTX)->bytes,
		.cc = (int)cc,
		.entry = f->entry,
		.timeout_ns = TIMEOUT_NS,
	};
	if (!ptxas_run(c->a, &q, &r)) {
		diag_error(d, (struct place){0}, "compile: %.*s", STR_ARG(r.reason));
		return false;
	}
	c->no_cache = r.transient;
	if (!r.ok) {
		fail(c, f, r.reason);
		return true;
	}
	*f = r.facts;
	f->artifact = STR_LIT("cubin");
	f->status = STR_LIT("ok");
	buf_addstr(&c->out, r.cubin);
	return true;
}

static bool
compute(struct node_call *c, struct diag *d)
{
	const struct node_file *ptx = node_file(c, PTX);
	struct source src = {ptx->path, ptx->bytes};
	struct facts f = facts_none();
	struct finding failed;
	check_guard(c);
	if (lowered_failure(c->a, ptx->bytes, &failed)) {
		fail(c, &f, failed.message);
	} else if (image_is_native(ptx->bytes)) {
		f.entry = node_word(c, ENTRY);
		keep_object(c, &f);
	} else {
		const struct ptx_module *m = ptx_parse(c->a, &src, d);
		f.entry = find_entry(c, m);
		if (str_is(node_word(c, ASSEMBLER), "none"))
			keep_ptx(c, m, &f);
		else if (!assemble(c, &f, d))
			return false;
	}
	buf_addstr(&c->extra[FACTS], facts_write(c->a, &f));
	return true;
}

static bool
recalled(struct node_call *c)
{
	struct diag d = {.quiet = true};
	struct source src = {
		"the cached facts", str_dup(c->a, buf_str(&c->extra[FACTS]))};
	struct facts f;
	check_guard(c);
	if (!facts_get(json_parse(c->a, &src, &d), &f, &d))
		return false;
	return c->out.n || str_is(f.status, "failed");
}

const struct node node_compile = {
	.name = "compile",
	.about = "assemble the PTX of one specialization, and say what it uses",
	.revision = 2,
	.words = words,
	.hermetic = true,
	.compute = compute,
	.recalled = recalled,
};
