/*
 * Files of data that a point needs: contents of inputs, and expected outputs.  They are
 * looked at here, so that what does not fit is told before anything is built.
 */
#ifndef GRAPH_POINT_FILES_H
#define GRAPH_POINT_FILES_H

#include "graph/leaf.h"
#include "model/candidate.h"

/* NULL-terminated; NULL when there are none. */
struct point_files {
	const char *const
		*inputs;        /* staged, one for each argument with the fill `file` */
	const char *const *npy; /* staged, one for each output, if the spec has 'npy' */
	struct str npy_hashes;  /* of their contents, in one word */
};

/* Sets file and hash of the arguments that come from files to what is staged.  False
 * after a diag_error where the spec names the file. */
bool point_files(struct arena *a, struct leaves *l, const struct scope *s,
	struct arg *args, size_t n, struct point_files *out, struct diag *d);

#endif
