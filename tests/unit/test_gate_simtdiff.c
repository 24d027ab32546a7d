/*
 * Labels made by somebody else: the 147 cases of simt-diff, a generator of small kernels
 * that are right or wrong by construction (tests/gate/simtdiff/cases.txt has them in its
 * notation).  They are written out here as CUDA, judged as nvcc compiled that text
 * (simtdiff.ptx) and as every toolchain compiles it that is here, and compared with the
 * labels, which are recomputed too: every thread run alone, its visits counted.
 *
 *     make bless                               writes simtdiff.cu
 *     nvcc -ptx -arch=sm_90 -o simtdiff.ptx simtdiff.cu
 *
 * Three kinds of label are not ours:
 *
 * - At 48 threads, a mask that names lanes which were never launched is wrong there (4
 *   cases).  The CUDA C++ Programming Guide counts such lanes as inactive, beside those
 *   that exited ("because they are the last threads of a block whose number of threads is
 *   not a multiple of the warp size", SIMT Architecture), and PTX ISA, "vote.sync", waits
 *   for "all non-exited threads corresponding to membermask": clean.
 * - __activemask() as a mask is always right there (4 cases), as if lanes that took the
 *   same branch were together.  PTX ISA, "activemask", gives the active threads of that
 *   moment and does not synchronise, so a caveat is as good.
 * - A ballot in each of two complementary branches is wrong there (2 cases).  PTX ISA,
 *   "vote.sync", waits for the lanes "to have executed vote.sync with the same qualifiers
 *   and same membermask value", which these do; the Programming Guide wants one program
 *   point.  A caveat (LW033).
 */
#include "base/buf.h"
#include "base/diag.h"
#include "toolchain/toolchain.h"
#include "unit/labelled.h"

enum { THREADS_MAX = 1024, SITES_MAX = 16, VISITS_MAX = 16 };

/* ---- the notation ---- */

enum number_op { TID, WARP, LANE, CONST, REM, BYTE };
struct number {
	enum number_op op;
	unsigned k;
	struct number *a;
};

enum pred_op { COMPARE, NOT, AND };
struct pred {
	enum pred_op op;
	const char *cmp;
	struct number *v;
	unsigned k;
	struct pred *a, *b;
};

enum mask_kind { LITERAL, NAMED, ACTIVE, WRAPPER };
enum stmt_op { SYNC, HELPER, BALLOT, IF, WHILE };
struct stmt {
	enum stmt_op op;
	enum mask_kind mask;
	unsigned bits;
	struct pred *p;
	struct number *bound;
	struct stmt *body, *next;
	unsigned site;
};

struct simtdiff {
	struct str name, labels;
	unsigned depth, sites;
	struct stmt *code;
};

struct cases {
	struct arena a;
	struct simtdiff *v;
	size_t n, cap;
	struct str rest; /* of the line that is read */
};

static bool
take(struct cases *c, const char *token)
{
	while (c->rest.n && c->rest.s[0] == ' ')
		c->rest = str_sub(c->rest, 1, c->rest.n);
	if (!str_starts(c->rest, token))
		return false;
	c->rest = str_sub(c->rest, strlen(token), c->rest.n);
	return true;
}

static void
need(struct cases *c, const char *token)
{
	if (!take(c, token))
		fail_msg("'%s' expected before '%.*s'", token, STR_ARG(c->rest));
}

static unsigned
number(struct cases *c)
{
	size_t n = 0;
	int64_t v = 0;

	take(c, "");
	while (n < c->rest.n && strchr("0123456789abcdefx", c->rest.s[n]))
		n++;
	assert_true(str_to_i64(str_sub(c->rest, 0, n), &v));
	c->rest = str_sub(c->rest, n, c->rest.n);
	return (unsigned)v;
}

static struct number *
number_new(struct cases *c, struct number v)
{
	struct number *p = arena_new(&c->a, struct number);

	*p = v;
	return p;
}

