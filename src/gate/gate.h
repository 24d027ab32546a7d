/*
 * The gate: is every barrier and every warp collective of a kernel reached convergently,
 * at this launch shape and with these arguments?  Pure: no files, no GPU.
 *
 * docs/SAFETY.md states the decision rule and its assumptions.
 */
#ifndef GATE_GATE_H
#define GATE_GATE_H

#include "model/verdict.h"
#include "ptx/ptx.h"
#include "simt/query.h"

/* Once per (module, entry): CFG, post-dominators, slice. */
struct gate_kernel;
/* NULL with a reason when there is no such entry.  An entry may be given by its mangled
 * name or, when unique, by its source name. `entry` empty: the only entry of the module.
 */
struct gate_kernel *gate_prepare(
	struct arena *a, const struct ptx_module *m, struct str entry, struct str *why);
struct str gate_entry_name(const struct gate_kernel *k);

/* The verdict (point is left empty).  Never fails: what cannot be judged is a caveat or
 * an error verdict with a finding. */
struct verdict gate_check(
	struct arena *a, const struct gate_kernel *k, const struct gate_query *q);

#endif
