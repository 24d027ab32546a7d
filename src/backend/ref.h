/*
 * Expected outputs of one argument list: schema lanewise/ref.v1.
 *
 *     {"schema":"lanewise/ref.v1","by":"oracle","failed":null,"outputs":[
 *      {"name":"out","type":"f32","count":8192,"store":"f64"}]}     (one line)
 *     spaces up to a multiple of 64 bytes, a newline as the last of them
 *     the arrays, one after the other, little endian, 8 bytes an element:
 *     f64 for float types, i64 for integer types (u64 as its bits)
 *
 * A reference that could not be made is a fact too: "failed" says why, and there are no
 * arrays.
 */
#ifndef BACKEND_REF_H
#define BACKEND_REF_H

#include "model/arg.h"

struct ref_output {
	struct str name;
	enum dtype type;
	uint64_t count;
	const void *data;            /* double[] or int64_t[] */
	const struct tolerance *own; /* the argument's; NULL: it has none */
};

struct ref {
	struct str by;        /* "oracle", "npy" or "baseline" */
	struct str failed;    /* why there is none; empty when there is */
	struct ref_output *v; /* in the order of the arguments */
	size_t n;
	const void *mapped; /* the file */
	size_t mapped_bytes;
};

/* Bytes of the arrays of a list's outputs. */
uint64_t ref_data_bytes(const struct arg *args, size_t n);
/* The header of a reference to args, padded; the arrays follow it. */
struct str ref_header(struct arena *a, const char *by, const struct arg *args, size_t n);
/* The whole file of a reference that could not be made. */
struct str ref_failure(struct arena *a, const char *by, struct str reason);

/* Opens a file that stays mapped until ref_close(); false with a reason when it is
 * damaged or not the reference of these arguments (to be closed, too). */
bool ref_open(struct arena *a, const char *path, const struct arg *args, size_t n,
	struct ref *out, struct str *why);

/* The data are gone; closing what is not open is fine. */
void ref_close(struct ref *r);

/* n elements in storage to the 8-byte form. */
void ref_widen(enum dtype t, const void *from, uint64_t n, void *to);

#endif
