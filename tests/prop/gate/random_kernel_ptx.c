/* Prints random kernels as PTX. */
#include "random_kernel.h"

#include "base/buf.h"

struct printer {
	struct buf b;
	const struct random_kernel *k;
	unsigned func;
	unsigned r, p;  /* registers used */
	unsigned guard; /* predicate register of the next instruction, or 0 */
};

static bool
is_line(const struct printer *o)
{
	return o->k->block[1] == 1 && o->k->block[2] == 1;
}

static unsigned
print_linear(struct printer *o)
{
	unsigned r = o->r++, x;

	if (is_line(o)) {
		buf_addf(&o->b, "\tmov.u32 %%r%u, %%tid.x;\n", r);
		return r;
	}
	x = o->r;
	o->r += 5;
	buf_addf(&o->b,
		"\tmov.u32 %%r%u, %%tid.z;\n\tmov.u32 %%r%u, %%ntid.y;\n"
		"\tmov.u32 %%r%u, %%tid.y;\n"
		"\tmad.lo.s32 %%r%u, %%r%u, %%r%u, %%r%u;\n"
		"\tmov.u32 %%r%u, %%ntid.x;\n\tmov.u32 %%r%u, %%tid.x;\n"
		"\tmad.lo.s32 %%r%u, %%r%u, %%r%u, %%r%u;\n",
		x, x + 1, x + 2, x + 2, x, x + 1, x + 2, x + 3, x + 4, r, x + 2, x + 3,
		x + 4);
	return r;
}

static unsigned
print_load(struct printer *o, const struct expr *e)
{
	unsigned r, lin;

	if (e->op == EX_LOAD) {
		r = o->r++;
		buf_addf(&o->b, "\tld.global.nc.u32 %%r%u, [%%rd1+%u];\n", r,
			4 * (unsigned)e->k);
		return r;
	}
	if (e->op == EX_ATOMIC) {
		r = o->r++;
		buf_addf(&o->b, "\tatom.global.add.u32 %%r%u, [%%rd1+%u], 1;\n", r,
			512 + 4 * (unsigned)e->k);
		return r;
	}
	lin = print_linear(o);
	r = o->r++;
	buf_addf(&o->b,
		"\tmad.wide.u32 %%rd2, %%r%u, 16, %%rd1;\n"
		"\tld.global.nc.u32 %%r%u, [%%rd2+%u];\n",
		lin, r, 1024 + 4 * (unsigned)e->k);
	return r;
}

static unsigned
print_leaf(struct printer *o, const struct expr *e)
{
	static const char *const sreg[N_EXPR_OPS] = {[EX_TID_X] = "%tid.x",
		[EX_TID_Y] = "%tid.y",
		[EX_LANE] = "%laneid",
		[EX_CTA_X] = "%ctaid.x",
		[EX_CTA_Y] = "%ctaid.y"};
	unsigned r, x;

	if (e->op == EX_LOAD || e->op == EX_LOAD_LANE || e->op == EX_ATOMIC)
		return print_load(o, e);
	if (e->op == EX_LINEAR)
		return print_linear(o);
	if (e->op == EX_WARP) {
		x = print_linear(o);
		r = o->r++;
		buf_addf(&o->b, "\tshr.u32 %%r%u, %%r%u, 5;\n", r, x);
		return r;
	}
	r = o->r++;
	if (e->op == EX_CONST)
		buf_addf(&o->b, "\tmov.u32 %%r%u, %u;\n", r, (unsigned)e->k);
	else if (e->op == EX_ARG)
		buf_addf(&o->b, "\tld.param.u32 %%r%u, [k_param_%u];\n", r,
			(unsigned)e->k + 1);
	else if (e->op == EX_VAR)
		buf_addf(&o->b, "\tmov.u32 %%r%u, %%v%u;\n", r, (unsigned)e->k);
	else
		buf_addf(&o->b, "\tmov.u32 %%r%u, %s;\n", r, sreg[e->op]);
	return r;
}

