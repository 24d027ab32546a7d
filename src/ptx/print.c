#include "base/arena.h"
#include "base/buf.h"
#include "base/diag.h"
#include "base/map.h"
#include "ptx/lex.h"
#include "ptx/ptx.h"

#include <inttypes.h>

/*
 * Names that repeat in different scopes are made unique, because everything is declared
 * at the head of its function.
 */
struct printer {
	struct arena *a;
	struct buf b;
	const struct ptx_module *m;
	const struct ptx_func *f;
	struct str *var_name; /* of every module var */
	struct str *reg_name; /* of the function's registers */
	struct str *label_name;
	struct str *table_name;
	uint32_t *proto; /* number of each prototype in the printed text, + 1 */
	uint32_t n_proto;
	struct map used; /* names taken in the function */
};

static struct str
unique_name(struct printer *p, struct str name, uint32_t scope)
{
	bool added;
	struct str s = name;
	if (scope)
		s = str_fmt(p->a, "%.*s$s%" PRIu32, STR_ARG(name), scope);
	for (unsigned k = 2;; k++) {
		map_put(&p->used, s, &added);
		if (added)
			return s;
		s = str_fmt(p->a, "%.*s$s%" PRIu32 "_%u", STR_ARG(name), scope, k);
	}
}

static void
print_type(struct printer *p, enum ptx_type t, unsigned vec)
{
	if (vec > 1)
		buf_addf(&p->b, ".v%u ", vec);
	if (t != PTX_T_NONE)
		buf_addf(&p->b, ".%s ", ptx_type_name(t));
}

/* ---- operands ---- */

static void print_operand(struct printer *p, const struct ptx_operand *o);

static void
print_parts(struct printer *p, const struct ptx_operand *from,
	const struct ptx_operand *end, const char *between)
{
	for (const struct ptx_operand *o = from; o < end; o = PTX_NEXT(o)) {
		if (o != from)
			buf_adds(&p->b, between);
		print_operand(p, o);
	}
}

static void
print_component(struct printer *p, const struct ptx_operand *o)
{
	if (o->part == 'h' || o->part == 'H')
		buf_adds(&p->b, o->part == 'h' ? ".h0" : ".h1");
	else if (o->part >= '0' && o->part <= '3')
		buf_addf(&p->b, ".b%c", o->part);
	else if (o->part)
		buf_addf(&p->b, ".%c", o->part);
}

static void
print_offset(struct printer *p, int64_t i)
{
	if (i)
		buf_addf(&p->b, "+%" PRId64, i);
}

static void
print_address(struct printer *p, const struct ptx_operand *o)
{
	const struct ptx_operand *base = o + 1;
	buf_addc(&p->b, '[');
	print_operand(p, base);
	print_offset(p, o->i);
	if (PTX_NEXT(base) < PTX_NEXT(o))
		buf_adds(&p->b, ", ");
	print_parts(p, PTX_NEXT(base), PTX_NEXT(o), ", ");
	buf_addc(&p->b, ']');
}

static void
print_sreg(struct printer *p, const struct ptx_operand *o)
{
	if (o->id == PTX_SREG_UNKNOWN)
		buf_addstr(&p->b, p->m->names[o->i]);
	else
		buf_addf(&p->b, "%%%s", ptx_sreg_name((enum ptx_sreg)o->id));
}

static void
print_group(struct printer *p, const struct ptx_operand *o, const char *marks,
	const char *between)
{
	if (marks[0])
		buf_addc(&p->b, marks[0]);
	print_parts(p, o + 1, PTX_NEXT(o), between);
	if (marks[0])
		buf_addc(&p->b, marks[1]);
}

