#include "toolchain/starter.h"

#include "base/arena.h"
#include "base/asset.h"
#include "base/buf.h"
#include "base/die.h"
#include "format/template.h"
#include "toolchain/paramuse.h"

#include <ctype.h>

enum { MAX_SIZES = 8 };

/* One kernel being described. */
struct draft {
	struct arena *a;
	const struct starter *s;
	const struct ptx_func *f;
	const struct scan_kernel *source; /* NULL: not found in the source */
	struct kernel_use use;
	struct str kernel; /* name in the spec */
	struct str entry;  /* as the spec has to say it */
	struct str sizes[MAX_SIZES];
	size_t n_sizes;
	struct str block[3]; /* expressions */
	unsigned n_block;
	struct buf params, baseline, constraints;
};

/* --- names --- */

static bool
one_of(struct str name, const char *const *list)
{
	for (; *list; list++)
		if (str_is(name, *list))
			return true;
	return false;
}

/* Macros that are the number of threads of a block.  BLOCK_M and its like are tiles. */
static bool
is_block_macro(struct str name)
{
	static const char *const names[] = {"BLOCK", "BLOCK_SIZE", "BLOCKSIZE",
		"BLOCK_DIM", "BLOCKDIM", "BLOCK_THREADS", "THREADS", "NTHREADS",
		"NUM_THREADS", "N_THREADS", "THREADS_PER_BLOCK", "TPB", "CTA_SIZE",
		"CTA_THREADS", NULL};
	return one_of(name, names);
}

static bool
is_tile_macro(struct str name)
{
	return str_has(name, STR_LIT("TILE")) || str_has(name, STR_LIT("CHUNK"));
}

static const struct scan_macro *
macro_where(const struct draft *d, bool (*is)(struct str))
{
	for (size_t i = 0; i < d->s->n_macros; i++)
		if (is(d->s->macros[i].name))
			return &d->s->macros[i];
	return NULL;
}

static bool
macro_named(const struct draft *d, struct str name)
{
	for (size_t i = 0; i < d->s->n_macros; i++)
		if (str_eq(d->s->macros[i].name, name))
			return true;
	return false;
}

int64_t
starter_guess(struct str macro)
{
	static const char *const parts[] = {"UNROLL", "VEC", "ITEMS", "PER_THREAD", "MIN",
		"STAGES", "FACTOR", "WARPS", "DEPTH"};
	if (macro.n <= 3)
		return 4;
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (str_has(macro, str_of(parts[i])))
			return 4;
	return 128;
}

/* Words of the expression language cannot be names. */
static bool
is_reserved(struct str name)
{
	static const char *const words[] = {"and", "or", "not", "in", "if", "else",
		"true", "false", "min", "max", "abs", "ceil_div", "pow2", "log2", "floor",
		"ceil", "round", "gcd", "lcm", "device", NULL};
	return one_of(name, words);
}

static struct str
size_name(const struct draft *d, struct str name)
{
	if (!name.n || is_reserved(name) || macro_named(d, name))
		return str_fmt(d->a, "%.*s_size", STR_ARG(name));
	return name;
}

static struct str
param_name(const struct draft *d, uint32_t i)
{
	if (d->source && d->source->params[i].name.n)
		return d->source->params[i].name;
	return str_fmt(d->a, "arg%u", i);
}

/* --- types --- */

struct type {
	bool pointer;
	enum dtype type;
	unsigned width;
	bool sure;
};

/* The source says it best; what PTX alone leaves open is most likely a float. */
static struct type
param_type(const struct draft *d, uint32_t i)
{
	const struct ptx_var *v = &d->s->ptx->vars[d->f->params + i];
	const struct param_use *u = &d->use.params[i];
	const struct scan_param *p = d->source ? &d->source->params[i] : NULL;
	struct type t = {.pointer = p ? p->pointer : u->pointer, .width = 1};
	if (p && p->known) {
		t.type = p->type;
		t.width = p->width;
		t.sure = true;
	} else if (t.pointer) {
		t.type = u->typed ? u->type : DTYPE_F32;
	} else {
		t.type = ptx_param_type(v->type, v->bytes);
		if (t.type == DTYPE_U32 || t.type == DTYPE_U64)
			t.type = t.type == DTYPE_U32 ? DTYPE_I32 : DTYPE_I64;
	}
	return t;
}