static unsigned
print_expr(struct printer *o, const struct expr *e)
{
	static const char *const ops[N_EXPR_OPS] = {[EX_ADD] = "add.s32",
		[EX_SUB] = "sub.s32",
		[EX_MUL] = "mul.lo.s32",
		[EX_AND] = "and.b32",
		[EX_SHR] = "shr.u32",
		[EX_MIN] = "min.s32"};
	unsigned a, b, r;

	if (e->op < EX_ADD)
		return print_leaf(o, e);
	a = print_expr(o, e->a);
	b = print_expr(o, e->b);
	if (e->op == EX_SHR) {
		buf_addf(&o->b, "\tand.b32 %%r%u, %%r%u, 31;\n", o->r, b);
		b = o->r++;
	}
	r = o->r++;
	buf_addf(&o->b, "\t%s %%r%u, %%r%u, %%r%u;\n", ops[e->op], r, a, b);
	return r;
}

static unsigned
print_cond(struct printer *o, const struct cond *c)
{
	static const char *const names[] = {
		[CMP_LT] = "lt", [CMP_EQ] = "eq", [CMP_GE] = "ge"};
	unsigned a = print_expr(o, c->a);
	unsigned b = print_expr(o, c->b), p = o->p++;

	buf_addf(&o->b, "\tsetp.%s.s32 %%p%u, %%r%u, %%r%u;\n", names[c->cmp], p, a, b);
	return p;
}

/* The register or number of a mask. */
static const char *
print_mask(struct printer *o, const struct mask *m)
{
	unsigned lane, r;

	if (m->kind == MASK_CONST)
		return str_c(o->b.a, str_fmt(o->b.a, "0x%x", (unsigned)m->v));
	if (m->kind == MASK_VAR)
		return str_c(o->b.a, str_fmt(o->b.a, "%%v%u", (unsigned)m->v));
	lane = o->r++;
	r = o->r++;
	buf_addf(&o->b,
		"\tmov.u32 %%r%u, %%laneid;\n\tand.b32 %%r%u, %%r%u, %d;\n"
		"\tmov.u32 %%r%u, %u;\n\tshl.b32 %%r%u, %%r%u, %%r%u;\n",
		lane, lane, lane, -(int)m->v, r, (1u << m->v) - 1, r, r, lane);
	return str_c(o->b.a, str_fmt(o->b.a, "%%r%u", r));
}

static void
print_guard(struct printer *o)
{
	buf_addc(&o->b, '\t');
	if (o->guard)
		buf_addf(&o->b, "@%%p%u ", o->guard);
	o->guard = 0;
}

static void
print_barrier(struct printer *o, const struct ins *i)
{
	unsigned p, q, id;

	switch (i->op) {
	case INS_BARRIER:
		print_guard(o);
		buf_adds(&o->b, i->kind ? "barrier.sync 0;\n" : "bar.sync 0;\n");
		break;
	case INS_BARRIER_OR:
		p = print_cond(o, &i->c);
		q = o->p++;
		print_guard(o);
		buf_addf(&o->b,
			"bar.red.or.pred %%p%u, 0, %%p%u;\n\tselp.u32 %%v%u, 1, 0, "
			"%%p%u;\n",
			q, p, (unsigned)i->var, q);
		break;
	default:
		id = print_expr(o, i->e);
		buf_addf(&o->b, "\tbar.%s %%r%u, %u;\n",
			i->op == INS_NAMED_SYNC ? "sync" : "arrive", id, (unsigned)i->k);
	}
}

static void
print_collective(struct printer *o, const struct ins *i)
{
	static const char *const mode[] = {"bfly", "idx", "down", "up"};
	const char *m = print_mask(o, &i->mask);
	unsigned x = 0, q = 0, v = (unsigned)i->var;

	if (i->op == INS_VOTE || i->op == INS_BALLOT) {
		x = print_cond(o, &i->c);
		q = o->p++;
	} else if (i->op != INS_SYNCWARP) {
		x = print_expr(o, i->e);
		q = o->p++;
	}
	if (i->op == INS_SYNCWARP)
		buf_addf(&o->b, "\tbar.warp.sync %s;\n", m);
	else if (i->op == INS_VOTE)
		buf_addf(&o->b,
			"\tvote.sync.%s.pred %%p%u, %%p%u, %s;\n"
			"\tselp.u32 %%v%u, 1, 0, %%p%u;\n",
			i->kind ? "all" : "any", q, x, m, v, q);
	else if (i->op == INS_BALLOT)
		buf_addf(&o->b, "\tvote.sync.ballot.b32 %%v%u, %%p%u, %s;\n", v, x, m);
	else if (i->op == INS_SHUFFLE)
		buf_addf(&o->b, "\tshfl.sync.%s.b32 %%v%u, %%r%u, %u, %u, %s;\n",
			mode[i->kind], v, x, (unsigned)i->k, i->kind == 3 ? 0u : 31u, m);
	else if (i->op == INS_REDUX)
		buf_addf(&o->b, "\tredux.sync.%s.s32 %%v%u, %%r%u, %s;\n",
			i->kind ? "min" : "add", v, x, m);
	else if (i->kind)
		buf_addf(&o->b, "\tmatch.all.sync.b32 %%v%u|%%p%u, %%r%u, %s;\n", v, q, x,
			m);
	else
		buf_addf(&o->b, "\tmatch.any.sync.b32 %%v%u, %%r%u, %s;\n", v, x, m);
}

