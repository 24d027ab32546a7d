/* .npy files for tests, from the words of their header. */
#ifndef TESTS_UNIT_NPY_TEXT_H
#define TESTS_UNIT_NPY_TEXT_H

#include "base/arena.h"
#include "base/buf.h"

/* Version `major`, the header as it is given, then the data. */
static inline struct str
npy_text(struct arena *a, unsigned major, const char *dict, const void *data, size_t n)
{
	struct buf b = {.a = a};
	size_t length = strlen(dict);
	buf_add(&b, "\x93NUMPY", 6);
	buf_addc(&b, (char)major);
	buf_addc(&b, 0);
	for (unsigned i = 0; i < (major == 1 ? 2u : 4u); i++)
		buf_addc(&b, (char)(length >> 8 * i));
	buf_adds(&b, dict);
	buf_add(&b, data, n);
	return buf_str(&b);
}

/* A row of elements of that description, as NumPy writes it. */
static inline struct str
npy_row(struct arena *a, const char *descr, size_t count, const void *data, size_t n)
{
	return npy_text(a, 1,
		str_fmt(a,
			"{'descr': '%s', 'fortran_order': False, 'shape': (%zu,), }  \n",
			descr, count)
			.s,
		data, n);
}

#endif
