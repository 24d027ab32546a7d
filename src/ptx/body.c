#include "ptx/form.h"
#include "ptx/parse.h"

void
body_declare(struct parser *p, const struct token *name, enum sym_kind kind, uint32_t id)
{
	struct open_scope *s = &p->open[p->depth];
	if (symtab_find(&p->names, name->text, name->hash, s->number)) {
		parse_fail(p, name, "'%.*s' is declared twice in this scope",
			STR_ARG(name->text));
		return;
	}
	symtab_add(&p->names, name->text, name->hash, s->number, kind, id);
	s->has_names = true;
}

uint32_t
body_new_reg(struct parser *p, struct str name, enum ptx_type type, uint8_t vec,
	uint32_t scope)
{
	arena_grow(p->a, p->f.regs, p->f.n_regs, p->cap_regs);
	p->f.regs[p->f.n_regs] = (struct ptx_regdecl){name, type, vec, scope};
	return p->f.n_regs++;
}

/* %r12 as a member of a range %r<N> of this scope, which makes the register. */
static struct sym *
find_in_range(struct parser *p, struct str name, uint32_t hash, uint32_t scope)
{
	size_t k = name.n;
	while (k && name.s[k - 1] >= '0' && name.s[k - 1] <= '9')
		k--;
	if (k == name.n || name.n - k > 10)
		return NULL;
	/* "%r007" is not a member; "%r10" may be %r<N> or %r1<N>, so every cut is tried
	 */
	for (; k < name.n; k++) {
		if (name.s[k] == '0' && k + 1 < name.n)
			continue;
		uint64_t v;
		struct str stem = str_sub(name, 0, k);
		struct sym *s = symtab_find(&p->names, stem, lex_hash(stem), scope);
		if (!s || s->kind != SYM_RANGE)
			continue;
		struct range r = p->ranges[s->id];
		if (!str_to_u64(str_sub(name, k, name.n), &v) || v >= r.count)
			continue;
		uint32_t reg = body_new_reg(p, name, r.type, r.vec, r.scope);
		return symtab_add(&p->names, name, hash, scope, SYM_REG, reg);
	}
	return NULL;
}

struct sym *
body_find(struct parser *p, struct str name, uint32_t hash)
{
	for (unsigned d = p->depth + 1; d-- > 0;) {
		if (!p->open[d].has_names)
			continue;
		uint32_t scope = p->open[d].number;
		struct sym *s = symtab_find(&p->names, name, hash, scope);
		if (!s)
			s = find_in_range(p, name, hash, scope);
		if (s)
			return s;
	}
	return symtab_find(&p->globals, name, hash, 0);
}

/* ---- scopes and labels ---- */

static bool
open_scope(struct parser *p)
{
	if (p->depth == PTX_DEPTH_MAX)
		return parse_fail(p, &p->t, "more than %d nested scopes", PTX_DEPTH_MAX);
	uint32_t number = ++p->n_scopes;
	arena_grow(p->a, p->parent, p->n_parent, p->cap_parent);
	p->parent[p->n_parent++] = p->open[p->depth].number;
	p->open[++p->depth] = (struct open_scope){number, false};
	parse_next(p);
	return true;
}

static bool
add_label(struct parser *p, const struct token *name)
{
	arena_grow(p->a, p->f.labels, p->f.n_labels, p->cap_labels);
	p->f.labels[p->f.n_labels] = (struct ptx_label){name->text, p->f.n_ins,
		p->open[p->depth].number - p->first_scope, name->line};
	body_declare(p, name, SYM_LABEL, p->f.n_labels++);
	return !p->failed;
}

static bool
read_table(struct parser *p, const struct token *name)
{
	struct ptx_table t = {
		.name = name->text, .calls = parse_is_dot(p, ".calltargets")};
	size_t cap = 0, first = p->n_uses;
	do {
		parse_next(p);
		if (!parse_is_name(p))
			return parse_fail(p, &p->t, "expected a name");
		arena_grow(p->a, t.to, t.n, cap);
		if (t.calls && !decl_func_index(p, &p->t, &t.to[t.n]))
			return false;
		if (!t.calls)
			operand_use_label(p, 0, false);
		t.n++;
		parse_next(p);
	} while (parse_is(p, ','));
	for (uint32_t i = 0; !t.calls && i < t.n; i++) /* now the array stays in place */
		p->uses[first + i].id = &t.to[i];
	arena_grow(p->a, p->f.tables, p->f.n_tables, p->cap_tables);
	p->f.tables[p->f.n_tables] = t;
	body_declare(p, name, SYM_TABLE, p->f.n_tables++);
	return !p->failed && parse_expect(p, ';');
}

