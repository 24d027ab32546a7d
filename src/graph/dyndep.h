/*
 * What dyndep files say, which are the .dd files of the gate: inputs that outputs have
 * beyond those of the manifest, as far as candidates were admitted.
 */
#ifndef GRAPH_DYNDEP_H
#define GRAPH_DYNDEP_H

#include "base/map.h"
#include "node/inputs.h"

struct dyndep {
	struct arena *a;
	struct inputs *inputs; /* what is an input twice is shared there */
	struct map files;      /* that were read */
	struct map wanted;     /* all inputs */
	struct map outs;
	struct str *ins; /* by index in outs: the rest of the line */
	size_t cap;
};

/* Nothing is read yet. */
struct dyndep dyndep_new(struct arena *a, struct inputs *inputs);
/* Reads a file, once; one that is not there says nothing.  The path is not copied. */
void dyndep_read(struct dyndep *d, struct str path);
/* Is it an input of any output? */
bool dyndep_wants(const struct dyndep *d, struct str path);
/* The inputs of an output, with blanks between them; false when no file told. */
bool dyndep_inputs(const struct dyndep *d, struct str out, struct str *ins);

#endif
