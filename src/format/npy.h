/*
 * The header of a .npy file (NumPy's lib.format, versions 1.0, 2.0 and 3.0):
 *
 *     "\x93NUMPY" MAJOR MINOR, its length (2 bytes, from 2.0 on 4, little endian),
 *     {'descr': '<f4', 'fortran_order': False, 'shape': (128, 64), }, spaces, newline
 *     the elements
 */
#ifndef FORMAT_NPY_H
#define FORMAT_NPY_H

#include "base/str.h"

struct npy {
	struct str descr; /* "<f4" */
	char order;       /* '<' or '|': little endian or a byte; '>' */
	char kind;        /* 'f', 'i', 'u', 'b', 'V', ... */
	uint64_t bytes;   /* of an element; 1 to 2^16 */
	bool fortran;     /* columns first, and that makes a difference */
	uint64_t count;   /* elements, at most 2^48 */
	size_t data_at;
};

/* Of a file's bytes, or of as many as it begins with.  NULL, or what is wrong: "is no
 * .npy file", words to follow the file's name. */
const char *npy_read(struct str file, struct npy *out);

#endif
