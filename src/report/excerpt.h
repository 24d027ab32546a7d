/*
 * Lines of the sources that findings name, each file read once.  A relative name is one
 * from the current folder, or else from the folder of the PTX.  What is not there, is no
 * regular file or has no such line is an empty line: a report never fails for that.
 */
#ifndef REPORT_EXCERPT_H
#define REPORT_EXCERPT_H

#include "base/diag.h"
#include "base/map.h"

struct excerpts {
	struct arena *a;
	const char *dir; /* of the PTX */
	struct map files;
	struct source *v; /* by the index in files; an empty text: none */
	size_t cap;
};

/* ptx: the path of the PTX; NULL: only the current folder counts. */
struct excerpts excerpts_begin(struct arena *a, const char *ptx);
struct str excerpts_line(struct excerpts *e, struct str file, uint32_t line);

/* The path the file was found at, or its name as it is. */
struct str excerpts_path(struct excerpts *e, struct str file);

#endif
