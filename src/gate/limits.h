/*
 * Launch limits: what the driver refuses before a thread runs.
 *
 * Source: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability";
 * PTX ISA, ".maxntid", ".reqntid", ".reqnctapercluster", ".maxclusterrank".
 */
#ifndef GATE_LIMITS_H
#define GATE_LIMITS_H

#include "gate/gate.h"
#include "simt/rules.h"

struct limit_break {
	enum gate_rule rule;
	struct str message;
};

enum { LIMIT_BREAKS_MAX = 16 };

/* The limits that the launch breaks; returns how many. */
size_t limits_check(struct arena *a, const struct ptx_module *m, const struct ptx_func *f,
	const struct gate_query *q, struct limit_break out[LIMIT_BREAKS_MAX]);

#endif