static struct number *
read_value(struct cases *c)
{
	struct number *v;

	if (take(c, "(")) {
		v = number_new(c, (struct number){BYTE, 0, read_value(c)});
		need(c, "as u8) as u32");
	} else if (take(c, "i.get()")) {
		v = number_new(c, (struct number){.op = TID});
		take(c, "as u32");
	} else if (take(c, "warp_id()")) {
		v = number_new(c, (struct number){.op = WARP});
	} else if (take(c, "popc(lanemask_lt)")) {
		v = number_new(c, (struct number){.op = LANE});
	} else {
		v = number_new(c, (struct number){.op = CONST, .k = number(c)});
	}
	if (take(c, "%")) {
		unsigned k = number(c);

		v = number_new(c, (struct number){REM, k, v});
	}
	return v;
}

static struct pred *
read_pred(struct cases *c)
{
	static const char *const cmps[] = {"==", "!=", "<=", ">=", "<", ">"};
	struct pred *p = arena_new(&c->a, struct pred), *both;

	if (take(c, "!(")) {
		*p = (struct pred){.op = NOT, .a = read_pred(c)};
		need(c, ")");
	} else {
		p->v = read_value(c);
		for (size_t i = 0; !p->cmp && i < 6; i++)
			if (take(c, cmps[i]))
				p->cmp = cmps[i];
		assert_non_null(p->cmp);
		p->k = number(c);
	}
	if (!take(c, "&&"))
		return p;
	both = arena_new(&c->a, struct pred);
	*both = (struct pred){.op = AND, .a = p, .b = read_pred(c)};
	return both;
}

static void
read_mask(struct cases *c, struct stmt *s)
{
	if (take(c, "active_mask()")) {
		s->mask = ACTIVE;
	} else {
		s->mask = take(c, "CONST_") ? NAMED : LITERAL;
		s->bits = number(c);
	}
	need(c, ")");
}

static struct stmt *read_code(struct cases *c, unsigned *site);

static struct stmt *
read_stmt(struct cases *c, unsigned *site)
{
	struct stmt *s = arena_new(&c->a, struct stmt);

	s->site = (*site)++;
	if (take(c, "sync")) {
		s->op = SYNC;
	} else if (take(c, "helper()")) {
		s->op = HELPER;
	} else if (take(c, "ballot()")) {
		s->op = BALLOT;
		s->mask = WRAPPER;
		s->bits = 0xffffffff;
	} else if (take(c, "ballot_sync(")) {
		s->op = BALLOT;
		read_mask(c, s);
	} else if (take(c, "if")) {
		s->op = IF;
		s->p = read_pred(c);
	} else {
		s->op = WHILE;
		need(c, "while n < (");
		s->bound = read_value(c);
		need(c, ")");
	}
	if (s->op >= IF) {
		need(c, "{;");
		s->body = read_code(c, site);
		need(c, "}");
	}
	return s;
}

static struct stmt *
read_code(struct cases *c, unsigned *site)
{
	struct stmt *first = NULL, **end = &first;

	do {
		*end = read_stmt(c, site);
		end = &(*end)->next;
		if (!take(c, ";"))
			break;
		take(c, "");
	} while (c->rest.n && c->rest.s[0] != '}');
	return first;
}

static void
read_cases(struct cases *c)
{
	struct str text, line;

	assert_true(
		fs_try_read(&c->a, tests_path(&c->a, "gate/simtdiff/cases.txt"), &text));
	while (str_line(&text, &line)) {
		struct simtdiff k = {0};

		if (!line.n || line.s[0] == '#')
			continue;
		k.name = label_word(&line);
		k.depth = (unsigned)(label_word(&line).s[0] - '0');
		k.labels = label_word(&line);
		c->rest = line;
		k.code = read_code(c, &k.sites);
		if (str_trim(c->rest).n || k.sites > SITES_MAX)
			fail_msg("%.*s: '%.*s' is left", STR_ARG(k.name),
				STR_ARG(c->rest));
		arena_grow(&c->a, c->v, c->n, c->cap);
		c->v[c->n++] = k;
	}
}

/* ---- CUDA ---- */

static void
write_value(struct buf *b, const struct number *v)
{
	static const char *const names[] = {"i", "warp", "lane"};

	switch (v->op) {
	case CONST: buf_addf(b, "%uu", v->k); break;
	case BYTE:
		buf_adds(b, "(unsigned)(unsigned char)");
		write_value(b, v->a);
		break;
	case REM:
		write_value(b, v->a);
		buf_addf(b, " %% %uu", v->k);
		break;
	default: buf_adds(b, names[v->op]);
	}
}