static bool
check_params(struct draft *d, struct str *why)
{
	for (uint32_t i = 0; i < d->f->n_params; i++) {
		const struct ptx_var *v = &d->s->ptx->vars[d->f->params + i];
		struct str name = param_name(d, i);
		if (!v->array && v->bytes <= 8 && param_type(d, i).width == 1)
			continue;
		if (!v->array && param_type(d, i).pointer)
			continue;
		*why = str_fmt(d->a,
			"parameter %u ('%.*s') of '%.*s' is a structure of %llu "
			"bytes; a spec passes numbers and pointers: pass its "
			"members one by one",
			i + 1, STR_ARG(name), STR_ARG(d->kernel),
			(unsigned long long)v->bytes);
		return false;
	}
	return true;
}

/* --- sizes and parameters --- */

static void
find_sizes(struct draft *d)
{
	for (uint32_t i = 0; i < d->f->n_params && d->n_sizes < MAX_SIZES; i++) {
		struct type t = param_type(d, i);
		if (!t.pointer && !dtype_is_float(t.type) && dtype_bytes(t.type) >= 4)
			d->sizes[d->n_sizes++] = size_name(d, param_name(d, i));
	}
	if (!d->n_sizes)
		d->sizes[d->n_sizes++] = STR_LIT("n");
}

static void
add_param(struct draft *d, struct str name, const int64_t *v, size_t n, bool launch,
	int64_t base)
{
	buf_addf(&d->params, "%s        \"%.*s\": { \"values\": [",
		d->params.n ? ",\n" : "", STR_ARG(name));
	for (size_t i = 0; i < n; i++)
		buf_addf(&d->params, "%s%lld", i ? ", " : "", (long long)v[i]);
	buf_addf(&d->params, "]%s }", launch ? ", \"role\": \"launch\"" : "");
	buf_addf(&d->baseline, "%s\"%.*s\": %lld", d->baseline.n ? ", " : "",
		STR_ARG(name), (long long)base);
}

static void
add_macro(struct draft *d, const struct scan_macro *m)
{
	bool power = m->value > 0 && (m->value & (m->value - 1)) == 0;
	int64_t v[3], n = 0;
	if (power && m->value > 1)
		v[n++] = m->value / 2;
	v[n++] = m->value;
	if (power && m->value < 512)
		v[n++] = m->value * 2;
	add_param(d, m->name, v, (size_t)n, false, m->value);
}

/* Most threads that the kernel's own bounds allow. */
static int64_t
max_threads(const struct ptx_func *f)
{
	uint64_t v = 1;
	for (int i = 0; i < 3; i++)
		v *= f->maxntid.v[i] && v <= 1024 ? f->maxntid.v[i] : 1;
	return f->maxntid.v[0] && v < 1024 ? (int64_t)v : 1024;
}

static void
add_block_param(
	struct draft *d, const char *name, const int64_t *v, size_t n, int64_t most)
{
	size_t kept = 0;
	d->block[d->n_block++] = str_of(name);
	if (macro_named(d, str_of(name)))
		return;
	while (kept < n && v[kept] <= most)
		kept++;
	add_param(d, str_of(name), v, kept ? kept : 1, true, v[0]);
}

static void
fixed_block(struct draft *d)
{
	for (int i = 0; i < 3; i++)
		d->block[d->n_block++] = str_fmt(d->a, "%u", d->f->reqntid.v[i]);
}

