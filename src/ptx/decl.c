#include "ptx/form.h"
#include "ptx/parse.h"

static uint64_t
add_sat(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t
mul_sat(uint64_t a, uint64_t b)
{
	return b && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

static uint64_t
type_bytes(enum ptx_type t, uint8_t vec)
{
	uint64_t n = ((uint64_t)ptx_type_bits(t) + 7) / 8;
	return (n ? n : 1) * vec;
}

/* Room for one more in a sequence of variables, each aligned. */
static uint64_t
place_after(uint64_t used, const struct ptx_var *v)
{
	uint64_t mask = v->align ? v->align - 1 : 0;
	return add_sat(add_sat(used, mask) & ~mask, v->bytes);
}

static bool
read_align(struct parser *p, uint32_t *align)
{
	struct token at;
	parse_next(p);
	at = p->t;
	if (!parse_u32(p, align))
		return false;
	if (!*align || *align & (*align - 1))
		return parse_fail(p, &at, "an alignment is a power of two");
	return true;
}

/* Everything between the space and the name: .align 8 .v2 .b32 .ptr .global .align 4 */
static bool
read_qualifiers(struct parser *p, struct ptx_var *v)
{
	while (p->t.kind == TOK_DOT) {
		struct str w = str_sub(p->t.text, 1, p->t.text.n);
		if (str_is(w, "align")) {
			if (!read_align(p, v->ptr ? &v->ptr_align : &v->align))
				return false;
			continue;
		}
		if (ptx_type_of(w) != PTX_T_NONE)
			v->type = ptx_type_of(w);
		else if (str_is(w, "ptr"))
			v->ptr = true;
		else if (w.n == 2 && w.s[0] == 'v' && strchr("248", w.s[1]))
			v->vec = (uint8_t)(w.s[1] - '0');
		else if (v->ptr && ptx_space_of(w) != PTX_SPACE_NONE)
			v->ptr_space = ptx_space_of(w);
		parse_next(p);
		if (parse_is(p, '(') && !parse_skip_group(p)) /* .attribute(.managed) */
			return false;
	}
	return true;
}

/* [16][2], [] */
static bool
read_dimensions(struct parser *p, struct ptx_var *v)
{
	while (parse_take(p, '[')) {
		v->array = true;
		if (parse_take(p, ']')) {
			v->bytes = 0;
			continue;
		}
		struct token at = p->t;
		int64_t n;
		if (!parse_int(p, &n))
			return false;
		if (n < 0)
			return parse_fail(p, &at, "an array has no negative size");
		v->bytes = mul_sat(v->bytes, (uint64_t)n);
		if (!parse_expect(p, ']'))
			return false;
	}
	return true;
}

/* `= {1, 2}`: the text is kept; it ends at a comma or semicolon outside braces. */
static bool
read_initialiser(struct parser *p, struct ptx_var *v)
{
	uint32_t from = p->t.at, end = from;
	while (!parse_is(p, ',') && !parse_is(p, ';')) {
		if (p->t.kind == TOK_END)
			return parse_fail(p, &p->t, "the initialiser does not end");
		if (parse_is(p, '{') || parse_is(p, '(')) {
			if (!parse_skip_group(p))
				return false;
		} else
			parse_next(p);
		end = p->lex.end;
	}
	v->init = str_trim(str_sub(p->src->text, from, end));
	return true;
}

static uint32_t
add_var(struct parser *p, struct ptx_var v)
{
	if (!v.align)
		v.align = (uint32_t)type_bytes(v.type, v.vec);
	arena_grow(p->a, p->m->vars, p->m->n_vars, p->cap_vars);
	p->m->vars[p->m->n_vars] = v;
	return p->m->n_vars++;
}

/* Extern arrays have their size elsewhere; `x[] = {...}` has as many as are written,
 * which nobody asks for. */
static void
finish_var(struct parser *p, struct ptx_var *v)
{
	v->dynamic = v->array && !v->bytes && !v->init.n;
	if (v->link == PTX_LINK_EXTERN)
		return;
	if (v->space == PTX_SPACE_SHARED && v->func == PTX_NONE)
		p->m->shared_bytes = place_after(p->m->shared_bytes, v);
	else if (v->space == PTX_SPACE_SHARED)
		p->f.shared_bytes = place_after(p->f.shared_bytes, v);
	else if (v->space == PTX_SPACE_LOCAL)
		p->f.local_bytes = place_after(p->f.local_bytes, v);
}

static bool
in_function(const struct parser *p)
{
	return p->f.index != PTX_NONE;
}

/* A module variable may be declared extern and then defined. */
static bool
declare_var(struct parser *p, const struct token *name, struct ptx_var v)
{
	if (in_function(p)) {
		body_declare(p, name, SYM_VAR, add_var(p, v));
		return !p->failed;
	}
	struct sym *s = symtab_find(&p->globals, name->text, name->hash, 0);
	if (!s) {
		uint32_t id = add_var(p, v);
		symtab_add(&p->globals, name->text, name->hash, 0, SYM_VAR, id);
		return true;
	}
	if (s->kind != SYM_VAR)
		return parse_fail(p, name, "'%.*s' is a function", STR_ARG(name->text));
	if (p->m->vars[s->id].link != PTX_LINK_EXTERN && v.link != PTX_LINK_EXTERN &&
		v.link != PTX_LINK_WEAK && v.link != PTX_LINK_COMMON)
		return parse_fail(
			p, name, "'%.*s' is declared twice", STR_ARG(name->text));
	uint32_t id = add_var(p, v);
	if (v.link != PTX_LINK_EXTERN)
		s->id = id;
	return true;
}

/* NAME[DIMENSION]...; what comes before it is in v. */
static bool
read_name(struct parser *p, const char *what, struct ptx_var *v)
{
	if (!parse_is_name(p))
		return parse_fail(p, &p->t, "expected the name of a %s", what);
	v->name = p->t.text, v->at = p->t.at, v->line = p->t.line;
	v->bytes = type_bytes(v->type, v->vec);
	if (!v->align)
		v->align = (uint32_t)v->bytes;
	parse_next(p);
	return read_dimensions(p, v);
}

bool
decl_vars(struct parser *p, enum ptx_linkage link)
{
	struct ptx_var proto = {.link = link, .vec = 1, .param = PTX_NONE};
	proto.func = in_function(p) ? p->f.index : PTX_NONE;
	proto.scope = in_function(p) ? p->open[p->depth].number - p->first_scope : 0;
	proto.space = ptx_space_of(str_sub(p->t.text, 1, p->t.text.n));
	parse_next(p);
	if (!read_qualifiers(p, &proto))
		return false;
	do {
		struct ptx_var v = proto;
		struct token name = p->t;
		if (!read_name(p, "variable", &v))
			return false;
		if (parse_take(p, '=') && !read_initialiser(p, &v))
			return false;
		finish_var(p, &v);
		if (!declare_var(p, &name, v))
			return false;
	} while (parse_take(p, ','));
	return parse_expect(p, ';');
}

/* %r<100>: registers %r0 to %r99 */
static bool
add_range(struct parser *p, const struct token *name, enum ptx_type type, uint8_t vec)
{
	int64_t n;
	if (!parse_int(p, &n) || !parse_expect(p, '>'))
		return false;
	if (n < 0)
		return parse_fail(p, name, "a range of registers has no negative size");
	arena_grow(p->a, p->ranges, p->n_ranges, p->cap_ranges);
	p->ranges[p->n_ranges] = (struct range){
		(uint64_t)n, type, vec, p->open[p->depth].number - p->first_scope};
	body_declare(p, name, SYM_RANGE, (uint32_t)p->n_ranges++);
	return !p->failed;
}

bool
decl_regs(struct parser *p)
{
	struct ptx_var v = {.vec = 1};
	parse_next(p);
	if (!read_qualifiers(p, &v))
		return false;
	do {
		struct token name = p->t;
		if (!parse_is_name(p))
			return parse_fail(p, &p->t, "expected the name of a register");
		parse_next(p);
		if (parse_take(p, '<')) {
			if (!add_range(p, &name, v.type, v.vec))
				return false;
			continue;
		}
		uint32_t scope = p->open[p->depth].number - p->first_scope;
		body_declare(p, &name, SYM_REG,
			body_new_reg(p, name.text, v.type, v.vec, scope));
	} while (!p->failed && parse_take(p, ','));
	return parse_expect(p, ';');
}

/* ---- functions ---- */

static bool
read_param(struct parser *p, bool ret, uint32_t position)
{
	struct ptx_var v = {.vec = 1, .func = p->f.index, .param = position, .ret = ret};
	if (p->t.kind != TOK_DOT)
		return parse_fail(p, &p->t, "expected a parameter");
	bool reg = str_is(p->t.text, ".reg");
	v.space = ptx_space_of(str_sub(p->t.text, 1, p->t.text.n));
	parse_next(p);
	if (!read_qualifiers(p, &v))
		return false;
	struct token name = p->t;
	if (!read_name(p, "parameter", &v))
		return false;
	v.dynamic = v.array && !v.bytes;
	uint32_t id = add_var(p, v);
	if (str_is(name.text, "_"))
		return true;
	if (reg)
		body_declare(
			p, &name, SYM_REG, body_new_reg(p, name.text, v.type, v.vec, 0));
	else
		body_declare(p, &name, SYM_VAR, id);
	return !p->failed;
}

static bool
read_params(struct parser *p, bool ret, uint32_t *first, uint32_t *n)
{
	*first = p->m->n_vars;
	*n = 0;
	if (!parse_expect(p, '('))
		return false;
	if (parse_take(p, ')'))
		return true;
	do {
		if (parse_is(p, ')'))
			break;
		if (!read_param(p, ret, (*n)++))
			return false;
	} while (parse_take(p, ','));
	return parse_expect(p, ')');
}

static bool
read_dim(struct parser *p, struct ptx_dim *dim)
{
	*dim = (struct ptx_dim){{1, 1, 1}};
	for (unsigned i = 0; i < 3; i++) {
		if (i && !parse_take(p, ','))
			break;
		if (!parse_u32(p, &dim->v[i]))
			return false;
	}
	return true;
}

/* Numbers, strings and groups after a directive that we have no use for. */
static bool
skip_arguments(struct parser *p)
{
	while (p->t.kind == TOK_INT || p->t.kind == TOK_STR || parse_is(p, ',') ||
		parse_is(p, '(')) {
		if (parse_is(p, '(')) {
			if (!parse_skip_group(p))
				return false;
		} else
			parse_next(p);
	}
	return true;
}

static bool
read_function_directive(struct parser *p)
{
	struct ptx_func *f = &p->f;
	struct str w = p->t.text;
	parse_next(p);
	if (str_is(w, ".maxntid"))
		return read_dim(p, &f->maxntid);
	if (str_is(w, ".reqntid"))
		return read_dim(p, &f->reqntid);
	if (str_is(w, ".reqnctapercluster"))
		return read_dim(p, &f->cluster);
	if (str_is(w, ".minnctapersm"))
		return parse_u32(p, &f->minnctapersm);
	if (str_is(w, ".maxnreg"))
		return parse_u32(p, &f->maxnreg);
	if (str_is(w, ".maxclusterrank"))
		return parse_u32(p, &f->maxclusterrank);
	if (str_is(w, ".explicitcluster"))
		f->explicit_cluster = true;
	else if (str_is(w, ".noreturn"))
		f->noreturn = true;
	else if (str_is(w, ".pragma")) {
		if (!skip_arguments(p))
			return false;
		parse_take(p, ';');
		return true;
	}
	return skip_arguments(p);
}

bool
decl_func_index(struct parser *p, const struct token *name, uint32_t *index)
{
	struct sym *s = symtab_find(&p->globals, name->text, name->hash, 0);
	if (s && s->kind != SYM_FUNC)
		return parse_fail(p, name, "'%.*s' is a variable", STR_ARG(name->text));
	if (s) {
		*index = s->id;
		return true;
	}
	*index = p->m->n_funcs;
	arena_grow(p->a, p->m->funcs, p->m->n_funcs, p->cap_funcs);
	p->m->funcs[p->m->n_funcs++] = (struct ptx_func){.name = name->text,
		.at = name->at,
		.line = name->line,
		.index = *index,
		.body = *index,
		.noreturn = str_is(name->text, "__assertfail")};
	symtab_add(&p->globals, name->text, name->hash, 0, SYM_FUNC, *index);
	return true;
}

/* A fresh function scope; parameters are its first names. */
static void
begin_function(struct parser *p)
{
	p->f = (struct ptx_func){.vars = p->m->n_vars};
	p->first_scope = ++p->n_scopes;
	p->depth = 0;
	p->open[0] = (struct open_scope){p->first_scope, true};
	symtab_begin(&p->names, p->first_scope);
	p->n_parent = p->n_ranges = p->n_uses = p->n_early = 0;
	p->cap_ins = p->cap_regs = p->cap_labels = p->cap_tables = 0;
	p->loc = 0;
	body_new_reg(p, STR_LIT("%cc"), PTX_T_pred, 1, 0);
}

/* Parameters are read before the name's function is known for return parameters, so
 * they are given their owner afterwards. */
static void
own_params(struct parser *p, uint32_t first, uint32_t n, uint32_t func)
{
	for (uint32_t i = 0; i < n; i++)
		p->m->vars[first + i].func = func;
}

static bool
read_header(struct parser *p, enum ptx_linkage link)
{
	bool entry = parse_is_dot(p, ".entry");
	uint32_t index = 0;
	parse_next(p);
	begin_function(p);
	while (p->t.kind == TOK_DOT) /* .attribute(...) */
		if (!read_function_directive(p))
			return false;
	if (!entry && parse_is(p, '(') && !read_params(p, true, &p->f.rets, &p->f.n_rets))
		return false;
	while (p->t.kind == TOK_DOT)
		if (!read_function_directive(p))
			return false;
	if (!parse_is_name(p))
		return parse_fail(p, &p->t, "expected the name of a function");
	struct token name = p->t;
	if (!decl_func_index(p, &name, &index))
		return false;
	p->f.name = name.text, p->f.at = name.at, p->f.line = name.line;
	p->f.index = p->f.body = index, p->f.entry = entry, p->f.link = link;
	p->f.noreturn |= p->m->funcs[index].noreturn;
	own_params(p, p->f.rets, p->f.n_rets, index);
	parse_next(p);
	if (parse_is(p, '(') && !read_params(p, false, &p->f.params, &p->f.n_params))
		return false;
	while (p->t.kind == TOK_DOT)
		if (!read_function_directive(p))
			return false;
	return true;
}

bool
decl_func(struct parser *p, enum ptx_linkage link)
{
	if (!read_header(p, link))
		return false;
	struct ptx_func *old = &p->m->funcs[p->f.index];
	p->f.n_vars = p->m->n_vars - p->f.vars;
	bool body = parse_is(p, '{');
	if (!body) {
		if (!parse_expect(p, ';'))
			return false;
		if (!old->defined) {
			p->f.regs = NULL;
			p->f.n_regs = 0;
			*old = p->f;
		}
	} else {
		if (old->defined)
			return parse_fail(
				p, &p->t, "'%.*s' is defined twice", STR_ARG(p->f.name));
		parse_next(p);
		p->f.defined = true;
		if (!body_read(p))
			return false;
		p->f.n_vars = p->m->n_vars - p->f.vars;
		p->m->funcs[p->f.index] = p->f;
	}
	p->f.index = PTX_NONE;
	return true;
}

/* How many comma-separated things a balanced (...) holds; it is skipped. */
static bool
count_group(struct parser *p, uint32_t *n)
{
	*n = 0;
	parse_next(p);
	bool any = false;
	while (!parse_is(p, ')')) {
		if (p->t.kind == TOK_END)
			return parse_expect(p, ')');
		if (parse_is(p, '[')) {
			if (!parse_skip_group(p))
				return false;
			continue;
		}
		*n += parse_is(p, ',');
		any = true;
		parse_next(p);
	}
	*n += any;
	parse_next(p);
	return true;
}

bool
decl_proto(struct parser *p, const struct token *name)
{
	struct ptx_proto proto = {.name = name->text};
	uint32_t n[2] = {0}, groups = 0;
	bool named = false;
	parse_next(p);
	uint32_t from = p->t.at;
	while (!parse_is(p, ';')) {
		if (p->t.kind == TOK_END)
			return parse_expect(p, ';');
		if (parse_is(p, '(')) {
			uint32_t count;
			if (!count_group(p, &count))
				return false;
			n[named] = count;
			groups++;
			continue;
		}
		named |= p->t.kind == TOK_WORD;
		proto.noreturn |= parse_is_dot(p, ".noreturn");
		parse_next(p);
	}
	proto.n_rets = n[0], proto.n_params = n[1];
	proto.text = str_trim(str_sub(p->src->text, from, p->t.at));
	arena_grow(p->a, p->m->protos, p->m->n_protos, p->cap_protos);
	p->m->protos[p->m->n_protos] = proto;
	body_declare(p, name, SYM_PROTO, p->m->n_protos++);
	return !p->failed && parse_expect(p, ';');
}