static void
print_operand(struct printer *p, const struct ptx_operand *o)
{
	if (o->neg)
		buf_addc(&p->b,
			o->kind == PTX_O_REG && p->f->regs[o->id].type == PTX_T_pred
				? '!'
				: '-');
	switch ((enum ptx_operand_kind)o->kind) {
	case PTX_O_NONE: break;
	case PTX_O_SINK: buf_addc(&p->b, '_'); break;
	case PTX_O_REG: buf_addstr(&p->b, p->reg_name[o->id]); break;
	case PTX_O_INT: buf_addf(&p->b, "%" PRId64, o->i); break;
	case PTX_O_F32: buf_addf(&p->b, "0f%08" PRIX32, (uint32_t)o->i); break;
	case PTX_O_F64: buf_addf(&p->b, "0d%016" PRIX64, (uint64_t)o->i); break;
	case PTX_O_SREG: print_sreg(p, o); break;
	case PTX_O_VAR:
		buf_addstr(&p->b, p->var_name[o->id]);
		print_offset(p, o->i);
		break;
	case PTX_O_FUNC: buf_addstr(&p->b, p->m->funcs[o->id].name); break;
	case PTX_O_LABEL: buf_addstr(&p->b, p->label_name[o->id]); break;
	case PTX_O_TABLE: buf_addstr(&p->b, p->table_name[o->id]); break;
	case PTX_O_PROTO: buf_addf(&p->b, "proto$%" PRIu32, p->proto[o->id]); break;
	case PTX_O_NAME:
		buf_addstr(&p->b, p->m->names[o->id]);
		print_offset(p, o->i);
		break;
	case PTX_O_ADDR: print_address(p, o); break;
	case PTX_O_VEC: print_group(p, o, "{}", ", "); break;
	case PTX_O_PAIR: print_group(p, o, "", "|"); break;
	case PTX_O_LIST: print_group(p, o, "()", ", "); break;
	}
	print_component(p, o);
}

static void
print_call(struct printer *p, const struct ptx_ins *ins)
{
	struct ptx_call c = ptx_call_of(ins);
	if (c.rets->n) {
		print_operand(p, c.rets);
		buf_adds(&p->b, ", ");
	}
	print_operand(p, c.target);
	if (c.args->n || c.proto->kind != PTX_O_NONE) {
		buf_adds(&p->b, ", ");
		print_operand(p, c.args);
	}
	if (c.proto->kind != PTX_O_NONE) {
		buf_adds(&p->b, ", ");
		print_operand(p, c.proto);
	}
}

static void
print_ins(struct printer *p, const struct ptx_ins *ins)
{
	buf_addc(&p->b, '\t');
	if (ins->guard != PTX_NONE)
		buf_addf(&p->b, "@%s%.*s ", ins->guard_neg ? "!" : "",
			STR_ARG(p->reg_name[ins->guard]));
	buf_addstr(&p->b, ins->form->text);
	if (ins->n_ops)
		buf_addc(&p->b, ' ');
	if (ins->form->nature == PTX_N_CALL)
		print_call(p, ins);
	else
		print_parts(p, ins->ops, ins->ops + ins->n_entries, ", ");
	buf_adds(&p->b, ";\n");
}

/* ---- declarations ---- */

static void
print_linkage(struct printer *p, enum ptx_linkage l)
{
	static const char *const words[] = {
		"", ".visible ", ".extern ", ".weak ", ".common "};
	buf_adds(&p->b, words[l]);
}

/* `.param .align 8 .b8 name[16]`; arrays are printed flat, in elements. */
static void
print_var(struct printer *p, const struct ptx_var *v, struct str name)
{
	uint64_t one = ((uint64_t)ptx_type_bits(v->type) + 7) / 8 * v->vec;
	buf_addf(&p->b, ".%s ",
		v->space == PTX_SPACE_NONE ? "param" : ptx_space_name(v->space));
	if (v->align)
		buf_addf(&p->b, ".align %" PRIu32 " ", v->align);
	print_type(p, v->type, v->vec);
	if (v->ptr) {
		buf_adds(&p->b, ".ptr ");
		if (v->ptr_space != PTX_SPACE_NONE)
			buf_addf(&p->b, ".%s ", ptx_space_name(v->ptr_space));
		if (v->ptr_align)
			buf_addf(&p->b, ".align %" PRIu32 " ", v->ptr_align);
	}
	buf_addstr(&p->b, name);
	if (v->array && !v->bytes)
		buf_adds(&p->b, "[]");
	else if (v->array)
		buf_addf(&p->b, "[%" PRIu64 "]", v->bytes / (one ? one : 1));
	if (v->init.n) { /* whole source text: may hold anything */
		buf_adds(&p->b, " = ");
		buf_addstr(&p->b, v->init);
	}
}

static void
print_params(struct printer *p, uint32_t first, uint32_t n)
{
	buf_addc(&p->b, '(');
	for (uint32_t i = 0; i < n; i++) {
		buf_adds(&p->b, i ? ",\n\t" : "\n\t");
		print_var(p, &p->m->vars[first + i], p->var_name[first + i]);
	}
	buf_addc(&p->b, ')');
}