static void
choose_block(struct draft *d)
{
	static const int64_t line[] = {32, 64, 128, 256, 512}, x[] = {16, 32},
			     y[] = {4, 8, 16}, z[] = {1, 2, 4};
	const struct scan_macro *m = macro_where(d, is_block_macro);
	int64_t most = max_threads(d->f);
	if (d->f->reqntid.v[0]) {
		fixed_block(d);
	} else if (m) {
		d->block[d->n_block++] = m->name;
	} else if (d->use.block_dims == 1) {
		add_block_param(d, "BLOCK", line, 5, most);
	} else {
		add_block_param(d, "BLOCK_X", x, 2, most);
		add_block_param(d, "BLOCK_Y", y, 3, most);
		if (d->use.block_dims > 2)
			add_block_param(d, "BLOCK_Z", z, 3, most);
	}
}

static struct str
block_volume(const struct draft *d)
{
	struct buf b = {.a = d->a};
	for (unsigned i = 0; i < d->n_block; i++)
		buf_addf(&b, "%s%.*s", i ? " * " : "", STR_ARG(d->block[i]));
	return buf_str(&b);
}

static void
add_constraints(struct draft *d)
{
	const struct scan_macro *tile = macro_where(d, is_tile_macro);
	int64_t most = max_threads(d->f);
	bool fixed = d->f->reqntid.v[0] != 0;
	if (tile && d->n_block == 1 && !fixed && tile->value % 32 == 0)
		buf_addf(&d->constraints, "\"%.*s %% %.*s == 0\"", STR_ARG(tile->name),
			STR_ARG(d->block[0]));
	if (d->n_block > 1 && !fixed && (d->n_block > 2 || most < 1024)) {
		struct str v = block_volume(d);
		buf_addf(&d->constraints, "%s\"%.*s <= %lld\"",
			d->constraints.n ? ", " : "", STR_ARG(v), (long long)most);
	}
}

/* --- the pieces of the text --- */

static struct str
grid_text(const struct draft *d)
{
	const struct scan_macro *tile = macro_where(d, is_tile_macro);
	struct buf b = {.a = d->a};
	for (unsigned i = 0; i < d->use.grid_dims && i < 2; i++) {
		struct str size = d->sizes[i < d->n_sizes ? i : 0];
		struct str by = tile ? tile->name : d->block[i < d->n_block ? i : 0];
		buf_addf(&b, "%s\"ceil_div(%.*s, %.*s)\"", i ? ", " : "", STR_ARG(size),
			STR_ARG(by));
	}
	if (d->use.grid_dims > 2)
		buf_adds(&b, ", 1");
	return buf_str(&b);
}

static struct str
block_text(const struct draft *d)
{
	struct buf b = {.a = d->a};
	for (unsigned i = 0; i < d->n_block; i++) {
		bool number = isdigit((unsigned char)d->block[i].s[0]);
		const char *q = number ? "" : "\"";
		buf_addf(&b, "%s%s%.*s%s", i ? ", " : "", q, STR_ARG(d->block[i]), q);
	}
	return buf_str(&b);
}

static struct str
sizes_text(const struct draft *d)
{
	struct buf b = {.a = d->a};
	if (d->n_sizes == 1)
		return str_fmt(
			d->a, "\"1M\": { \"%.*s\": 1048576 }", STR_ARG(d->sizes[0]));
	buf_adds(&b, "\"1K\": { ");
	for (size_t i = 0; i < d->n_sizes; i++)
		buf_addf(&b, "%s\"%.*s\": 1024", i ? ", " : "", STR_ARG(d->sizes[i]));
	buf_adds(&b, " }");
	return buf_str(&b);
}

static struct str
count_text(const struct draft *d, unsigned width)
{
	struct str n = d->sizes[0], m = d->sizes[d->n_sizes > 1 ? 1 : 0];
	struct buf b = {.a = d->a};
	if (width > 1)
		buf_addf(&b, "%u * ", width);
	buf_addstr(&b, n);
	if (d->n_sizes > 1)
		buf_addf(&b, " * %.*s", STR_ARG(m));
	return buf_str(&b);
}

