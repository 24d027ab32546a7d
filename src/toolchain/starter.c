#include "toolchain/starter.h"

#include "base/asset.h"
#include "base/die.h"
#include "format/template.h"
#include "toolchain/draft.h"

/* --- names --- */

/* Words of the expression language cannot be names. */
static bool
is_reserved(struct str name)
{
	static const char *const words[] = {"and", "or", "not", "in", "if", "else",
		"true", "false", "min", "max", "abs", "ceil_div", "pow2", "log2", "floor",
		"ceil", "round", "gcd", "lcm", "device"};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (str_is(name, words[i]))
			return true;
	return false;
}

static struct str
size_name(const struct draft *d, struct str name)
{
	if (!name.n || is_reserved(name) || draft_is_macro(d, name))
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

bool
draft_is_local(const struct draft *d, uint32_t i)
{
	const struct ptx_var *v = d->f ? &d->s->ptx->vars[d->f->params + i] : NULL;
	return v && v->ptr && v->ptr_space == PTX_SPACE_SHARED;
}

/* The source says it best; what PTX alone leaves open is most likely a float. */
struct draft_type
draft_type(const struct draft *d, uint32_t i)
{
	const struct param_use *u = &d->use.params[i];
	const struct scan_param *p = d->source ? &d->source->params[i] : NULL;
	struct draft_type t = {.pointer = p ? p->pointer : u->pointer, .width = 1};
	if (p && p->known) {
		t.type = p->type;
		t.width = p->width;
		t.sure = true;
	} else if (t.pointer) {
		t.type = u->typed ? u->type : DTYPE_F32;
	} else {
		const struct ptx_var *v = &d->s->ptx->vars[d->f->params + i];
		t.type = ptx_param_type(v->type, v->bytes);
		if (t.type == DTYPE_U32 || t.type == DTYPE_U64)
			t.type = t.type == DTYPE_U32 ? DTYPE_I32 : DTYPE_I64;
	}
	return t;
}

static bool
check_params(struct draft *d, struct str *why)
{
	for (uint32_t i = 0; d->f && i < d->n_params; i++) {
		const struct ptx_var *v = &d->s->ptx->vars[d->f->params + i];
		struct str name = param_name(d, i);
		if (!v->array && v->bytes <= 8 && draft_type(d, i).width == 1)
			continue;
		if (!v->array && draft_type(d, i).pointer)
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

bool
starter_signature(
	struct arena *a, const struct scan_kernel *k, struct str *out, struct str *why)
{
	struct buf b = {.a = a};
	for (size_t i = 0; i < k->n_params; i++) {
		const struct scan_param *p = &k->params[i];
		if (!p->known || p->width != 1 || !p->name.n) {
			*why = str_fmt(a,
				"parameter %zu ('%.*s') of '%.*s' is of a type that a "
				"spec does not have; it passes numbers and pointers to "
				"numbers",
				i + 1, STR_ARG(p->name), STR_ARG(k->name));
			return false;
		}
		buf_addf(&b, "%s%s%s", i ? "," : "", dtype_name(p->type),
			p->pointer ? "*" : "");
	}
	*out = buf_str(&b);
	return true;
}

/* --- the pieces of the text --- */

static void
find_sizes(struct draft *d)
{
	for (uint32_t i = 0; i < d->n_params && d->n_sizes < DRAFT_SIZES_MAX; i++) {
		struct draft_type t = draft_type(d, i);
		if (t.pointer || dtype_is_float(t.type) || dtype_bytes(t.type) < 4)
			continue;
		d->size_param[d->n_sizes] = i + 1;
		d->sizes[d->n_sizes++] = size_name(d, param_name(d, i));
	}
	if (!d->n_sizes)
		d->sizes[d->n_sizes++] = STR_LIT("n");
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
pointer_text(const struct draft *d, uint32_t i, struct draft_type t, struct buf *b)
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
scalar_text(const struct draft *d, size_t size, struct draft_type t, struct buf *b)
{
	struct str name = d->sizes[size];
	buf_addf(b, "\"%s\", \"value\": \"%.*s\" }", dtype_name(t.type), STR_ARG(name));
}

/* Of the arguments of the spec. */
static bool
is_last(const struct draft *d, uint32_t i)
{
	while (++i < d->n_params)
		if (!draft_is_local(d, i))
			return false;
	return true;
}

/* Integers are sizes; zeros are a fill that is also a valid index. */
static struct str
args_text_of(const struct draft *d)
{
	struct buf b = {.a = d->a};
	size_t size = 0;
	for (uint32_t i = 0; i < d->n_params; i++) {
		struct draft_type t = draft_type(d, i);
		struct str name = param_name(d, i);
		bool number = dtype_is_float(t.type) || dtype_bytes(t.type) < 4;
		if (draft_is_local(d, i))
			continue;
		if (b.n)
			buf_adds(&b, "\n");
		buf_addf(&b, "        { \"name\": \"%.*s\", \"type\": ", STR_ARG(name));
		if (t.pointer)
			pointer_text(d, i, t, &b);
		else if (number || size == DRAFT_SIZES_MAX)
			buf_addf(&b, "\"%s\", \"value\": 1 }", dtype_name(t.type));
		else
			scalar_text(d, size++, t, &b);
		buf_adds(&b, is_last(d, i) ? "" : ",");
		if (t.pointer && !dtype_is_float(t.type) && !d->use.params[i].stored)
			buf_adds(&b, " // check: are zeros a good input?");
		else if (!t.sure)
			buf_adds(&b, " // check: type");
	}
	return buf_str(&b);
}

static struct str
bytes_text(const struct draft *d)
{
	struct buf b = {.a = d->a};
	for (uint32_t i = 0; i < d->n_params; i++) {
		struct draft_type t = draft_type(d, i);
		const struct param_use *u = &d->use.params[i];
		if (!t.pointer || draft_is_local(d, i))
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
	if (!d->f) {
		d->entry = d->kernel = d->source->name;
		return;
	}
	struct str base = mangled_base(d->f->name);
	size_t until = 0, n = count_base(d->s, base, d->f, &until);
	d->entry = n == 1 ? base : d->f->name;
	d->kernel = n == 1 ? base : str_fmt(d->a, "%.*s_%zu", STR_ARG(base), until);
}

static void
fill_draft(struct draft *d)
{
	find_sizes(d);
	draft_params(d);
}

static struct str
draft_text(struct draft *d)
{
	const struct template_var vars[] = {
		{"kernel", d->kernel},
		{"source", str_of(d->s->source)},
		{"language", str_of(d->s->language)},
		{"entry", d->entry},
		{"options", options_text(d)},
		{"params", buf_str(&d->params)},
		{"constraints", optional_line(d->a, "      \"constraints\": [",
					&d->constraints, "],\n")},
		{"launch", draft_launch(d)},
		{"sizes", sizes_text(d)},
		{"args", args_text_of(d)},
		{"baseline", buf_str(&d->baseline)},
		{"bytes", bytes_text(d)},
	};
	return template_fill(d->a, asset("templates/starter_kernel.json"), vars,
		sizeof vars / sizeof *vars);
}

/* Of a function in C the source says what it does with its pointers. */
static struct kernel_use
source_use(struct arena *a, const struct scan_kernel *k)
{
	struct kernel_use use = {
		.params = arena_news(a, k->n_params + 1, struct param_use)};
	for (size_t i = 0; i < k->n_params; i++)
		use.params[i] = (struct param_use){.pointer = k->params[i].pointer,
			.loaded = k->params[i].loaded || k->params[i].constant,
			.stored = k->params[i].stored};
	return use;
}

static struct draft
draft_of(struct arena *a, const struct starter *s, const struct starter_kernel *k)
{
	struct draft d = {.a = a,
		.s = s,
		.k = k,
		.f = k->f,
		.source = k->source,
		.params.a = a,
		.baseline.a = a};
	d.constraints.a = a;
	d.n_params = k->f ? k->f->n_params : (uint32_t)k->source->n_params;
	d.use = k->f ? kernel_use(a, s->ptx, k->f) : source_use(a, k->source);
	name_draft(&d);
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
starter_write(struct arena *a, const struct starter *s, const struct starter_kernel *v,
	size_t n, struct str *out, struct str *why)
{
	struct buf kernels = {.a = a};
	for (size_t i = 0; i < n; i++) {
		struct draft d = draft_of(a, s, &v[i]);
		if (!check_params(&d, why))
			return false;
		fill_draft(&d);
		struct str text = draft_text(&d);
		buf_addstr(
			&kernels, str_sub(text, 0, text.n - 1)); /* its last line end */
		buf_adds(&kernels, i + 1 < n ? ",\n" : "");
	}
	const struct template_var vars[] = {
		{"source", str_of(s->source)},
		{"device", s->device ? str_fmt(a, "  \"device\": \"%s\",\n", s->device)
				     : (struct str){0}},
		{"kernels", buf_str(&kernels)},
	};
	*out = template_fill(a, asset("templates/starter_spec.json"), vars,
		sizeof vars / sizeof *vars);
	return true;
}