static void
print_call(struct printer *o, const struct ins *i)
{
	unsigned x = print_expr(o, i->e);

	buf_addf(&o->b,
		"\t{\n\t.param .b64 param0;\n\tst.param.b64 [param0], %%rd1;\n"
		"\t.param .b32 param1;\n\tst.param.b32 [param1], %%r%u;\n"
		"\t.param .b32 retval0;\n\tcall.uni (retval0), f%u, (param0, param1);\n"
		"\tld.param.b32 %%v%u, [retval0];\n\t}\n",
		x, (unsigned)i->k, (unsigned)i->var);
}

static void
print_switch(struct printer *o, const struct ins *i)
{
	unsigned x = print_expr(o, i->e), t = o->p++;

	buf_addf(&o->b, "\tand.b32 %%r%u, %%r%u, 3;\n$T%u_%u: .branchtargets ", o->r, x,
		o->func, t);
	for (unsigned k = 0; k < WAYS; k++)
		buf_addf(&o->b, "%s$L%u", k ? ", " : "", (unsigned)i->way[k]);
	buf_addf(&o->b, ";\n\tbrx.idx %%r%u, $T%u_%u;\n", o->r++, o->func, t);
}

/* The address of a word, "flags+4" or "%rd3+4". */
static const char *
print_address(struct printer *o, const struct ins *i)
{
	const char *area = i->area == AREA_LOCAL ? "frame" : "flags";
	unsigned at;

	if (!i->at)
		return str_c(o->b.a, str_fmt(o->b.a, "%s+%u", area, 4 * (unsigned)i->k));
	at = print_expr(o, i->at);
	buf_addf(&o->b,
		"\tmov.u64 %%rd3, %s;\n\tmul.wide.u32 %%rd4, %%r%u, 4;\n"
		"\tadd.s64 %%rd3, %%rd3, %%rd4;\n",
		area, at);
	return str_c(o->b.a, str_fmt(o->b.a, "%%rd3+%u", 4 * (unsigned)i->k));
}

static void
print_memory(struct printer *o, const struct ins *i)
{
	const char *space = i->area == AREA_LOCAL ? "local" : "shared";
	const char *how = i->kind == 1 ? ".volatile" : "", *address;
	unsigned x = i->op == INS_STORE ? print_expr(o, i->e) : 0;

	address = print_address(o, i);
	if (i->op == INS_LOAD) {
		buf_addf(&o->b, "\tld%s.%s.u32 %%v%u, [%s];\n", how, space,
			(unsigned)i->var, address);
		return;
	}
	print_guard(o);
	if (i->kind == 2)
		buf_addf(&o->b, "red.shared.add.u32 [%s], %%r%u;\n", address, x);
	else
		buf_addf(&o->b, "st%s.%s.u32 [%s], %%r%u;\n", how, space, address, x);
}