static void
pointer_text(const struct draft *d, uint32_t i, struct type t, struct buf *b)
{
	const struct param_use *u = &d->use.params[i];
	const struct scan_param *p = d->source ? &d->source->params[i] : NULL;
	bool stored = u->stored || (p && !p->constant && !u->loaded);
	struct str count = count_text(d, t.width);
	buf_addf(b, "\"%s*\", \"count\": \"%.*s\"", dtype_name(t.type), STR_ARG(count));
	if (stored)
		buf_addf(b, ", \"%s\": true", u->loaded ? "inout" : "output");
	if (!stored || u->loaded)
		buf_addf(b, ", \"fill\": \"%s\"",
			dtype_is_float(t.type) ? "exact" : "zeros");
	buf_adds(b, " }");
}

static void
scalar_text(const struct draft *d, size_t size, struct type t, struct buf *b)
{
	struct str name = d->sizes[size];
	buf_addf(b, "\"%s\", \"value\": \"%.*s\" }", dtype_name(t.type), STR_ARG(name));
}

/* Integers are sizes; zeros are a fill that is also a valid index. */
static struct str
args_text_of(const struct draft *d)
{
	struct buf b = {.a = d->a};
	size_t size = 0;
	for (uint32_t i = 0; i < d->f->n_params; i++) {
		struct type t = param_type(d, i);
		struct str name = param_name(d, i);
		bool number = dtype_is_float(t.type) || dtype_bytes(t.type) < 4;
		buf_addf(&b, "        { \"name\": \"%.*s\", \"type\": ", STR_ARG(name));
		if (t.pointer)
			pointer_text(d, i, t, &b);
		else if (number || size == MAX_SIZES)
			buf_addf(&b, "\"%s\", \"value\": 1 }", dtype_name(t.type));
		else
			scalar_text(d, size++, t, &b);
		buf_adds(&b, i + 1 < d->f->n_params ? "," : "");
		if (t.pointer && !dtype_is_float(t.type) && !d->use.params[i].stored)
			buf_adds(&b, " // check: are zeros a good input?");
		else if (!t.sure)
			buf_adds(&b, " // check: type");
		buf_adds(&b, i + 1 < d->f->n_params ? "\n" : "");
	}
	return buf_str(&b);
}

static struct str
bytes_text(const struct draft *d)
{
	struct buf b = {.a = d->a};
	for (uint32_t i = 0; i < d->f->n_params; i++) {
		struct type t = param_type(d, i);
		const struct param_use *u = &d->use.params[i];
		if (!t.pointer)
			continue;
		unsigned passes = u->loaded && u->stored ? 2 : 1;
		struct str count = count_text(d, 1);
		buf_addf(&b, "%s%zu * %.*s", b.n ? " + " : "",
			dtype_bytes(t.type) * t.width * passes, STR_ARG(count));
	}
	if (!b.n)
		buf_adds(&b, "0");
	return buf_str(&b);
}

static struct str
options_text(const struct draft *d)
{
	struct buf b = {.a = d->a};
	if (d->s->toolchain)
		buf_addf(&b, "      \"toolchain\": \"%s\",\n", d->s->toolchain);
	for (size_t i = 0; d->s->includes && d->s->includes[i]; i++)
		buf_addf(&b, "%s\"%s\"", i ? ", " : "      \"include\": [",
			d->s->includes[i]);
	if (d->s->includes && d->s->includes[0])
		buf_adds(&b, "],\n");
	return buf_str(&b);
}

static struct str
shared_text(const struct draft *d)
{
	struct str v = block_volume(d);
	size_t bytes = d->s->scan.dynamic_shared_bytes;
	if (!d->use.dynamic_shared)
		return (struct str){0};
	return str_fmt(
		d->a, ", \"shared\": \"%.*s * %zu\"", STR_ARG(v), bytes ? bytes : 4);
}

static struct str
optional_line(struct arena *a, const char *before, struct buf *b, const char *after)
{
	return b->n ? str_fmt(a, "%s%s%s", before, buf_c(b), after) : (struct str){0};
}

