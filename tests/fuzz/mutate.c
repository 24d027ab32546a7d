/*
 * Mutates PTX as statements, for libFuzzer: bytes that change at random rarely parse, and
 * what does not parse never reaches the machine.
 *
 * A file is a list of pieces (statements, labels, braces, lines).  Most mutations replace
 * a range of them by a text: pieces of this file, of another one, or patterns, in which
 * $r $d $p $L ... become names that the file has.  A first line "//launch ..." is the
 * question that fuzz_gate asks, and is written anew.
 */
#include "base/rng.h"
#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t n, size_t max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t max, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t na, const uint8_t *b, size_t nb,
	uint8_t *out, size_t max, unsigned seed);

enum { PIECES_MAX = 1 << 14, RANGE_MAX = 12 };

struct edit {
	struct rng r;
	struct str in;               /* what is changed */
	uint32_t at[PIECES_MAX + 1]; /* where its pieces begin, and the end */
	size_t n;
	uint8_t *out;
	size_t n_out, max;
};

/* ---- patterns ---- */

/* $r $d $p $f: registers; $L: a label; $F: a function; $v: a variable; $n: a number; $s:
 * a special register; $u: a label of the pattern's own. */
static const char *const patterns[] = {
	"bar.sync $n;",
	"bar.sync $r;",
	"bar.sync $n, $n;",
	"bar.sync $r, $r;",
	"bar.arrive $n, $n;",
	"bar.arrive $r, $n;",
	"barrier.sync $n;",
	"barrier.sync $n, $n;",
	"bar.red.popc.u32 $r, $n, $p;",
	"bar.red.or.pred $p, $n, $n, $p;",
	"bar.red.and.pred $p, 0, !$p;",
	"@$p bar.sync 0;",
	"bar.warp.sync $n;",
	"bar.warp.sync $r;",
	"barrier.cluster.arrive;",
	"barrier.cluster.wait;",
	"barrier.cluster.arrive.relaxed.aligned;",
	"barrier.cluster.wait.aligned;",
	"shfl.sync.bfly.b32 $r|$p, $r, $n, 31, -1;",
	"shfl.sync.idx.b32 $r, $r, $r, $r, $r;",
	"shfl.sync.down.b32 $r, $r, $r, $n, $n;",
	"shfl.sync.up.b32 $r|$p, $r, 1, 0, $r;",
	"vote.sync.ballot.b32 $r, $p, $n;",
	"vote.sync.ballot.b32 $r, !$p, $r;",
	"vote.sync.any.pred $p, $p, -1;",
	"vote.sync.all.pred $p, !$p, $r;",
	"vote.sync.uni.pred $p, $p, -1;",
	"match.any.sync.b32 $r, $r, $n;",
	"match.all.sync.b32 $r|$p, $r, $r;",
	"redux.sync.add.s32 $r, $r, $n;",
	"elect.sync $r|$p, $n;",
	"activemask.b32 $r;",
	"vote.ballot.b32 $r, $p;",
	"setmaxnreg.inc.sync.aligned.u32 232;",
	"setmaxnreg.dec.sync.aligned.u32 40;",
	"wgmma.fence.sync.aligned;",
	"wgmma.wait_group.sync.aligned 0;",
	"wgmma.commit_group.sync.aligned;",
	"mbarrier.init.shared.b64 [$r], $n;",
	"mbarrier.arrive.shared.b64 $d, [$r];",
	"mbarrier.try_wait.parity.shared.b64 $p, [$r], $r;",
	"mbarrier.arrive.expect_tx.shared.b64 _, [$r], $n;",
	"tcgen05.wait::ld.sync.aligned;",
	"ldmatrix.sync.aligned.m8n8.x1.shared.b16 {$r}, [$r];",
	"cp.async.wait_all;",
	"griddepcontrol.wait;",
	"nanosleep.u32 $r;",
	"fence.proxy.async;",
	"@$p bra $L;",
	"@!$p bra $L;",
	"bra $L;",
	"bra.uni $L;",
	"brx.idx $r, $L;",
	"$u: .branchtargets $L, $L, $L;\nbrx.idx $r, $u;",
	"exit;",
	"ret;",
	"@$p exit;",
	"@!$p ret;",
	"trap;",
	"@$p trap;",
	"call.uni $F, ();",
	"call ($r), $F, ($r, $d);",
	"@$p call.uni $F;",
	"call ($d), $d, ($r), $L;",
	"mov.u64 $d, $F;",
	"mov.u32 $r, $s;",
	"mov.u64 $d, $s;",
	"mov.u32 $r, $n;",
	"mov.u64 $d, $v;",
	"mov.b64 {$r, $r}, $d;",
	"mov.b64 $d, {$r, $r};",
	"setp.lt.u32 $p, $r, $n;",
	"setp.ge.s32 $p, $r, $r;",
	"setp.eq.s64 $p, $d, $n;",
	"setp.ne.and.u32 $p, $r, $n, $p;",
	"setp.gt.u32 $p|$p, $r, $r;",
	"setp.neu.f32 $p, $f, $f;",
	"and.pred $p, $p, $p;",
	"xor.pred $p, $p, $p;",
	"not.pred $p, $p;",
	"selp.b32 $r, $r, $n, $p;",
	"add.s32 $r, $r, $n;",
	"add.s64 $d, $d, $d;",
	"add.cc.u32 $r, $r, $r;",
	"addc.u32 $r, $r, $n;",
	"sub.u32 $r, $n, $r;",
	"mad.lo.s32 $r, $r, $r, $r;",
	"mul.wide.u32 $d, $r, $n;",
	"mul.hi.u32 $r, $r, $n;",
	"div.u32 $r, $r, $n;",
	"rem.s32 $r, $r, $r;",
	"div.s64 $d, $d, $n;",
	"shl.b32 $r, $r, $n;",
	"shr.s32 $r, $r, $n;",
	"shf.l.wrap.b32 $r, $r, $r, $n;",
	"and.b32 $r, $r, $n;",
	"or.b64 $d, $d, $n;",
	"not.b32 $r, $r;",
	"lop3.b32 $r, $r, $r, $r, $n;",
	"prmt.b32 $r, $r, $r, $n;",
	"bfe.u32 $r, $r, $n, $n;",
	"bfi.b32 $r, $r, $r, $n, $n;",
	"bfind.u32 $r, $r;",
	"fns.b32 $r, $r, $r, $n;",
	"popc.b32 $r, $r;",
	"clz.b64 $r, $d;",
	"brev.b32 $r, $r;",
	"min.s32 $r, $r, $n;",
	"max.u64 $d, $d, $n;",
	"abs.s32 $r, $r;",
	"sad.u32 $r, $r, $r, $r;",
	"dp4a.u32.u32 $r, $r, $r, $r;",
	"slct.s32.s32 $r, $r, $r, $r;",
	"cvt.u64.u32 $d, $r;",
	"cvt.s64.s32 $d, $r;",
	"cvt.u32.u64 $r, $d;",
	"cvt.rn.f32.u32 $f, $r;",
	"cvt.rzi.u32.f32 $r, $f;",
	"fma.rn.f32 $f, $f, $f, $f;",
	"cvta.to.global.u64 $d, $d;",
	"isspacep.shared $p, $d;",
	"ld.param.u32 $r, [$v];",
	"ld.param.u64 $d, [$v+$n];",
	"ld.global.u32 $r, [$d];",
	"ld.global.nc.u32 $r, [$d+4];",
	"ld.volatile.shared.u32 $r, [$n];",
	"ld.shared.v2.u32 {$r, $r}, [$r];",
	"ld.shared.u32 $r, [$v];",
	"st.shared.u32 [$v], $r;",
	"ld.const.u32 $r, [$v+$n];",
	"st.local.u32 [$d+$n], $r;",
	"ld.local.u32 $r, [$d+$n];",
	"st.param.b32 [$v], $r;",
	"atom.shared.add.u32 $r, [$r], $n;",
	"atom.global.cas.b32 $r, [$d], $r, $r;",
	"ld.acquire.gpu.u32 $r, [$d];",
	"@$p ld.global.u32 $r, [$d];",
	"{",
	"}",
	"$u:",
	"{ .reg .pred q; setp.eq.u32 q, $r, $n; @q bra X; bar.sync 0; X: }",
	"{ .reg .b32 %q<4000000000>; mov.u32 %q3999999999, $n; }",
	".local .align 4 .b8 big[4000000000];",
	".shared .align 4 .b8 shm[$n];",
	".reg .b32 %r<$n>;",
	".loc 1 $n 1",
	".pragma \"nounroll\";",
	".maxntid $n, $n, 1",
	".reqnctapercluster 2, 1, 1",
};

