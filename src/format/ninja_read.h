/*
 * Reads back the Ninja files that lanewise writes: statements `build`, `rule`, `pool`,
 * `include`, `subninja`, `default` and variables, evaluated as Ninja does (the manual's
 * "Evaluation and scoping").  What Ninja would refuse may pass; what is not understood
 * makes the whole reading fail.
 */
#ifndef FORMAT_NINJA_READ_H
#define FORMAT_NINJA_READ_H

#include "base/map.h"

struct ninja_scope {
	const struct ninja_scope *parent;
	struct map names; /* of variables */
	struct str *values;
	size_t cap;
	struct map rules;
	struct ninja_rule *rule;
	size_t cap_rules;
};

struct ninja_binding {
	struct str name, value; /* of a rule: not evaluated yet */
};

struct ninja_rule {
	struct str name;
	struct ninja_binding *v;
	size_t n, cap;
};

struct ninja_statement {
	const struct ninja_rule *rule; /* NULL: phony */
	const struct ninja_scope *scope;
	struct str *outs, *ins; /* explicit, implicit, order-only, back to back */
	size_t n_outs, n_explicit_outs;
	size_t n_ins, n_explicit_ins, n_order_ins;
	struct ninja_binding *v; /* evaluated */
	size_t n, cap;
};

struct ninja_graph {
	struct ninja_statement *v; /* in the order of the files */
	size_t n, cap;
	struct map outs; /* every output; by index: */
	uint32_t *maker; /* the statement it is of */
	size_t cap_maker;
};

/* False when a file cannot be read or understood. */
bool ninja_read(struct arena *a, const char *file, struct ninja_graph *g);
/* A variable of a build statement: "command", "rspfile_content", "dyndep"; empty when it
 * has none. */
struct str ninja_get(struct arena *a, const struct ninja_statement *s, const char *name);
/* The words of a command line, as the shell splits it: quotes, no expansion.  False when
 * there is more to it. */
bool ninja_shell_split(
	struct arena *a, struct str command, const char ***words, size_t *n);

#endif
