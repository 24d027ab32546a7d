/*
 * One part of a space: parameters that constraints tie together, as a graph.
 *
 * A node stands for all partial assignments of the first parameters that allow the same
 * rest; its edges are the values of the next parameter that
 * lead to a candidate, in order.  Every path from the root to an end is one assignment.
 * What two partial assignments have in common is told by the registers that later
 * constraints read (space_code.h): after A * B <= 1024 and A * B * C <= 4096 were read up
 * to B, only the product counts.  Nodes with equal edges are one node.
 *
 * The order of parameters decides how large the graph is.  It is that of the spec, unless
 * that takes long: then it is one that keeps few constraints open (part_order.c), and
 * a graph with few enough assignments is made anew in the order of the spec
 * (part_sort.c).  What is left unordered is indexed more slowly (part_weigh.c).
 */
#ifndef SPACE_SPACE_PART_H
#define SPACE_SPACE_PART_H

#include "space/space.h"
#include "space/space_code.h"

#define PART_NONE UINT32_MAX

struct part_edge {
	uint64_t before; /* assignments by the edges before this one */
	uint32_t child;
	uint16_t value; /* index */
};

struct part_node {
	uint32_t first, n; /* edges; none: an end */
	uint64_t count;    /* assignments; saturates */
	uint32_t sizes;    /* admitted by at least one of them */
};

struct part {
	uint16_t *params; /* in the order of the graph */
	size_t n_params;
	bool ordered; /* that of the spec */
	bool sized;   /* sizes of its ends are those of the candidate; else bit 0 alone */
	struct part_node *nodes;
	size_t n_nodes, cap_nodes;
	struct part_edge *edges;
	size_t n_edges, cap_edges;
	uint32_t root;    /* PART_NONE: no assignment is left */
	uint16_t *failed; /* choices where a constraint has no value, or NULL; with: */
	size_t failed_rule, failed_size;
};

/* A register that must be true, or have no value. */
struct check {
	uint32_t reg;
	uint32_t sizes; /* that it removes when it is false */
	uint16_t rule;  /* index of the constraint */
	bool hint;      /* a part of a constraint that is checked whole later */
};

/* A constraint on two parameters, worked out for all their values. */
struct table {
	uint16_t from, to; /* in the order of ranks */
	size_t words;      /* of a row */
	uint64_t *rows;    /* row of a value of `from`: bits of the values of `to` */
};

/* Indices of the values that a parameter may take, ascending. */
struct domain {
	uint16_t *v;
	size_t n;
};

/* A kernel's constraints, ready to be counted. */
struct problem {
	struct arena *a;
	const struct kernel *k;
	const struct space_ask *ask;
	struct diag *d; /* may be NULL */
	struct domain domains[SPEC_PARAMS_MAX];
	struct reg *values[SPEC_PARAMS_MAX]; /* of every value of a parameter */
	struct code code;
	struct check *checks;
	size_t n_checks, cap_checks;
	struct table *tables;
	size_t n_tables, cap_tables;
	uint32_t sizes; /* all of the kernel's, less what constants remove */
	uint16_t ranks[SPEC_PARAMS_MAX];      /* per parameter: when it gets a value */
	uint16_t ranked[SPEC_PARAMS_MAX];     /* the parameter of a rank */
	unsigned char tries[SPEC_PARAMS_MAX]; /* of its part that took too long */
	uint64_t steps;                       /* taken so far */
	bool too_long, again;
};

/* Compiles the constraints, narrows the domains and works the tables out; false after a
 * diag_error. */
bool problem_prepare(struct problem *p);
/* After that: a parameter has no value left, or no size is. */
bool problem_is_empty(const struct problem *p);
/* Fills a part whose params and sized are set; p->too_long where that takes too long. A
 * trial is given up after one `share`th of the time. */
void part_fill(struct problem *p, struct part *part, unsigned share);
/* Ranks the parameters of a part anew: so that few constraints are open at a time, or
 * (spec) as in the spec. */
void part_order(struct problem *p, const struct part *part, bool spec);
/* Makes the graph of a part with few assignments anew, in the order of the spec. */
void part_sort(struct arena *a, struct part *part);
/* Assignments by the value of the parameter at one place of an unordered part, where some
 * of the others have values: fixed[place], or -1. by_value has room for n_values. */
void part_weigh(const struct part *part, const long *fixed, size_t place,
	uint64_t *by_value, size_t n_values);

/* Saturating. */
static inline uint64_t
count_sum(uint64_t x, uint64_t y)
{
	uint64_t r;
	return __builtin_add_overflow(x, y, &r) ? SPACE_MANY : r;
}

static inline uint64_t
count_product(uint64_t x, uint64_t y)
{
	uint64_t r;
	return __builtin_mul_overflow(x, y, &r) ? SPACE_MANY : r;
}

#endif