static const char *const numbers[] = {"0", "1", "2", "3", "7", "8", "15", "16", "31",
	"32", "33", "63", "64", "65", "96", "127", "128", "255", "256", "257", "512",
	"1023", "1024", "1025", "65535", "-1", "-2", "-31", "-32", "-64", "4294967295",
	"4294967264", "2147483647", "-2147483648", "0x80000000", "0x0000ffff",
	"0xffff0000", "0x55555555", "0xaaaaaaaa", "0x7fffffff", "9223372036854775807",
	"18446744073709551615", "WARP_SZ"};

static const char *const specials[] = {"%tid.x", "%tid.y", "%tid.z", "%ntid.x", "%ntid.y",
	"%ctaid.x", "%ctaid.y", "%ctaid.z", "%nctaid.x", "%laneid", "%warpid", "%nwarpid",
	"%lanemask_lt", "%lanemask_eq", "%lanemask_ge", "%clusterid.x",
	"%cluster_ctaid.x", "%cluster_ctarank", "%cluster_nctarank", "%clock", "%clock64",
	"%smid", "%gridid", "%dynamic_smem_size", "%envreg3", "%tid", "%ntid"};

static const char *const blocks[] = {"1,1,1", "32,1,1", "33,1,1", "64,1,1", "128,1,1",
	"256,1,1", "384,1,1", "100,1,1", "16,16,1", "8,4,2", "32,8,1", "1,64,1",
	"1024,1,1", "31,3,5", "2048,1,1"};
