/*
 * How a kernel and a launch are told to 'check' and 'shapes', by flags or by the lines of
 * a batch: texts to what the gate takes.
 *
 * Nothing here exits or prints.  A function that finds the mistake returns false with
 * *why, which starts with the name of the option, without its dashes, so that the caller
 * can say where it stood.
 */
#ifndef CMD_CHECK_ARGS_H
#define CMD_CHECK_ARGS_H

#include "base/opt.h"
#include "cmd/check_kernel.h"

/* The options that both commands have, as written; NULL: not given. */
struct check_args {
	const char *entry, *cluster, *cc, *policy, *sites;
	long shared_bytes;
	bool cooperative;
	struct opt_list args; /* "N=VALUE" */
};

/* Rows of an option table; c: a static struct check_args. */
#define CHECK_ARGS_ENTRY(c) \
	{ \
		"entry", 'e', OPT_STR, &(c).entry, "NAME", \
			"the kernel, mangled or as in the source (default: the only " \
			"one)" \
	}
#define CHECK_ARGS_OPTS(c) \
	{"cluster", 0, OPT_STR, &(c).cluster, "X[,Y[,Z]]", "blocks of a cluster"}, \
		{"shared", 0, OPT_INT, &(c).shared_bytes, "BYTES", \
			"dynamic shared memory"}, \
		{"cooperative", 0, OPT_FLAG, &(c).cooperative, NULL, \
			"a cooperative launch"}, \
		{"cc", 0, OPT_STR, &(c).cc, "N.N", \
			"compute capability whose launch limits hold (default 9.0)"}, \
		{"arg", 'a', OPT_LIST, &(c).args, "N=VALUE", \
			"argument N, from 0: a number, bytes:HEX, ptr or unknown (the " \
			"default); may repeat"}, \
		{"exit-policy", 0, OPT_STR, &(c).policy, "strict|release", \
			"an exited thread is missing at a barrier (default), or a " \
			"caveat"}, \
	{ \
		"site-policy", 0, OPT_STR, &(c).sites, "strict|lenient", \
			"threads at different barrier instructions are refused " \
			"(default), or a caveat" \
	}

/* text NULL: it is needed. */
bool check_dim(struct arena *a, const char *option, const char *text, struct dim *out,
	struct str *why);
/* Was any of them given? */
bool check_args_any(const struct check_args *c);
/* All but the block and the grid. */
bool check_query(struct arena *a, const struct check_args *c,
	const struct check_kernel *k, struct gate_query *q, struct str *why);

#endif
