#include "word_kernel.h"

#include "base/buf.h"

/* ---- making one ---- */

static unsigned
below(struct word_kernel *k, unsigned n)
{
	return (unsigned)rng_below(&k->r, n);
}

static struct word_ins *
add(struct word_kernel *k, enum op op)
{
	static struct word_ins none;

	if (k->n == INS_MAX)
		return &none;
	k->v[k->n] = (struct word_ins){.op = op,
		.d = below(k, REGS),
		.a = below(k, REGS),
		.b = below(k, REGS),
		.depth = k->depth};
	return &k->v[k->n++];
}

static void
add_access(struct word_kernel *k, enum op op)
{
	static const unsigned widths[] = {4, 4, 4, 4, 1, 2};
	struct word_ins *i = add(k, op);
	unsigned room;

	i->space = (enum space)below(k, 3);
	if (op == COUNT && i->space == LOCAL)
		i->space = FIRST;
	i->width = op == COUNT ? 4 : widths[below(k, 6)];
	i->sign = i->width < 4 && below(k, 2);
	i->generic = below(k, 4) == 0;
	room = (i->space == LOCAL ? LOCAL_BYTES : SHARED_BYTES / 2) / i->width;
	i->mask = below(k, 3) ? 0 : below(k, 2) ? room - 1 : 3;
	if (!i->mask)
		i->imm = below(k, 3) ? below(k, 2) * i->width : below(k, room) * i->width;
	else if (i->mask == 3 && room > 4)
		i->imm = below(k, 2) * i->width;
}

static void
add_value(struct word_kernel *k)
{
	static const enum op ops[] = {SET, SET, TID, ADD, AND, XOR, LESS, LESS};
	struct word_ins *i = add(k, ops[below(k, 8)]);

	i->imm = below(k, 5);
}

static void
add_data(struct word_kernel *k)
{
	struct word_ins *i = add(k, DATA);

	i->imm = below(k, SITES);
	i->each = below(k, 2);
}

static void statements(struct word_kernel *k, unsigned n);

static void
add_if(struct word_kernel *k)
{
	unsigned at = k->n, end;
	struct word_ins *i = add(k, BRA);

	i->less = below(k, 2);
	i->imm = below(k, 40) ? below(k, 4) : 32;
	statements(k, 1 + below(k, 3));
	if (below(k, 3) == 0) {
		end = k->n;
		add(k, JUMP);
		k->v[at].target = k->n;
		statements(k, 1 + below(k, 2));
		k->v[end].target = k->n;
		return;
	}
	k->v[at].target = k->n;
}

static void
add_loop(struct word_kernel *k)
{
	unsigned counter = COUNTERS + k->depth, head, at;
	struct word_ins *i = add(k, SET);

	i->d = counter;
	k->depth++;
	head = k->n;
	i = add(k, BRA);
	at = k->n - 1;
	i->a = counter;
	i->less = true;
	i->imm = 1 + below(k, 3);
	statements(k, 1 + below(k, 3));
	if (below(k, 2)) {
		/* a way out that memory decides */
		add_access(k, LOAD);
		unsigned flag = k->v[k->n - 1].d;
		i = add(k, BRA);
		i->a = flag;
		i->less = true;
		i->imm = 1 + below(k, 2);
		unsigned out = k->n - 1;
		i = add(k, ADD);
		i->d = i->a = counter;
		i->b = REGS + 2;
		add(k, JUMP)->target = head;
		k->v[at].target = k->v[out].target = k->n;
	} else {
		i = add(k, ADD);
		i->d = i->a = counter;
		i->b = REGS + 2;
		add(k, JUMP)->target = head;
		k->v[at].target = k->n;
	}
	k->depth--;
}

static void
statement(struct word_kernel *k)
{
	unsigned x = below(k, 40);

	if (k->n > INS_MAX - 24)
		return;
	if (x < 8)
		add_value(k);
	else if (x < 10)
		add_data(k);
	else if (x < 18)
		add_access(k, STORE);
	else if (x < 25)
		add_access(k, LOAD);
	else if (x < 26)
		add_access(k, COUNT);
	else if (x < 32)
		add(k, BAR);
	else if (x < 33)
		add(k, WARP);
	else if (x < 38)
		add_if(k);
	else if (k->depth < 2)
		add_loop(k);
}

static void
statements(struct word_kernel *k, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		statement(k);
}

void
word_kernel_make(struct word_kernel *k, uint64_t seed, uint64_t serial)
{
	static const unsigned threads[] = {1, 32, 64, 96, 40, 64};

	*k = (struct word_kernel){.r = {seed * 1000003 + serial}};
	rng_next(&k->r);
	k->threads = threads[below(k, 6)];
	for (unsigned r = 0; r < REGS; r++) {
		static const enum op ops[] = {SET, TID, TID, DATA, SET, ARG};
		struct word_ins *i = add(k, ops[below(k, 6)]);

		i->d = r;
		i->imm = i->op == DATA ? below(k, SITES) : below(k, 4);
		i->each = below(k, 2);
	}
	statements(k, 8 + below(k, 8));
	if (below(k, 3)) {
		/* what was stored decides about a barrier */
		add(k, BAR);
		add_access(k, LOAD);
		unsigned r = k->v[k->n - 1].d, at = k->n;
		struct word_ins *i = add(k, BRA);

		i->a = r;
		i->less = true;
		i->imm = 1 + below(k, 3);
		add(k, BAR);
		k->v[at].target = k->n;
		add(k, BAR);
	}
	add(k, LEAVE);
}