static const char *const grids[] = {"1,1,1", "2,1,1", "7,3,1", "64,1,1", "1000,1,1",
	"100000,1,1", "2147483647,1,1", "5,5,5", "65535,65535,1", "8,1,1"};
static const char *const clusters[] = {"1,1,1", "2,1,1", "4,2,1", "8,1,1"};
static const char *const arguments[] = {"00000000", "01000000", "20000000", "40000000",
	"ffffffff", "e8030000", "00000080", "0000000000000000", "4000000000000000",
	"ffffffffffffffff", "0000803f", "2a000000"};

#define PICK(e, list) ((list)[rng_below(&(e)->r, sizeof(list) / sizeof(list)[0])])

/* ---- output ---- */

static void
put(struct edit *e, struct str s)
{
	size_t left = e->max - e->n_out, n = s.n < left ? s.n : left;
	if (n)
		memcpy(e->out + e->n_out, s.s, n);
	e->n_out += n;
}

static bool
chance(struct edit *e, unsigned in)
{
	return rng_below(&e->r, in) == 0;
}

/* ---- words of the file ---- */

static bool
is_word(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%' || c == '.';
}

/* The word at or after i, and where it begins; empty at the end. */
static struct str
word_from(struct str in, size_t i)
{
	while (i < in.n && !is_word(in.s[i]))
		i++;
	size_t end = i;
	while (end < in.n && is_word(in.s[end]))
		end++;
	return str_sub(in, i, end);
}

static char
after(struct str in, struct str w)
{
	size_t i = (size_t)(w.s - in.s) + w.n;
	while (i < in.n && in.s[i] == ' ')
		i++;
	return i < in.n ? in.s[i] : 0;
}

static bool
is_register(struct str w, const char *letters)
{
	size_t n = strlen(letters);
	return w.n > n + 1 && w.s[0] == '%' && memcmp(w.s + 1, letters, n) == 0 &&
	       w.s[n + 1] >= '0' && w.s[n + 1] <= '9';
}

static bool
is_kind(struct str in, struct str w, char kind)
{
	switch (kind) {
	case 'r': return is_register(w, "r");
	case 'd': return is_register(w, "rd");
	case 'p': return is_register(w, "p");
	case 'f': return is_register(w, "f");
	case 'L': return w.s[0] != '.' && after(in, w) == ':';
	case 'F': return w.s[0] != '.' && w.s[0] != '%' && after(in, w) == '(';
	case 'v': return w.s > in.s && (w.s[-1] == '[' || after(in, w) == '[');
	default: return false;
	}
}

/* A word of that kind somewhere in the file, or else the text. */
static struct str
some_word(struct edit *e, char kind, const char *none)
{
	struct str w = {0};
	size_t from = e->in.n ? rng_below(&e->r, e->in.n) : 0, i = from;
	for (int turn = 0; turn < 2; turn++, i = 0)
		for (; (w = word_from(e->in, i)).n; i = (size_t)(w.s - e->in.s) + w.n)
			if (is_kind(e->in, w, kind))
				return w;
	return str_of(none);
}