static void
write_pred(struct buf *b, const struct pred *p)
{
	switch (p->op) {
	case COMPARE:
		write_value(b, p->v);
		buf_addf(b, " %s %uu", p->cmp, p->k);
		break;
	case NOT:
		buf_adds(b, "!(");
		write_pred(b, p->a);
		buf_adds(b, ")");
		break;
	case AND:
		write_pred(b, p->a);
		buf_adds(b, " && ");
		write_pred(b, p->b);
	}
}

static void
write_ballot(struct buf *b, const struct stmt *s)
{
	if (s->mask == ACTIVE)
		buf_adds(b, "__ballot_sync(__activemask(), odd)");
	else if (s->mask == NAMED)
		buf_adds(b, "__ballot_sync(NAMED, odd)");
	else if (s->mask == WRAPPER)
		buf_adds(b, "ballot_all(odd)");
	else
		buf_addf(b, "__ballot_sync(0x%08xu, odd)", s->bits);
}

static void
write_code(struct buf *b, const struct simtdiff *k, const struct stmt *s, int tabs)
{
	for (; s; s = s->next) {
		buf_addf(b, "%.*s", tabs, "\t\t\t\t\t\t");
		switch (s->op) {
		case SYNC: buf_adds(b, "__syncthreads();\n"); continue;
		case HELPER: buf_addf(b, "helper%u();\n", k->depth); continue;
		case BALLOT:
			buf_adds(b, "r += ");
			write_ballot(b, s);
			buf_adds(b, ";\n");
			continue;
		case IF:
			buf_adds(b, "if (");
			write_pred(b, s->p);
			break;
		case WHILE:
			buf_addf(b, "for (unsigned n%u = 0; n%u < ", s->site, s->site);
			write_value(b, s->bound);
			buf_addf(b, "; n%u++, r++", s->site);
		}
		buf_adds(b, ") {\n");
		write_code(b, k, s->body, tabs + 1);
		buf_addf(b, "%.*s}\n", tabs, "\t\t\t\t\t\t");
	}
}

static const char cuda_head[] =
	"// Written by tests/unit/test_gate_simtdiff.c from cases.txt.\n"
	"#define NAMED 0xffffffffu\n"
	"__device__ __noinline__ void helper1() { __syncthreads(); }\n"
	"__device__ __noinline__ void helper2() { helper1(); }\n"
	"__device__ unsigned ballot_all(int p) { return __ballot_sync(0xffffffffu, p); "
	"}\n"
	"__device__ unsigned lanemask_lt()\n"
	"{\n\tunsigned m;\n\tasm(\"mov.u32 %0, %%lanemask_lt;\" : \"=r\"(m));\n"
	"\treturn m;\n}\n";

static struct str
write_cuda(struct cases *c)
{
	struct buf b = {.a = &c->a};

	buf_adds(&b, cuda_head);
	for (size_t i = 0; i < c->n; i++) {
		const struct simtdiff *k = &c->v[i];

		buf_addf(&b,
			"\n// %.*s\nextern \"C\" __global__ void case_%03zu(unsigned "
			"*out)\n"
			"{\n\tunsigned i = threadIdx.x, warp = i / 32, r = 1;\n"
			"\tunsigned lane = __popc(lanemask_lt()), odd = i & 1;\n",
			STR_ARG(k->name), i);
		write_code(&b, k, k->code, 1);
		buf_adds(&b, "\tout[i] = r + (warp + lane + odd) * 0x10000u;\n}\n");
	}
	return buf_str(&b);
}

/* ---- the labels once more ---- */

struct thread {
	unsigned i;
	uint8_t *visits; /* by site */
};

static unsigned
value_of(const struct number *v, unsigned i)
{
	switch (v->op) {
	case TID: return i;
	case WARP: return i / 32;
	case LANE: return i % 32;
	case CONST: return v->k;
	case REM: return value_of(v->a, i) % v->k;
	case BYTE: return value_of(v->a, i) & 255;
	}
	return 0;
}