static bool
read_label(struct parser *p, const struct token *name)
{
	parse_next(p);
	if (parse_is_dot(p, ".branchtargets") || parse_is_dot(p, ".calltargets"))
		return read_table(p, name);
	if (parse_is_dot(p, ".callprototype"))
		return decl_proto(p, name);
	return add_label(p, name);
}

static uint32_t
parent_of(const struct parser *p, uint32_t scope)
{
	return p->parent[scope - p->first_scope - 1];
}

/* A label may be used before it is written, but only from its scope or an inner one. */
static bool
resolve_uses(struct parser *p)
{
	uint64_t ways = 0;
	for (size_t i = 0; i < p->n_uses; i++) {
		struct label_use *u = &p->uses[i];
		enum sym_kind want = u->table ? SYM_TABLE : SYM_LABEL;
		const struct sym *s = NULL;
		for (uint32_t scope = u->scope;; scope = parent_of(p, scope)) {
			s = symtab_find(&p->names, u->word.text, u->word.hash, scope);
			if (s || scope == p->first_scope)
				break;
		}
		if (!s || s->kind != want)
			return parse_fail(p, &u->word,
				"there is no %s '%.*s' in this function",
				u->table ? "table" : "label", STR_ARG(u->word.text));
		*u->id = s->id;
		if (u->table)
			ways += p->f.tables[s->id].n;
		if (ways > PTX_WAYS_MAX)
			return parse_fail(p, &u->word,
				"the switches of this function have more than %d targets",
				PTX_WAYS_MAX);
	}
	return true;
}

/* A special register that we do not know may have any name but that of a register. */
static bool
check_early_uses(struct parser *p)
{
	for (size_t i = 0; i < p->n_early; i++) {
		const struct early_use *u = &p->early[i];
		for (uint32_t scope = u->scope;; scope = parent_of(p, scope)) {
			if (symtab_find(&p->names, u->stem, u->hash, scope) ||
				find_in_range(p, u->stem, u->hash, scope))
				return parse_fail(p, &u->word,
					"'%.*s' is used before it is declared",
					STR_ARG(u->stem));
			if (scope == p->first_scope)
				break;
		}
	}
	return true;
}

/* ---- instructions ---- */

static const struct ptx_form *
find_form(struct parser *p, const struct token *op)
{
	struct sym *s = symtab_find(&p->forms, op->text, op->hash, 0);
	if (s)
		return p->m->forms[s->id];
	struct ptx_form *f = arena_new(p->a, struct ptx_form);
	*f = form_decode(op->text);
	if (p->m->n_forms >= p->cap_forms)
		p->m->forms = arena_regrow(p->a, p->m->forms, p->m->n_forms,
			&p->cap_forms, sizeof(struct ptx_form *));
	p->m->forms[p->m->n_forms] = f;
	symtab_add(&p->forms, op->text, op->hash, 0, SYM_FORM, p->m->n_forms++);
	return f;
}

static bool
read_guard(struct parser *p, struct ptx_ins *ins)
{
	if (!parse_take(p, '@'))
		return true;
	ins->guard_neg = parse_take(p, '!');
	struct sym *s = NULL;
	if (p->t.kind == TOK_WORD)
		s = body_find(p, p->t.text, p->t.hash);
	if (!s || s->kind != SYM_REG)
		return parse_fail(p, &p->t, "expected a predicate register after '@'");
	ins->guard = s->id;
	parse_next(p);
	return true;
}

/* Guards of these decide who takes part, so they become branches. */
static bool
splits(enum ptx_nature n)
{
	return n == PTX_N_BARRIER || n == PTX_N_CLUSTER || n == PTX_N_COLLECTIVE ||
	       n == PTX_N_WARPGROUP || n == PTX_N_ACTIVEMASK || n == PTX_N_SWITCH ||
	       n == PTX_N_CALL || n == PTX_N_RET || n == PTX_N_EXIT || n == PTX_N_TRAP;
}

static bool
read_operands(struct parser *p, struct ptx_ins *ins)
{
	unsigned n = 0;
	bool bra = ins->form->nature == PTX_N_BRANCH;
	bool brx = ins->form->nature == PTX_N_SWITCH;
	while (!parse_is(p, ';')) {
		if (n && !parse_expect(p, ','))
			return false;
		if (n == PTX_OPERANDS_MAX)
			return parse_fail(
				p, &p->t, "more than %d operands", PTX_OPERANDS_MAX);
		bool label = bra || (brx && n == 1);
		if (!(label ? operand_read_label(p, brx) : operand_read(p, 0)))
			return false;
		n++;
	}
	ins->n_ops = (uint8_t)n;
	parse_next(p);
	if (bra && n != 1)
		return parse_fail(p, &p->t, "bra takes one label");
	if (brx && n != 2)
		return parse_fail(p, &p->t, "brx.idx takes a register and a table");
	return true;
}