static void
print_dim(struct printer *p, const char *word, struct ptx_dim d)
{
	if (d.v[0] || d.v[1] || d.v[2])
		buf_addf(&p->b, "%s %" PRIu32 ", %" PRIu32 ", %" PRIu32 "\n", word,
			d.v[0], d.v[1], d.v[2]);
}

static void
print_count(struct printer *p, const char *word, uint32_t n)
{
	if (n)
		buf_addf(&p->b, "%s %" PRIu32 "\n", word, n);
}

static void
print_header(struct printer *p)
{
	const struct ptx_func *f = p->f;
	print_linkage(p, f->link);
	buf_adds(&p->b, f->entry ? ".entry " : ".func ");
	if (f->n_rets) {
		print_params(p, f->rets, f->n_rets);
		buf_addc(&p->b, ' ');
	}
	buf_addstr(&p->b, f->name);
	print_params(p, f->params, f->n_params);
	buf_addc(&p->b, '\n');
	print_dim(p, ".maxntid", f->maxntid);
	print_dim(p, ".reqntid", f->reqntid);
	if (f->explicit_cluster)
		buf_adds(&p->b, ".explicitcluster\n");
	print_dim(p, ".reqnctapercluster", f->cluster);
	print_count(p, ".minnctapersm", f->minnctapersm);
	print_count(p, ".maxnreg", f->maxnreg);
	print_count(p, ".maxclusterrank", f->maxclusterrank);
	if (f->noreturn && !str_is(f->name, "__assertfail"))
		buf_adds(&p->b, ".noreturn\n");
}

static void
print_tables(struct printer *p)
{
	for (uint32_t i = 0; i < p->f->n_tables; i++) {
		const struct ptx_table *t = &p->f->tables[i];
		buf_addf(&p->b, "%.*s: %s ", STR_ARG(p->table_name[i]),
			t->calls ? ".calltargets" : ".branchtargets");
		for (uint32_t k = 0; k < t->n; k++) {
			struct str to = t->calls ? p->m->funcs[t->to[k]].name
						 : p->label_name[t->to[k]];
			buf_addf(&p->b, "%s%.*s", k ? ", " : "", STR_ARG(to));
		}
		buf_adds(&p->b, ";\n");
	}
}

/* A function declares the prototypes that it uses. */
static void
print_protos(struct printer *p)
{
	for (uint32_t i = 0; i < p->f->n_ins; i++) {
		const struct ptx_ins *ins = &p->f->ins[i];
		if (ins->form->nature != PTX_N_CALL)
			continue;
		const struct ptx_operand *o = ptx_call_of(ins).proto;
		if (o->kind != PTX_O_PROTO || p->proto[o->id])
			continue;
		p->proto[o->id] = ++p->n_proto;
		buf_addf(&p->b, "proto$%" PRIu32 ": .callprototype ", p->n_proto);
		buf_addstr(&p->b, p->m->protos[o->id].text);
		buf_adds(&p->b, ";\n");
	}
}

static void
name_everything(struct printer *p)
{
	const struct ptx_func *f = p->f;
	p->used = (struct map){.a = p->a};
	p->reg_name = arena_news(p->a, f->n_regs, struct str);
	p->label_name = arena_news(p->a, (size_t)f->n_labels + 1, struct str);
	p->table_name = arena_news(p->a, (size_t)f->n_tables + 1, struct str);
	for (uint32_t i = 1; i < f->n_regs; i++)
		p->reg_name[i] = unique_name(p, f->regs[i].name, f->regs[i].scope);
	for (uint32_t i = f->vars; i < f->vars + f->n_vars; i++) {
		const struct ptx_var *v = &p->m->vars[i];
		bool reg = v->space == PTX_SPACE_REG; /* named above */
		p->var_name[i] = reg ? v->name : unique_name(p, v->name, v->scope);
	}
	for (uint32_t i = 0; i < f->n_labels; i++)
		p->label_name[i] = unique_name(p, f->labels[i].name, f->labels[i].scope);
	for (uint32_t i = 0; i < f->n_tables; i++)
		p->table_name[i] = unique_name(p, f->tables[i].name, 0);
}