static bool
holds(const struct pred *p, unsigned i)
{
	unsigned v;

	if (p->op == NOT)
		return !holds(p->a, i);
	if (p->op == AND)
		return holds(p->a, i) && holds(p->b, i);
	v = value_of(p->v, i);
	switch (p->cmp[0]) {
	case '=': return v == p->k;
	case '!': return v != p->k;
	case '<': return p->cmp[1] ? v <= p->k : v < p->k;
	default: return p->cmp[1] ? v >= p->k : v > p->k;
	}
}

static void
run_thread(const struct stmt *s, struct thread *t)
{
	for (; s; s = s->next) {
		if (s->op < IF)
			t->visits[s->site]++;
		else if (s->op == IF && holds(s->p, t->i))
			run_thread(s->body, t);
		else if (s->op == WHILE)
			for (unsigned n = 0; n < value_of(s->bound, t->i); n++)
				run_thread(s->body, t);
	}
}

/* Does every lane that the mask names, and no other, come to every visit?  `all`: lanes
 * that were never launched count as missing. */
static bool
mask_is_right(
	const struct stmt *s, uint8_t (*visits)[SITES_MAX], unsigned block, bool all)
{
	for (unsigned w = 0; w < block; w += 32)
		for (unsigned visit = 0; visit < VISITS_MAX; visit++) {
			unsigned here = 0, live = 0;

			for (unsigned l = 0; l < 32 && w + l < block; l++) {
				live |= 1u << l;
				if (visits[w + l][s->site] > visit)
					here |= 1u << l;
			}
			if (here && s->mask != ACTIVE &&
				here != (all ? s->bits : s->bits & live))
				return false;
		}
	return true;
}

/* S, U, V or I. */
static char
label_of(const struct stmt *s, uint8_t (*visits)[SITES_MAX], unsigned block, bool all)
{
	char worst = 'S';

	for (; s; s = s->next) {
		char l = 'S';

		if (s->op == SYNC || s->op == HELPER) {
			for (unsigned t = 1; t < block; t++)
				if (visits[t][s->site] != visits[0][s->site])
					return 'U';
		} else if (s->op == BALLOT) {
			l = mask_is_right(s, visits, block, all) ? 'V' : 'I';
		} else {
			l = label_of(s->body, visits, block, all);
		}
		if (l == 'U')
			return l;
		if (l == 'I' || worst == 'S')
			worst = l;
	}
	return worst;
}

static char
compute_label(const struct simtdiff *k, unsigned block, bool all)
{
	static uint8_t visits[THREADS_MAX][SITES_MAX];

	memset(visits, 0, sizeof visits);
	for (unsigned i = 0; i < block; i++) {
		struct thread t = {i, visits[i]};

		run_thread(k->code, &t);
	}
	return label_of(k->code, visits, block, all);
}

static void
test_labels(void **state)
{
	static const unsigned blocks[] = {32, 48, 64, 96, 128, 256, 1024};
	struct cases *c = *state;
	unsigned flips = 0, never_launched = 0;

	assert_int_equal(c->n, 147);
	for (size_t i = 0; i < c->n; i++) {
		const struct simtdiff *k = &c->v[i];

		for (unsigned b = 0; b < 7; b++) {
			assert_int_equal(
				compute_label(k, blocks[b], true), k->labels.s[b]);
			never_launched +=
				compute_label(k, blocks[b], false) != k->labels.s[b];
		}
		flips += k->labels.s[0] == 'S' && k->labels.s[2] == 'U';
	}
	assert_int_equal(flips, 11);
	assert_int_equal(never_launched, 4);
}

/* ---- the gate ---- */

static bool
has_active(const struct stmt *s)
{
	for (; s; s = s->next)
		if ((s->op == BALLOT && s->mask == ACTIVE) || has_active(s->body))
			return true;
	return false;
}

static bool
ballots_in_both_branches(const struct simtdiff *k)
{
	return str_has(k->name, STR_LIT("complementary_guard")) &&
	       k->code->body->op == BALLOT;
}