static void
keep_operands(struct parser *p, struct ptx_ins *ins)
{
	enum { FIRST = 128, LARGEST = 4096 };
	unsigned n = p->n_part;
	if (!p->slab || p->slab_left < n) {
		p->slab_size = p->slab_size ? p->slab_size * 2 : FIRST;
		if (p->slab_size > LARGEST)
			p->slab_size = LARGEST;
		p->slab_left = n > p->slab_size ? n : p->slab_size;
		p->slab = arena_news(p->a, p->slab_left, struct ptx_operand);
	}
	if (n)
		memcpy(p->slab, p->part, n * sizeof p->part[0]);
	for (size_t i = p->n_use_from; i < p->n_uses; i++)
		p->uses[i].id = &p->slab[p->uses[i].part].id;
	ins->ops = p->slab;
	ins->n_entries = (uint16_t)n;
	p->slab += n;
	p->slab_left -= n;
}

/* What is written to a name that is no register would be lost. */
static bool
check_result(struct parser *p, const struct ptx_ins *ins, const struct token *op)
{
	if (!ins->n_dst || ins->form->op == PTX_UNKNOWN ||
		ins->form->nature == PTX_N_CALL)
		return true;
	const struct ptx_operand *end = PTX_NEXT(&ins->ops[0]);
	for (const struct ptx_operand *o = ins->ops; o < end; o++)
		if (o->kind == PTX_O_SREG || o->kind == PTX_O_NAME)
			return parse_fail(p, op, "'%.*s' writes to no declared register",
				STR_ARG(op->text));
	return true;
}

static bool
writes_first(const struct ptx_ins *ins)
{
	if (!ins->n_ops || !ins->form->results)
		return false;
	return ins->ops[0].kind != PTX_O_ADDR;
}

static bool
read_instruction(struct parser *p, struct ptx_ins *ins, const struct token *op)
{
	ins->form = find_form(p, op);
	p->n_part = 0;
	p->n_use_from = p->n_uses;
	if (ins->form->nature == PTX_N_CALL) {
		ins->n_ops = 4;
		if (!operand_read_call(p))
			return false;
	} else if (!read_operands(p, ins))
		return false;
	keep_operands(p, ins);
	ins->n_dst = writes_first(ins);
	if (!check_result(p, ins, op))
		return false;
	ins->split = ins->guard != PTX_NONE && splits(ins->form->nature);
	arena_grow(p->a, p->f.ins, p->f.n_ins, p->cap_ins);
	p->f.ins[p->f.n_ins++] = *ins;
	return true;
}

static bool
read_word_statement(struct parser *p)
{
	struct ptx_ins ins = {
		.at = p->t.at, .line = p->t.line, .loc = p->loc, .guard = PTX_NONE};
	if (!read_guard(p, &ins))
		return false;
	if (p->t.kind != TOK_WORD)
		return parse_fail(p, &p->t, "expected an instruction");
	struct token word = p->t;
	bool name = parse_is_name(p);
	parse_next(p);
	if (parse_is(p, ':') && name && ins.guard == PTX_NONE)
		return read_label(p, &word);
	return read_instruction(p, &ins, &word);
}

static bool
read_directive(struct parser *p)
{
	if (parse_is_dot(p, ".loc") || parse_is_dot(p, ".file"))
		return parse_place(p);
	if (parse_is_dot(p, ".reg"))
		return decl_regs(p);
	if (parse_is_dot(p, ".param") || parse_is_dot(p, ".local") ||
		parse_is_dot(p, ".shared") || parse_is_dot(p, ".global") ||
		parse_is_dot(p, ".const"))
		return decl_vars(p, PTX_LINK_NONE);
	if (parse_is_dot(p, ".extern")) {
		parse_next(p);
		return decl_vars(p, PTX_LINK_EXTERN);
	}
	return parse_skip_directive(p);
}

bool
body_read(struct parser *p)
{
	for (;;) {
		bool ok = true;
		if (p->t.kind == TOK_WORD || parse_is(p, '@'))
			ok = read_word_statement(p);
		else if (p->t.kind == TOK_DOT)
			ok = read_directive(p);
		else if (parse_is(p, '{'))
			ok = open_scope(p);
		else if (parse_is(p, '}')) {
			p->f.ends_at = p->t.at;
			parse_next(p);
			if (p->depth == 0)
				return resolve_uses(p) && check_early_uses(p);
			p->depth--;
		} else if (!parse_take(p, ';'))
			return p->t.kind == TOK_END
				       ? parse_fail(p, &p->t,
						 "the text ends inside '%.*s'",
						 STR_ARG(p->f.name))
				       : parse_fail(p, &p->t, "expected an instruction");
		if (!ok || p->failed)
			return false;
	}
}