static struct str
asset(const char *path)
{
	struct str s;
	if (!asset_find(path, &s))
		BUG("no %s in the program", path);
	return s;
}

/* Entries with a base name: all of them, and those up to `last`. */
static size_t
count_base(const struct starter *s, struct str base, const struct ptx_func *last,
	size_t *until)
{
	size_t n = 0;
	for (uint32_t i = 0; i < s->ptx->n_funcs; i++) {
		const struct ptx_func *f = &s->ptx->funcs[i];
		n += f->entry && f->defined && str_eq(mangled_base(f->name), base);
		if (f == last)
			*until = n;
	}
	return n;
}

/* A base name that only one entry has stands for it; instances of a template are
 * numbered. */
static void
name_draft(struct draft *d)
{
	struct str base = mangled_base(d->f->name);
	size_t until = 0, n = count_base(d->s, base, d->f, &until);
	d->entry = n == 1 ? base : d->f->name;
	d->kernel = n == 1 ? base : str_fmt(d->a, "%.*s_%zu", STR_ARG(base), until);
}

static void
fill_draft(struct draft *d)
{
	find_sizes(d);
	choose_block(d);
	for (size_t i = 0; i < d->s->n_macros; i++)
		add_macro(d, &d->s->macros[i]);
	add_constraints(d);
}

static struct str
draft_text(struct draft *d)
{
	struct str shared_hint = d->use.dynamic_shared ? STR_LIT(", dynamic shared bytes")
						       : (struct str){0};
	const struct template_var vars[] = {
		{"kernel", d->kernel},
		{"source", str_of(d->s->source)},
		{"language", str_of(d->s->language)},
		{"entry", d->entry},
		{"options", options_text(d)},
		{"params", buf_str(&d->params)},
		{"constraints", optional_line(d->a, "      \"constraints\": [",
					&d->constraints, "],\n")},
		{"shared_hint", shared_hint},
		{"block", block_text(d)},
		{"grid", grid_text(d)},
		{"shared", shared_text(d)},
		{"sizes", sizes_text(d)},
		{"args", args_text_of(d)},
		{"baseline", buf_str(&d->baseline)},
		{"bytes", bytes_text(d)},
	};
	return template_fill(d->a, asset("templates/starter_kernel.json"), vars,
		sizeof vars / sizeof *vars);
}

static struct draft
draft_of(struct arena *a, const struct starter *s, const struct ptx_func *f)
{
	struct draft d = {.a = a, .s = s, .f = f, .params.a = a, .baseline.a = a};
	d.constraints.a = a;
	name_draft(&d);
	d.source = scan_find(&s->scan, mangled_base(f->name), f->n_params);
	d.use = kernel_use(a, s->ptx, f);
	return d;
}

size_t
starter_entries(const struct ptx_module *m, const struct ptx_func **v, size_t max)
{
	size_t n = 0;
	for (uint32_t i = 0; i < m->n_funcs && n < max; i++)
		if (m->funcs[i].entry && m->funcs[i].defined)
			v[n++] = &m->funcs[i];
	return n;
}

bool
starter_write(struct arena *a, const struct starter *s, const struct ptx_func *const *v,
	size_t n, struct str *out, struct str *why)
{
	struct buf kernels = {.a = a};
	for (size_t i = 0; i < n; i++) {
		struct draft d = draft_of(a, s, v[i]);
		if (!check_params(&d, why))
			return false;
		fill_draft(&d);
		struct str text = draft_text(&d);
		buf_addstr(
			&kernels, str_sub(text, 0, text.n - 1)); /* its last line end */
		buf_adds(&kernels, i + 1 < n ? ",\n" : "");
	}
	const struct template_var vars[] = {
		{"source", str_of(s->source)}, {"kernels", buf_str(&kernels)}};
	*out = template_fill(a, asset("templates/starter_spec.json"), vars, 2);
	return true;
}