static void
put_pattern(struct edit *e, const char *p)
{
	char own[24];
	snprintf(own, sizeof own, "U%u", (unsigned)rng_below(&e->r, 1000));
	for (; *p; p++) {
		if (*p != '$' || !p[1]) {
			put(e, (struct str){p, 1});
			continue;
		}
		switch (*++p) {
		case 'n': put(e, str_of(PICK(e, numbers))); break;
		case 's': put(e, str_of(PICK(e, specials))); break;
		case 'u': put(e, str_of(own)); break;
		case 'r': put(e, some_word(e, *p, "%r1")); break;
		case 'd': put(e, some_word(e, *p, "%rd1")); break;
		case 'p': put(e, some_word(e, *p, "%p1")); break;
		case 'f': put(e, some_word(e, *p, "%f1")); break;
		default: put(e, some_word(e, *p, "X")); break;
		}
	}
	put(e, STR_LIT("\n"));
}

/* ---- pieces ---- */

static bool
ends_piece(struct str in, size_t i)
{
	char c = in.s[i], next = i + 1 < in.n ? in.s[i + 1] : '\n';
	return c == ';' || c == '{' || c == '}' || c == '\n' ||
	       (c == ':' && (next == ' ' || next == '\n'));
}

static void
cut(struct edit *e)
{
	e->n = 0;
	e->at[0] = 0;
	for (size_t i = 0; i < e->in.n && e->n + 1 < PIECES_MAX; i++)
		if (ends_piece(e->in, i))
			e->at[++e->n] = (uint32_t)i + 1;
	if (e->at[e->n] < e->in.n)
		e->at[++e->n] = (uint32_t)e->in.n;
}

static struct str
pieces(const struct edit *e, size_t from, size_t to)
{
	return str_sub(e->in, e->at[from], e->at[to]);
}

static size_t
some_end(struct edit *e, size_t from)
{
	size_t n = rng_below(&e->r, chance(e, 8) ? 8 * RANGE_MAX : RANGE_MAX);
	return from + n < e->n ? from + n : e->n;
}

/* Pieces from..to become what the function puts. */
static void
replace_some(struct edit *e)
{
	size_t from = rng_below(&e->r, e->n + 1), to = from;
	if (chance(e, 2))
		to = some_end(e, from);
	put(e, pieces(e, 0, from));
	if (chance(e, 3)) {
		size_t i = rng_below(&e->r, e->n + 1);
		put(e, pieces(e, i, some_end(e, i)));
	} else if (to == from || chance(e, 2)) {
		for (size_t k = 1 + rng_below(&e->r, 4); k; k--)
			put_pattern(e, PICK(e, patterns));
	}
	put(e, pieces(e, to, e->n));
}

static void
swap_some(struct edit *e)
{
	size_t a = rng_below(&e->r, e->n + 1), b = some_end(e, a);
	size_t c = b + rng_below(&e->r, e->n + 1 - b), d = some_end(e, c);
	put(e, pieces(e, 0, a));
	put(e, pieces(e, c, d));
	put(e, pieces(e, b, c));
	put(e, pieces(e, a, b));
	put(e, pieces(e, d, e->n));
}

/* A range under a condition, in a loop, in a scope, or many times. */
static void
wrap_some(struct edit *e)
{
	static const char *const head[] = {
		"@$p bra ", "@!$p bra ", "brx.idx $r, ", "bra "};
	size_t from = rng_below(&e->r, e->n + 1), to = some_end(e, from);
	char label[24];
	snprintf(label, sizeof label, "W%u", (unsigned)rng_below(&e->r, 100000));
	put(e, pieces(e, 0, from));
	switch (rng_below(&e->r, 4)) {
	case 0:
		put_pattern(e, PICK(e, head));
		e->n_out -= e->n_out > 0; /* its newline */
		put(e, str_of(label));
		put(e, STR_LIT(";\n"));
		put(e, pieces(e, from, to));
		put(e, str_of(label));
		put(e, STR_LIT(":\n"));
		break;
	case 1:
		put(e, str_of(label));
		put(e, STR_LIT(":\n"));
		put(e, pieces(e, from, to));
		put_pattern(e, PICK(e, head));
		e->n_out -= e->n_out > 0;
		put(e, str_of(label));
		put(e, STR_LIT(";\n"));
		break;
	case 2:
		put(e, STR_LIT("{\n"));
		put(e, pieces(e, from, to));
		put(e, STR_LIT("}\n"));
		break;
	default:
		for (size_t k = 2 + rng_below(&e->r, chance(e, 4) ? 100 : 6); k; k--) {
			put(e, STR_LIT("{\n"));
			put(e, pieces(e, from, to));
			put(e, STR_LIT("}\n"));
		}
	}
	put(e, pieces(e, to, e->n));
}

