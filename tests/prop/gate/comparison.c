#include "comparison.h"

#include "base/buf.h"
#include "base/diag.h"
#include "gate/gate.h"

enum { MEMORIES = 5, ORDERS = 4 };

bool comparison_strict;

const char *
wrong_name(enum wrong w)
{
	static const char *const names[] = {[AGREE] = "agreement",
		[UNSOUND] = "clean, and it is a hazard",
		[FALSE_REFUSAL] = "refused, and it is fine",
		[FALSE_CONDITION] =
			"a condition for a refusal holds, and it is not refused",
		[NO_ANSWER] = "an error",
		[NEEDLESS] = "a needless caveat"};

	return names[w];
}

/* ---- the interpreter ---- */

static void
fill(struct rng *r, struct memory *m, unsigned round)
{
	/* one number everywhere, or -1 */
	static const int same[MEMORIES] = {-1, 0, 3, -1, 1000};
	static const uint32_t uniform[] = {0, 1, 2, 3, 5}, each[] = {0, 1, 2, 3, 4, 7};

	for (unsigned i = 0; i < UNIFORM_WORDS; i++) {
		uint64_t x = rng_below(r, 5);

		m->word[i] = same[round] >= 0 ? (uint32_t)same[round] : uniform[x];
	}
	for (unsigned t = 0; t < THREADS_MAX; t++)
		for (unsigned i = 0; i < LANE_WORDS; i++) {
			uint64_t x = rng_below(r, 6);

			m->lane[t][i] = same[round] >= 0 ? (uint32_t)same[round]
					: round == 3     ? 1
							 : each[x];
		}
	for (unsigned i = 0; i < SHARED_WORDS; i++)
		m->shared[i] = (uint32_t)rng_below(r, 4);
	m->atomics = rng_next(r);
	m->atomic = same[round];
}

void
comparison_truth(const struct random_kernel *k, uint64_t seed, struct comparison *c)
{
	unsigned memories = k->data || comparison_strict ? MEMORIES : 1,
		 orders = k->named ? ORDERS : 1;
	struct rng r = {seed};
	static struct memory mem;

	*c = (struct comparison){.worst = FINE, .best = HAZARD};
	for (unsigned i = 0; i < memories; i++) {
		enum truth worst = FINE;

		fill(&r, &mem, i);
		for (unsigned o = 0; o < orders; o++) {
			enum truth t = lane_run(k, &mem, o);

			worst = t > worst ? t : worst;
		}
		c->worst = worst > c->worst ? worst : c->worst;
		c->best = worst < c->best ? worst : c->best;
		if (worst == TOO_LONG)
			return;
	}
}

/* ---- the gate ---- */

static struct verdict
ask(struct arena *a, const struct random_kernel *k, bool given)
{
	struct diag d = {0};
	struct source src = {"k.ptx", random_kernel_ptx(a, k)};
	struct str why = {0};
	unsigned char bytes[2][4];
	struct gate_arg args[3] = {{GATE_ARG_POINTER, NULL, 0}};
	struct gate_query q = {
		.launch = {.block = {k->block[0], k->block[1], k->block[2]},
			.grid = {k->grid[0], k->grid[1], k->grid[2]},
			.cluster = {1, 1, 1}},
		.args = args,
		.n_args = 3};

	for (int i = 0; i < 2; i++) {
		for (int j = 0; j < 4; j++)
			bytes[i][j] = (unsigned char)(k->args[i] >> (8 * j));
		if (given)
			args[i + 1] = (struct gate_arg){GATE_ARG_BYTES, bytes[i], 4};
	}
	const struct ptx_module *m = ptx_parse(a, &src, &d);
	struct gate_kernel *g = m ? gate_prepare(a, m, STR_LIT("k"), &why) : NULL;
	return g ? gate_check(a, g, &q) : (struct verdict){.kind = VERDICT_ERROR};
}

/* Refused only because another order of arrivals might go wrong: a few orders that do
 * not prove nothing. */
static bool
depends_on_order(const struct verdict *v)
{
	static const char *const rules[] = {"LW012", "LW013", "LW014", "LW015"};

	for (size_t i = 0; i < v->n_findings; i++) {
		bool timing = v->findings[i].kind != VERDICT_REFUSED;

		for (size_t k = 0; k < sizeof rules / sizeof *rules; k++)
			timing = timing || str_is(v->findings[i].rule, rules[k]);
		if (!timing)
			return false;
	}
	return true;
}

/* "argument 1 >= 3 as unsigned and ..." of these arguments; false if it says more. */
static bool
condition_holds(const char *c, const uint32_t args[2])
{
	static const char *const words[] = {"== ", "!= ", "<= ", ">= ", "< ", "> "};

	for (;;) {
		char *end;
		size_t w = 0;
		bool is[6];

		if (strncmp(c, "argument ", 9) != 0 || (c[9] != '1' && c[9] != '2'))
			return false;
		uint32_t arg = args[c[9] - '1'];
		while (w < 6 && strncmp(c + 11, words[w], strlen(words[w])) != 0)
			w++;
		if (w == 6)
			return false;
		long long x = strtoll(c + 11 + strlen(words[w]), &end, 10);
		bool big = !strncmp(end, " as unsigned", 12);
		long long v = big ? (long long)arg : (long long)(int32_t)arg;
		is[0] = v == x;
		is[1] = v != x;
		is[2] = v <= x;
		is[3] = v >= x;
		is[4] = v < x;
		is[5] = v > x;
		if (!is[w])
			return false;
		end += big ? 12 : 0;
		if (strncmp(end, " and ", 5) != 0)
			return *end == '\0' || *end == ';';
		c = end + 5;
	}
}