static void
print_ins(struct printer *o, const struct ins *i)
{
	unsigned p;

	switch (i->op) {
	case INS_NOTHING:
	case INS_ROUND0:
	case INS_ROUND: break;
	case INS_SET:
		p = print_expr(o, i->e);
		buf_addf(&o->b, "\tmov.u32 %%v%u, %%r%u;\n", (unsigned)i->var, p);
		break;
	case INS_BARRIER:
	case INS_BARRIER_OR:
	case INS_NAMED_SYNC:
	case INS_NAMED_ARRIVE: print_barrier(o, i); break;
	case INS_SYNCWARP:
	case INS_VOTE:
	case INS_BALLOT:
	case INS_SHUFFLE:
	case INS_MATCH:
	case INS_REDUX: print_collective(o, i); break;
	case INS_STORE:
	case INS_LOAD: print_memory(o, i); break;
	case INS_UNLESS:
		p = print_cond(o, &i->c);
		buf_addf(&o->b, "\t@!%%p%u bra $L%u;\n", p, (unsigned)i->k);
		break;
	case INS_GUARD: o->guard = print_cond(o, &i->c); break;
	case INS_JUMP: buf_addf(&o->b, "\tbra.uni $L%u;\n", (unsigned)i->k); break;
	case INS_LABEL:
		buf_addf(&o->b, "$L%u:\n", (unsigned)i->k);
		o->guard = 0;
		break;
	case INS_SWITCH: print_switch(o, i); break;
	case INS_CALL: print_call(o, i); break;
	case INS_RETURN:
		print_guard(o);
		buf_addf(&o->b, "bra $RET%u;\n", o->func);
		break;
	case INS_EXIT:
		print_guard(o);
		buf_adds(&o->b, "exit;\n");
		break;
	}
}

bool
random_code_has_frame(const struct code *c)
{
	for (unsigned i = 0; i < c->n; i++)
		if ((c->v[i].op == INS_LOAD || c->v[i].op == INS_STORE) &&
			c->v[i].area == AREA_LOCAL)
			return true;
	return false;
}

/* The tail is not empty, so that an early return differs from falling through. */
static void
print_func(struct buf *out, const struct random_kernel *k, unsigned func)
{
	struct printer o = {.b = {.a = out->a}, .k = k, .func = func, .r = 1, .p = 1};
	const struct code *c = &k->func[func];

	for (unsigned i = 0; i < SLOTS; i++)
		if (func && !i)
			buf_adds(&o.b, "\tld.param.b32 %v0, [arg];\n");
		else
			buf_addf(&o.b, "\tmov.u32 %%v%u, %u;\n", i,
				i < VARS    ? i
				: i < MASKS ? 0
					    : UINT32_MAX);
	buf_addf(&o.b, "\tld.param.u64 %%rd1, [%s];\n", func ? "memory" : "k_param_0");
	for (unsigned i = 0; i < LOCAL_WORDS && random_code_has_frame(c); i++)
		buf_addf(&o.b, "\tst.local.u32 [frame+%u], %%v%u;\n", 4 * i, i);
	for (unsigned i = 0; i < c->n; i++)
		print_ins(&o, &c->v[i]);
	if (func)
		buf_addf(out,
			".func (.param .b32 result) f%u(.param .b64 memory, "
			".param .b32 arg)\n{\n",
			func);
	else
		buf_adds(out, ".visible .entry k(.param .u64 k_param_0, "
			      ".param .u32 k_param_1, .param .u32 k_param_2)\n{\n");
	buf_addf(out,
		"\t.reg .pred %%p<%u>; .reg .b32 %%r<%u>; .reg .b32 %%v<%u>; .reg .b64 "
		"%%rd<5>;\n",
		o.p + 1, o.r + 1, (unsigned)SLOTS);
	if (random_code_has_frame(c))
		buf_addf(out, "\t.local .align 4 .b8 frame[%u];\n", 4u * LOCAL_WORDS);
	buf_addstr(out, buf_str(&o.b));
	if (func)
		buf_addf(out, "$RET%u:\n\tst.param.b32 [result], %%v0;\n\tret;\n}\n",
			func);
	else
		buf_adds(out, "\tst.global.u32 [%rd1], %v0;\n$RET0:\n\tret;\n}\n");
}

struct str
random_kernel_ptx(struct arena *a, const struct random_kernel *k)
{
	struct buf b = {.a = a};

	buf_addf(&b,
		".version 9.0\n.target sm_90\n.address_size 64\n"
		".shared .align 4 .b8 flags[%u];\n",
		4u * SHARED_WORDS);
	for (unsigned i = k->n_funcs; i-- > 0;)
		print_func(&b, k, i);
	return buf_str(&b);
}
