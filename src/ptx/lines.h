/*
 * Where PTX came from.
 *
 * Line information is kept out of the PTX that the graph builds from, so that moving a
 * comment in a source changes no byte of it: `lower` splits the compiler's output into
 * stripped PTX and a line map, and only witnesses and reports read the map.
 *
 * A map is text:
 *
 *     lanewise/lines.v1
 *     file 1 reduce.cu
 *     file 2 /usr/local/cuda/include/sm_30_intrinsics.hpp
 *     41 1:17
 *     44 2:136 @ 1:23
 *     60 -
 *
 * PTX line 44 of the stripped text is line 136 of file 2, inlined at line 23 of file 1.
 * Further `@` are the callers of callers, outermost last.  Only lines where the place
 * changes are listed; it holds until the next listed line.  `60 -`: unknown from there.
 * Files are numbered by first mention.
 */
#ifndef PTX_LINES_H
#define PTX_LINES_H

#include "ptx/ptx.h"

/* A place in a source file; line 0 is unknown. */
struct ptx_where {
	struct str file;
	uint32_t line;
};

struct ptx_split {
	/* Without .loc, .file, .section .debug* and debug-only labels, and without the
	 * "debug" of .target, so that ptxas optimises what was compiled with -G. */
	struct str ptx;
	struct str lines; /* the map */
};

/* strip_prefix ("/home/me/project/", may be empty) is cut off the front of file names.
 * Any text is taken; what is not recognised is kept. */
struct ptx_split ptx_split_lines(
	struct arena *a, struct str text, struct str strip_prefix);

struct ptx_line {
	uint32_t ptx_line;    /* first line it holds for */
	uint32_t n;           /* 0: unknown from here on */
	struct ptx_where *at; /* innermost first, outermost last */
};

struct ptx_lines {
	struct ptx_line *v; /* ascending ptx_line */
	size_t n;
};

/* Reads a map back; false (reported) if malformed. */
bool ptx_lines_read(
	struct arena *a, const struct source *src, struct diag *d, struct ptx_lines *out);

/* The places of a PTX line, or NULL. */
const struct ptx_line *ptx_lines_find(const struct ptx_lines *l, uint32_t ptx_line);

/* The same for an instruction of a module that still has its .loc; n 0 if there is none.
 */
struct ptx_line ptx_line_of(
	struct arena *a, const struct ptx_module *m, const struct ptx_ins *ins);

/*
 * The place to show a user: the innermost one in the file of the outermost, which is the
 * kernel's own.  For a barrier in a helper of that file it is the barrier; for one in a
 * header (__syncwarp is a function of CUDA's headers, sync_threads of a Rust crate) it is
 * the line that called it.  line 0 if there is none.
 */
struct ptx_where ptx_line_shown(const struct ptx_line *l);
/* The same for an instruction of a module that still has its .loc. */
struct ptx_where ptx_where_of(const struct ptx_module *m, const struct ptx_ins *ins);

#endif
