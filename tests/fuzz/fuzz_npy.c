/* Any bytes as a .npy file, as an input and as expected outputs of every type. */
#include "backend/datafile.h"
#include "backend/ref.h"
#include "base/arena.h"
#include "format/npy.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* What is accepted lies within the bytes: a sanitizer sees when it does not. */
static void
read_all(struct arena *a, const struct datafile *f, uint64_t count)
{
	double *wide = arena_array(a, (size_t)count + 1, sizeof *wide);
	ref_widen(f->stored, f->data, count, wide);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct arena a = {0};
	struct str file = {(const char *)data, n}, why;
	struct datafile f;
	struct npy h;
	if (!npy_read(file, &h) && h.data_at > n)
		abort();
	for (unsigned t = 0; t < N_DTYPES; t++) {
		for (unsigned use = DATAFILE_INPUT; use <= DATAFILE_EXPECTED; use++) {
			bool ok = datafile_read(&a, "x.npy", file, (enum dtype)t, h.count,
				(enum datafile_use)use, &f, &why);
			if (ok != !why.n)
				abort();
			if (ok)
				read_all(&a, &f, h.count);
		}
	}
	arena_release(&a);
	return 0;
}
