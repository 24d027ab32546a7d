#include "toolchain/ptxas.h"

#include "base/arena.h"
#include "base/fs.h"
#include "base/proc.h"
#include "toolchain/cubin.h"
#include "toolchain/cudahome.h"
#include "toolchain/errlog.h"
#include "toolchain/scratch.h"

#include <ctype.h>

struct toolchain_info
ptxas_probe(struct arena *a)
{
	return cuda_program_probe(a, "ptxas",
		"no ptxas on PATH, in $CUDA_HOME/bin or "
		"/usr/local/cuda/bin; install the CUDA toolkit, or: pip "
		"install nvidia-cuda-nvcc (without it the driver compiles "
		"the PTX, and register counts are unknown)");
}

const char *
ptxas_arch(struct arena *a, struct str ptx, int cc)
{
	struct str rest = ptx, line, plain = str_fmt(a, "sm_%d", cc);
	while (str_line(&rest, &line)) {
		line = str_trim(line);
		if (!str_starts(line, ".target"))
			continue;
		line = str_trim(str_sub(line, strlen(".target"), line.n));
		struct str suffix = str_sub(line, plain.n, plain.n + 1);
		if (str_starts(line, plain.s) &&
			(str_is(suffix, "a") || str_is(suffix, "f")))
			return str_fmt(a, "%s%.*s", plain.s, STR_ARG(suffix)).s;
		break;
	}
	return plain.s;
}

/* The number before " what" in a line such as "Used 22 registers, used 1 barriers, ...".
 */
static bool
number_before(struct str line, const char *what, int64_t *out)
{
	size_t n = strlen(what);
	for (size_t i = 1; i + n <= line.n; i++) {
		if (memcmp(line.s + i, what, n) != 0)
			continue;
		size_t from = i;
		while (from && isdigit((unsigned char)line.s[from - 1]))
			from--;
		return str_to_i64(str_sub(line, from, i), out);
	}
	return false;
}

static void
read_used(struct str line, struct facts *f)
{
	int64_t v;
	number_before(line, " registers", &f->registers);
	f->barriers = number_before(line, " barriers", &v) ? v : 0;
	f->static_shared_bytes = number_before(line, " bytes smem", &v) ? v : 0;
	if (number_before(line, " bytes cmem[0]", &v))
		f->constant_bytes = v;
}

static void
read_stack(struct str line, struct facts *f)
{
	number_before(line, " bytes stack frame", &f->local_bytes);
	number_before(line, " bytes spill stores", &f->spill_store_bytes);
	number_before(line, " bytes spill loads", &f->spill_load_bytes);
}

/* Does the line end with the name, as a word? */
static bool
names(struct str line, struct str name)
{
	line = str_trim(line);
	return line.n > name.n && line.s[line.n - name.n - 1] == ' ' &&
	       str_eq(str_sub(line, line.n - name.n, line.n), name);
}

bool
ptxas_facts(struct str log, struct str entry, struct facts *f)
{
	struct str line;
	bool mine = false, mentioned = false, frame = false;
	while (str_line(&log, &line)) {
		if (str_has(line, STR_LIT("Compiling entry function '"))) {
			struct str name = str_sub(line, str_find(line, '\'') + 1, line.n);
			mine = str_eq(str_sub(name, 0, str_find(name, '\'')), entry);
			mentioned |= mine;
		} else if (str_has(line, STR_LIT("Function properties for "))) {
			/* functions it calls are listed too, with frames of their own */
			frame = mine && names(line, entry);
		} else if (frame && str_has(line, STR_LIT(" bytes stack frame"))) {
			read_stack(line, f);
		} else if (mine && str_has(line, STR_LIT(": Used "))) {
			read_used(line, f);
		}
	}
	return mentioned;
}

static void
gather(struct arena *a, const struct ptxas_request *q, struct ptxas_result *r)
{
	struct str why;
	struct facts f = facts_none();
	bool read = cubin_facts(a, r->cubin, q->entry, &f, &why);
	bool said = ptxas_facts(r->log, q->entry, &f);
	f.entry = q->entry;
	f.source = said ? STR_LIT("ptxas -v") : read ? STR_LIT("cubin") : (struct str){0};
	r->facts = f;
}

static void
explain(struct arena *a, const struct proc_result *p, struct ptxas_result *r)
{
	struct log_error e;
	if (p->status > 0 && log_find_error(r->log, &e))
		r->reason = e.line ? str_fmt(a, "ptxas: line %u: %.*s", e.line,
					     STR_ARG(e.message))
				   : str_fmt(a, "ptxas: %.*s", STR_ARG(e.message));
	else
		r->reason = str_fmt(a, "ptxas: %s", proc_explain(a, p));
	r->transient = p->status < 0;
}

bool
ptxas_run(struct arena *a, const struct ptxas_request *q, struct ptxas_result *r)
{
	char *dir = scratch_make(a);
	/* Run inside the folder: the cubin's notes hold the command's file names. */
	const char *argv[] = {q->program, "-v",
		str_fmt(a, "-arch=%s", ptxas_arch(a, q->ptx, q->cc)).s, "in.ptx", "-o",
		"out.cubin", NULL};
	fs_write(fs_join(a, dir, "in.ptx"), q->ptx, NULL);
	struct proc_result p = proc_run(a, argv,
		(struct proc_opts){
			.dir = dir, .timeout_ns = q->timeout_ns, .merge = true});
	r->log = p.out;
	r->ok = p.started && p.status == 0 &&
		fs_try_read(a, fs_join(a, dir, "out.cubin"), &r->cubin);
	scratch_remove(a, dir);
	if (!p.started)
		r->reason = p.err;
	else if (r->ok)
		gather(a, q, r);
	else
		explain(a, &p, r);
	return p.started;
}
