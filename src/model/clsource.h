/*
 * OpenCL C that PTX was made of, carried at the end of that PTX as comments: the gate
 * judges the one, an OpenCL runtime builds the other, and they are one file, so that what
 * is measured cannot be another text than what was judged.
 *
 *     // lanewise/opencl.v1 -cl-std=CL1.2 -cl-mad-enable
 *     //|# 1 "reduce.cl"
 *     //|__kernel void reduce(...
 *
 * The text is preprocessed: nothing of this machine and no parameter is missing in it.
 */
#ifndef MODEL_CLSOURCE_H
#define MODEL_CLSOURCE_H

#include "base/buf.h"

struct clsource {
	struct str options; /* of the build, one line */
	struct str text;
};

void clsource_append(struct buf *ptx, const struct clsource *s);
/* False when it carries none. */
bool clsource_find(struct arena *a, struct str ptx, struct clsource *out);

/* Whether the text calls a function for sub-groups: one whose name OpenCL C 3.0
 * ("Subgroup Functions"), cl_khr_subgroup_* or cl_intel_subgroups gives or keeps for
 * them.  Literals and line markers are no calls. */
bool clsource_calls_subgroups(struct str text);

#endif
