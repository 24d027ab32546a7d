/* The gate and the interpreter asked about one random kernel. */
#ifndef PROP_COMPARISON_H
#define PROP_COMPARISON_H

#include "lane_run.h"
#include "model/verdict.h"

/* How they may disagree. */
enum wrong {
	AGREE,
	UNSOUND,         /* clean, and it goes wrong with some data */
	FALSE_REFUSAL,   /* refused, and it goes right with some data */
	FALSE_CONDITION, /* "refused if ..." holds, and the launch is not refused */
	NO_ANSWER,       /* error */
	NEEDLESS         /* a caveat where all data end alike */
};
const char *wrong_name(enum wrong w);

/* Needless caveats count as disagreements: to look at them. */
extern bool comparison_strict;

struct comparison {
	enum truth worst, best; /* over contents of memory and orders of arrival */
	bool condition;         /* a condition on arguments was stated, and it holds */
	struct verdict verdict;
	enum wrong wrong;
};

/* What the interpreter says; how many contents are tried depends on the kernel. */
void comparison_truth(const struct random_kernel *k, uint64_t seed, struct comparison *c);
/* What the gate says, with the arguments given or not; sets condition, verdict, wrong. */
void comparison_verdict(
	struct arena *a, const struct random_kernel *k, bool given, struct comparison *c);

/* Blanks what is not needed for the disagreement w. */
void comparison_shrink(struct random_kernel *k, uint64_t seed, bool given, enum wrong w);

/* The kernel on the standard error stream, in one piece that can be kept as a file of
 * tests/gate/found (tests/unit/test_gate_found.c). */
void comparison_print(struct arena *a, const struct random_kernel *k,
	const struct comparison *c, bool given, const char *title);

#endif