/* ---- as PTX ---- */

static void
print_address(struct buf *b, const struct word_ins *i)
{
	static const char *const names[] = {"first", "second", "own"};
	const char *name = names[i->space];

	buf_addf(b, "\tmov.u32 %%t, 0;\n");
	if (i->mask)
		buf_addf(b, "\tand.b32 %%t, %%r%u, %u;\n\tmul.lo.u32 %%t, %%t, %u;\n",
			i->a, i->mask, i->width);
	if (i->space == LOCAL || i->generic) {
		buf_addf(b, "\tcvt.u64.u32 %%q, %%t;\n\tmov.u64 %%g, %s;\n", name);
		if (i->generic)
			buf_addf(b, "\tcvta.%s.u64 %%g, %%g;\n",
				i->space == LOCAL ? "local" : "shared");
		buf_addf(b, "\tadd.s64 %%g, %%g, %%q;\n");
	} else {
		buf_addf(b, "\tmov.u32 %%s, %s;\n\tadd.u32 %%s, %%s, %%t;\n", name);
	}
}

static void
print_access(struct buf *b, const struct word_ins *i)
{
	bool own = i->space == LOCAL;
	const char *at = own || i->generic ? "%g" : "%s";
	const char *vol = own ? "" : ".volatile";
	const char *space = i->generic ? "" : own ? ".local" : ".shared";

	print_address(b, i);
	if (i->op == LOAD)
		buf_addf(b, "\tld%s%s.%c%u %%r%u, [%s+%u];\n", vol, space,
			i->sign ? 's' : 'u', 8 * i->width, i->d, at, i->imm);
	else if (i->op == STORE)
		buf_addf(b, "\tst%s%s.u%u [%s+%u], %%r%u;\n", vol, space, 8 * i->width,
			at, i->imm, i->b);
	else
		buf_addf(b, "\tatom%s.add.u32 %%r%u, [%s+%u], %%r%u;\n", space, i->d, at,
			i->imm, i->b);
}

static void
print_data(struct buf *b, const struct word_ins *i)
{
	buf_addf(b, "\tld.param.u64 %%g, [p];\n");
	if (i->each)
		buf_addf(b, "\tmov.u32 %%t, %%tid.x;\n\tmul.wide.u32 %%q, %%t, 4;\n"
			    "\tadd.s64 %%g, %%g, %%q;\n");
	buf_addf(b, "\tld.global.u32 %%r%u, [%%g+%u];\n", i->d,
		(i->each ? 4096 * (1 + i->imm) : 4 * i->imm));
}

static void
print_ins(struct buf *b, const struct word_ins *i)
{
	switch (i->op) {
	case SET: buf_addf(b, "\tmov.u32 %%r%u, %u;\n", i->d, i->imm); return;
	case TID: buf_addf(b, "\tmov.u32 %%r%u, %%tid.x;\n", i->d); return;
	case ARG: buf_addf(b, "\tld.param.u32 %%r%u, [n];\n", i->d); return;
	case DATA: print_data(b, i); return;
	case ADD:
	case AND:
	case XOR: {
		static const char *const names[] = {
			[ADD] = "add.u32", [AND] = "and.b32", [XOR] = "xor.b32"};

		buf_addf(
			b, "\t%s %%r%u, %%r%u, %%r%u;\n", names[i->op], i->d, i->a, i->b);
		return;
	}
	case LESS:
		buf_addf(b,
			"\tsetp.lt.u32 %%p, %%r%u, %%r%u;\n\tselp.u32 %%r%u, 1, 0, "
			"%%p;\n",
			i->a, i->b, i->d);
		return;
	case LOAD:
	case STORE:
	case COUNT: print_access(b, i); return;
	case BAR: buf_adds(b, "\tbar.sync 0;\n"); return;
	case WARP: buf_adds(b, "\tbar.warp.sync -1;\n"); return;
	case BRA:
		buf_addf(b, "\tsetp.%s.u32 %%p, %%r%u, %u;\n\t@!%%p bra L%u;\n",
			i->less ? "lt" : "eq", i->a, i->imm, i->target);
		return;
	case JUMP: buf_addf(b, "\tbra L%u;\n", i->target); return;
	case LEAVE: buf_adds(b, "\tret;\n"); return;
	}
}

struct str
word_kernel_ptx(struct arena *a, const struct word_kernel *k)
{
	struct buf b = {.a = a};

	buf_addf(&b,
		".version 8.0\n.target sm_90\n.address_size 64\n"
		".visible .entry k(.param .u64 p, .param .u32 n)\n{\n"
		"\t.reg .pred %%p;\n\t.reg .b32 %%r<9>;\n\t.reg .b32 %%t, %%s;\n"
		"\t.reg .b64 %%g, %%q;\n\t.shared .align 8 .b8 first[%u];\n"
		"\t.shared .align 8 .b8 second[%u];\n\t.local .align 8 .b8 "
		"own[%u];\n\tmov.u32 %%r8, 1;\n",
		SHARED_BYTES / 2, SHARED_BYTES / 2, LOCAL_BYTES);
	for (unsigned i = 0; i < k->n; i++) {
		buf_addf(&b, "L%u:\n", i);
		print_ins(&b, &k->v[i]);
	}
	buf_adds(&b, "}\n");
	return buf_str(&b);
}