static unsigned
judge(struct cases *c, const struct ptx_module *m, unsigned *caveats)
{
	static const unsigned blocks[] = {
		32, 64, 96, 128, 256, 1024, 1, 20, 33, 48, 160, 512, 1000};
	unsigned wrong = 0;

	for (size_t i = 0; i < c->n; i++) {
		struct arena a = {0};
		struct str why, entry = str_fmt(&a, "case_%03zu", i);
		struct gate_kernel *g = gate_prepare(&a, m, entry, &why);

		assert_non_null(g);
		for (unsigned b = 0; b < sizeof blocks / sizeof *blocks; b++) {
			struct gate_query q = {.launch = {{blocks[b], 1, 1}, {2, 1, 1},
						       {1, 1, 1}, 0, false}};
			enum verdict_kind got = gate_check(&a, g, &q).kind;
			char l = compute_label(&c->v[i], blocks[b], false);
			bool right = l == 'S' || l == 'V';

			if (got == VERDICT_CAVEAT &&
				(has_active(c->v[i].code) ||
					ballots_in_both_branches(&c->v[i]))) {
				++*caveats;
				continue;
			}
			if (got == (right ? VERDICT_CLEAN : VERDICT_REFUSED))
				continue;
			print_error("%.*s at %u threads: %s, label %c\n",
				STR_ARG(c->v[i].name), blocks[b], verdict_name(got), l);
			wrong++;
		}
		arena_release(&a);
	}
	return wrong;
}

static void
judge_text(struct cases *c, const char *by, struct str ptx)
{
	struct diag d = {0};
	struct source src = {"simtdiff.ptx", ptx};
	const struct ptx_module *m = ptx_parse(&c->a, &src, &d);
	unsigned caveats = 0;

	assert_non_null(m);
	assert_int_equal(judge(c, m, &caveats), 0);
	print_message("%s: %zu cases, caveats at %u launches\n", by, c->n, caveats);
}

static void
test_cuda(void **state)
{
	struct cases *c = *state;
	const char *path = tests_path(&c->a, "gate/simtdiff/simtdiff.cu");
	struct str cuda = write_cuda(c), text;

	if (getenv("BLESS"))
		fs_write(path, cuda, NULL);
	assert_true(fs_try_read(&c->a, path, &text));
	if (!str_eq(text, cuda))
		fail_msg("%s is not what the cases say: make bless", path);
}

static void
test_ptx(void **state)
{
	struct cases *c = *state;
	struct str text;

	assert_true(fs_try_read(
		&c->a, tests_path(&c->a, "gate/simtdiff/simtdiff.ptx"), &text));
	judge_text(c, "simtdiff.ptx", text);
}

static void
test_toolchain(void **state)
{
	struct cases *c = *state;
	const char *path = tests_path(&c->a, "gate/simtdiff/simtdiff.cu");
	static const char *const none[] = {NULL}, *const names[] = {
							  "nvrtc", "nvcc", "clang"};
	unsigned n = 0;

	for (int i = 0; i < 3; i++) {
		const struct toolchain *t = toolchain_find(str_of(names[i]));
		struct toolchain_info info = t->probe(&c->a);
		struct lower_request q = {.name = path,
			.path = path,
			.defines = none,
			.includes = none,
			.flags = none,
			.cc = 80,
			.timeout_ns = 120 * INT64_C(1000000000)};
		struct lower_result r = {0};

		if (!info.present)
			continue;
		assert_true(fs_try_read(&c->a, path, &q.source));
		assert_true(t->lower(&c->a, &q, &r));
		if (!r.ok)
			fail_msg("%s: %.*s", names[i], STR_ARG(r.log));
		judge_text(c, str_c(&c->a, info.version), r.ptx);
		n++;
	}
	if (!n) {
		print_message("skipped: no NVRTC, nvcc or clang to compile CUDA with\n");
		skip();
	}
}

static int
setup(void **state)
{
	static struct cases c;

	read_cases(&c);
	*state = &c;
	return 0;
}

static int
teardown(void **state)
{
	struct cases *c = *state;
	struct arena a = c->a;

	arena_release(&a);
	return 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cuda),
		cmocka_unit_test(test_labels),
		cmocka_unit_test(test_ptx),
		cmocka_unit_test(test_toolchain),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