/* What can stand where the word stands. */
static struct str
other_word(struct edit *e, struct str w)
{
	if (w.s[0] == '%' && chance(e, 6))
		return str_of(PICK(e, specials));
	for (const char *k = "rdpfLFv"; *k; k++)
		if (is_kind(e->in, w, *k))
			return some_word(e, *k, "X");
	if (w.s[0] >= '0' && w.s[0] <= '9')
		return str_of(PICK(e, numbers));
	if (memchr(w.s, '.', w.n)) {
		const char *p = PICK(e, patterns);
		return chance(e, 2) ? word_from(str_of(p), 0)
				    : word_from(e->in, rng_below(&e->r, e->in.n));
	}
	return some_word(e, 'L', "X");
}

static void
change_words(struct edit *e)
{
	size_t done = 0;
	for (size_t k = 1 + rng_below(&e->r, 3); k; k--) {
		size_t at = done + rng_below(&e->r, e->in.n - done + 1);
		/* not the rest of a word */
		while (at > done && is_word(e->in.s[at - 1]))
			at--;
		struct str w = word_from(e->in, at);
		if (!w.n)
			break;
		put(e, str_sub(e->in, done, (size_t)(w.s - e->in.s)));
		put(e, other_word(e, w));
		done = (size_t)(w.s - e->in.s) + w.n;
	}
	put(e, str_sub(e->in, done, e->in.n));
}

static void
change_launch(struct edit *e)
{
	char line[200];
	size_t nl = str_starts(e->in, "//launch") ? str_find(e->in, '\n') : 0;
	snprintf(line, sizeof line, "//launch %s/%s/%s/%s%s ", PICK(e, blocks),
		PICK(e, grids), chance(e, 3) ? PICK(e, clusters) : "1,1,1",
		chance(e, 4) ? "49152" : "0", chance(e, 8) ? "/coop" : "");
	put(e, str_of(line));
	const char *sep = "";
	for (unsigned i = 0; i < 8; i++) {
		if (chance(e, 2))
			continue;
		snprintf(line, sizeof line, "%s%u=%s", sep, i, PICK(e, arguments));
		put(e, str_of(line));
		sep = ",";
	}
	if (!*sep)
		put(e, STR_LIT("-"));
	put(e, chance(e, 4) ? STR_LIT(" release\n") : STR_LIT("\n"));
	put(e, str_sub(e->in, nl < e->in.n ? nl + (nl > 0) : nl, e->in.n));
}

/* ---- what libFuzzer calls ---- */

static struct edit *
begin(const uint8_t *data, size_t n, size_t max, unsigned seed)
{
	static struct edit e;
	e.r = (struct rng){seed};
	e.in = (struct str){(const char *)data, n};
	e.max = max;
	e.n_out = 0;
	e.out = malloc(max + 1);
	if (!e.out)
		abort();
	cut(&e);
	return &e;
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t max, unsigned seed)
{
	struct edit *e = begin(data, n, max, seed);
	unsigned how = (unsigned)rng_below(&e->r, 20);
	if (how < 3 || !n) {
		free(e->out);
		return LLVMFuzzerMutate(data, n, max);
	}
	if (how < 10)
		replace_some(e);
	else if (how < 12)
		swap_some(e);
	else if (how < 14)
		wrap_some(e);
	else if (how < 18)
		change_words(e);
	else
		change_launch(e);
	memcpy(data, e->out, e->n_out);
	free(e->out);
	return e->n_out;
}

/* Pieces of b go into a: a few, or all of its functions at the end. */
size_t
LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t na, const uint8_t *b, size_t nb,
	uint8_t *out, size_t max, unsigned seed)
{
	static struct edit from;
	struct edit *e = begin(b, nb, max, seed);
	from = *e;
	free(e->out);
	e = begin(a, na, max, seed);
	size_t i = rng_below(&e->r, e->n + 1), k = rng_below(&e->r, from.n + 1);
	if (chance(e, 3)) {
		struct str all = pieces(&from, 0, from.n),
			   head = STR_LIT(".address_size 64");
		size_t at = 0;
		while (at < all.n && !str_starts(str_sub(all, at, all.n), head.s))
			at++;
		put(e, e->in);
		put(e, str_sub(all, at + head.n < all.n ? at + head.n : 0, all.n));
	} else {
		put(e, pieces(e, 0, i));
		put(e, pieces(&from, k, some_end(&from, k)));
		put(e, pieces(e, i, e->n));
	}
	memcpy(out, e->out, e->n_out);
	free(e->out);
	return e->n_out;
}