/* Parameters that are registers are declared by the header; they are the first ones. */
static uint32_t
count_param_regs(const struct printer *p)
{
	uint32_t n = 0;
	for (uint32_t i = p->f->vars; i < p->f->vars + p->f->n_vars; i++) {
		const struct ptx_var *v = &p->m->vars[i];
		n += v->param != PTX_NONE && v->space == PTX_SPACE_REG &&
		     !str_is(v->name, "_");
	}
	return n;
}

static void
print_declarations(struct printer *p)
{
	const struct ptx_func *f = p->f;
	for (uint32_t i = 1 + count_param_regs(p); i < f->n_regs; i++) {
		buf_adds(&p->b, "\t.reg ");
		print_type(p, f->regs[i].type, f->regs[i].vec);
		buf_addf(&p->b, "%.*s;\n", STR_ARG(p->reg_name[i]));
	}
	for (uint32_t i = f->vars; i < f->vars + f->n_vars; i++) {
		const struct ptx_var *v = &p->m->vars[i];
		if (v->param != PTX_NONE)
			continue;
		buf_addc(&p->b, '\t');
		print_linkage(p, v->link);
		print_var(p, v, p->var_name[i]);
		buf_adds(&p->b, ";\n");
	}
}

static void
print_declaration(struct printer *p, const struct ptx_func *f)
{
	p->f = f;
	name_everything(p);
	print_header(p);
	buf_adds(&p->b, ";\n");
}

static void
print_func(struct printer *p, const struct ptx_func *f)
{
	p->f = f;
	name_everything(p);
	print_header(p);
	buf_adds(&p->b, "{\n");
	print_declarations(p);
	print_tables(p);
	print_protos(p);
	uint32_t label = 0;
	for (uint32_t i = 0; i <= f->n_ins; i++) {
		for (; label < f->n_labels && f->labels[label].ins == i; label++)
			buf_addf(&p->b, "%.*s:\n", STR_ARG(p->label_name[label]));
		if (i < f->n_ins)
			print_ins(p, &f->ins[i]);
	}
	buf_adds(&p->b, "}\n");
}

static void
print_head(struct printer *p)
{
	const struct ptx_module *m = p->m;
	buf_addf(&p->b, ".version %u.%u\n", m->version / 10, m->version % 10);
	if (m->target.n)
		buf_addf(&p->b, ".target %.*s%s%.*s\n", STR_ARG(m->target),
			m->target_options.n ? ", " : "", STR_ARG(m->target_options));
	buf_addf(&p->b, ".address_size %u\n", m->address_bits);
}

static void
print_vars(struct printer *p)
{
	const struct ptx_module *m = p->m;
	for (uint32_t i = 0; i < m->n_vars; i++) {
		const struct ptx_var *v = &m->vars[i];
		p->var_name[i] = v->name;
		if (v->func != PTX_NONE)
			continue;
		print_linkage(p, v->link);
		print_var(p, v, v->name);
		buf_adds(&p->b, ";\n");
	}
}

struct str
ptx_print(struct arena *a, const struct ptx_module *m)
{
	struct printer p = {.a = a, .b = {.a = a}, .m = m};
	p.var_name = arena_news(a, (size_t)m->n_vars + 1, struct str);
	p.proto = arena_news(a, (size_t)m->n_protos + 1, uint32_t);
	print_head(&p);
	for (uint32_t i = 0; i < m->n_funcs; i++) /* any of them may be called anywhere */
		if (!m->funcs[i].entry || !m->funcs[i].defined)
			print_declaration(&p, &m->funcs[i]);
	print_vars(&p);
	for (unsigned entries = 0; entries < 2; entries++)
		for (uint32_t i = 0; i < m->n_funcs; i++)
			if (m->funcs[i].defined && m->funcs[i].entry == entries)
				print_func(&p, &m->funcs[i]);
	for (uint32_t i = 0; i < m->n_aliases; i++)
		buf_addf(&p.b, ".alias %.*s, %.*s;\n", STR_ARG(m->aliases[(size_t)2 * i]),
			STR_ARG(m->aliases[(size_t)2 * i + 1]));
	return buf_str(&p.b);
}

struct str
ptx_ins_text(const struct ptx_module *m, const struct ptx_ins *ins)
{
	struct str text = m->src->text;
	struct lex l = {.text = text, .pos = ins->at, .line = ins->line};
	struct token t;
	do
		lex_next(&l, &t);
	while (t.kind != TOK_END && t.kind != TOK_BAD &&
		!(t.kind == TOK_MARK && t.mark == ';'));
	return str_trim(str_sub(text, ins->at, t.at));
}
