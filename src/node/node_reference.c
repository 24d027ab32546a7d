/*
 * reference: what the oracle says the outputs of one argument list are.  An oracle that
 * fails leaves a reference that says so, and no candidate passes for verified.
 */
#include "backend/ref.h"
#include "base/arena.h"
#include "node/node.h"
#include "node/oraclerun.h"

enum { KERNEL, ORACLE, FUNCTION, ARGS, SEED, TIMEOUT };

static const struct node_word words[] = {
	[KERNEL] = {"kernel", NODE_NOTE, false, false},
	[ORACLE] = {"oracle", NODE_INPUT, true, false},
	[FUNCTION] = {"function", NODE_PARAM, false, false},
	[ARGS] = {"args", NODE_PARAM, true, false},
	[SEED] = {"seed", NODE_PARAM, true, false},
	[TIMEOUT] = {"timeout", NODE_NOTE, false, false},
	{0},
};

/* Oracles are slow and obvious; ten minutes is for those that do not end. */
static const double TIMEOUT_S = 600;

static bool
malformed(struct node_call *c, int word, struct str why, struct diag *d)
{
	diag_error(d, (struct place){0}, "reference: malformed '--%s %.*s': %.*s",
		words[word].name, STR_ARG(node_word(c, (size_t)word)), STR_ARG(why));
	return false;
}

static bool
check_values(const struct arg *v, size_t n, struct arena *a, struct str *why)
{
	for (size_t i = 0; i < n; i++) {
		if (v[i].pointer || v[i].known)
			continue;
		*why = str_fmt(a, "argument '%.*s' has no value; give it one in the spec",
			STR_ARG(v[i].name));
		return false;
	}
	return true;
}

static void
put(struct node_call *c, const struct arg *v, size_t n, struct str outputs)
{
	buf_addstr(&c->out, ref_header(c->a, "oracle", v, n));
	buf_addstr(&c->out, outputs);
}

static bool
compute(struct node_call *c, struct diag *d)
{
	struct arg *v;
	size_t n;
	uint64_t seed;
	double timeout_s = TIMEOUT_S;
	struct str why = {0}, outputs = {0};
	struct str function = node_word(c, FUNCTION);
	if (!args_parse(c->a, node_word(c, ARGS), &v, &n, &why))
		return malformed(c, ARGS, why, d);
	if (!str_to_u64(node_word(c, SEED), &seed))
		return malformed(c, SEED, STR_LIT("not a number"), d);
	if (c->n[TIMEOUT] && (!str_to_f64(node_word(c, TIMEOUT), &timeout_s) ||
				     timeout_s <= 0 || timeout_s > 1e6))
		return malformed(c, TIMEOUT, STR_LIT("not a time in seconds"), d);
	if (!function.n)
		function = STR_LIT("lanewise_oracle");
	if (check_values(v, n, c->a, &why) &&
		oracle_run(c->a, node_file(c, ORACLE)->path, str_c(c->a, function), v, n,
			seed, (int64_t)(timeout_s * 1e9), &outputs, &why)) {
		put(c, v, n, outputs);
		return true;
	}
	buf_addstr(&c->out, ref_failure(c->a, "oracle", why));
	c->status = STR_LIT("failed");
	c->detail = why;
	c->no_cache = true;
	return true;
}

const struct node node_reference = {
	.name = "reference",
	.about = "ask the oracle what the outputs of one argument list are",
	.revision = 1,
	.words = words,
	.compute = compute,
};
