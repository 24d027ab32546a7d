/*
 * Arrays in files: the elements one after the other, little endian, or .npy in C order.
 *
 * What may stand in a .npy for a type: f64 <f8; f32 and tf32 <f4; f16 <f2; bf16 <V2 (as
 * ml_dtypes saves it) or <u2, its bits; e4m3 and e5m2 <V1, <f1 or |u1; integers their
 * own. Expected outputs may be wider than the output, so that they can be more exact: any
 * float for a float, any integer for an integer (of no sign for u64, not <u8 for others).
 */
#ifndef BACKEND_DATAFILE_H
#define BACKEND_DATAFILE_H

#include "model/arg.h"

enum datafile_use {
	DATAFILE_INPUT,    /* the bytes of a buffer: .npy or raw, by the name's end */
	DATAFILE_EXPECTED, /* numbers: .npy */
};

struct datafile {
	enum dtype stored; /* of the elements in the file */
	const unsigned char *data;
};

/* The elements in a file's bytes, which stay where they are.  False with a reason that
 * names `path`: not such a file, another type, or not `count` elements. */
bool datafile_read(struct arena *a, const char *path, struct str bytes, enum dtype t,
	uint64_t count, enum datafile_use use, struct datafile *out, struct str *why);

/* Elements [first, first + n) of an argument with the fill `file`, in its storage type;
 * tf32 is rounded to its bits.  A file that cannot be read, or is not what the graph
 * found in its place, is the end of the process. */
void datafile_fill(const struct arg *v, uint64_t first, uint64_t n, void *to);
/* Dies unless the file's bytes have the hash that the argument names. */
void datafile_check(const struct arg *v);

#endif
