/*
 * print: prints a report to the terminal, once for each change of it.
 *
 * The one node that looks at the environment, because it is for eyes: under `lanewise
 * tune`, which prints the report itself, it keeps quiet.
 */
#include "base/hash.h"
#include "node/node.h"

#include <stdlib.h>

enum { REPORT };

static const struct node_word words[] = {
	[REPORT] = {"report", NODE_INPUT, true, false},
	{0},
};

static bool
compute(struct node_call *c, struct diag *d)
{
	(void)d;
	struct str text = node_file(c, REPORT)->bytes;
	if (!getenv("LANEWISE_FRONT_END"))
		printf("%.*s", STR_ARG(text));
	buf_addf(&c->out, "%s\n", hash_short(c->a, text, 16));
	return fflush(stdout) == 0;
}

const struct node node_print = {
	.name = "print",
	.about = "print a report",
	.revision = 1,
	.words = words,
	.local = true,
	.compute = compute,
};