/* A finding says that the launch is refused with these arguments. */
static bool
states_condition(struct arena *a, const struct verdict *v, const uint32_t args[2])
{
	for (size_t i = 0; i < v->n_findings; i++) {
		const char *m = str_c(a, v->findings[i].message);
		const char *at = strstr(m, "; refused if ");

		if (at && condition_holds(at + 13, args))
			return true;
	}
	return false;
}

void
comparison_verdict(
	struct arena *a, const struct random_kernel *k, bool given, struct comparison *c)
{
	c->verdict = ask(a, k, given);
	c->condition = !given && c->verdict.kind == VERDICT_CAVEAT &&
		       states_condition(a, &c->verdict, k->args);
	c->wrong = AGREE;
	if (c->verdict.kind == VERDICT_ERROR)
		c->wrong = NO_ANSWER;
	else if (c->worst == HAZARD && c->verdict.kind == VERDICT_CLEAN)
		c->wrong = UNSOUND;
	else if (c->best == FINE && c->verdict.kind == VERDICT_REFUSED &&
		 !depends_on_order(&c->verdict))
		c->wrong = FALSE_REFUSAL;
	else if (c->condition && ask(a, k, true).kind != VERDICT_REFUSED)
		c->wrong = FALSE_CONDITION;
	else if (comparison_strict && given && c->verdict.kind == VERDICT_CAVEAT &&
		 c->best == c->worst && (c->worst == FINE || c->worst == HAZARD))
		c->wrong = NEEDLESS;
}

/* ---- making it smaller ---- */

static bool
still_wrong(const struct random_kernel *k, uint64_t seed, bool given, enum wrong w)
{
	struct arena a = {0};
	struct comparison c;

	comparison_truth(k, seed, &c);
	if (c.worst == TOO_LONG)
		return false;
	comparison_verdict(&a, k, given, &c);
	arena_release(&a);
	return c.wrong == w;
}

static void
blank_unit(struct code *c, uint32_t unit)
{
	for (unsigned i = 0; i < c->n; i++)
		if (unit && c->v[i].unit == unit)
			c->v[i].op = INS_NOTHING;
}

/* Blanks n instructions from i on, and puts them back if that was too much. */
static bool
try_blank(struct random_kernel *k, unsigned func, unsigned i, unsigned n, uint64_t seed,
	bool given, enum wrong w)
{
	static struct ins saved[CODE_MAX];
	struct code *c = &k->func[func];
	bool some = false;

	memcpy(saved, c->v, sizeof saved);
	for (unsigned j = i; j < i + n && j < c->n; j++) {
		some = some || (c->v[j].op != INS_LABEL && c->v[j].op != INS_NOTHING);
		if (c->v[j].op != INS_LABEL)
			c->v[j].op = INS_NOTHING;
		/* in part it would be a data race */
		blank_unit(c, c->v[j].unit);
	}
	if (some && still_wrong(k, seed, given, w))
		return true;
	memcpy(c->v, saved, sizeof saved);
	return false;
}

void
comparison_shrink(struct random_kernel *k, uint64_t seed, bool given, enum wrong w)
{
	for (unsigned n = 64; n; n /= 2)
		for (unsigned f = 0; f < k->n_funcs; f++)
			for (unsigned i = 0; i < k->func[f].n; i += n)
				try_blank(k, f, i, n, seed, given, w);
	for (unsigned axis = 0; axis < 2; axis++) {
		uint32_t was = k->grid[axis];

		k->grid[axis] = 1;
		if (!still_wrong(k, seed, given, w))
			k->grid[axis] = was;
	}
}

void
comparison_print(struct arena *a, const struct random_kernel *k,
	const struct comparison *c, bool given, const char *title)
{
	struct buf b = {.a = a};
	struct launch l = {.block = {k->block[0], k->block[1], k->block[2]},
		.grid = {k->grid[0], k->grid[1], k->grid[2]},
		.cluster = {1, 1, 1}};
	const char *right = c->worst == FINE     ? "clean"
			    : c->best == HAZARD  ? "refused"
			    : c->worst == HAZARD ? "caveat"
						 : "clean caveat refused";

	buf_addf(&b, "// %.*s ", STR_ARG(launch_text(a, &l)));
	if (given)
		buf_addf(&b, "%u %u ", (unsigned)k->args[0], (unsigned)k->args[1]);
	else
		buf_adds(&b, "- - ");
	buf_addf(&b, "%s\n// %s: %s\n", right, title, wrong_name(c->wrong));
	for (size_t i = 0; i < c->verdict.n_findings; i++)
		buf_addf(&b, "// %.*s at PTX line %u: %.*s\n",
			STR_ARG(c->verdict.findings[i].rule),
			(unsigned)c->verdict.findings[i].ptx_line,
			STR_ARG(c->verdict.findings[i].message));
	buf_addstr(&b, random_kernel_ptx(a, k));
	fwrite(b.s, 1, b.n, stderr);
	fflush(stderr);
}
