/*
 * The starter spec of `lanewise init`: what can be read from the PTX and the source, with
 * guesses marked "check" where neither says.  The text is accepted by spec_read as it is.
 */
#ifndef TOOLCHAIN_STARTER_H
#define TOOLCHAIN_STARTER_H

#include "ptx/ptx.h"
#include "toolchain/cuscan.h"

/* A macro that a kernel depends on: a parameter; or that only the rest of its file needs.
 */
struct starter_macro {
	struct str name;
	int64_t value; /* that was used */
	bool fixed;    /* it has this value alone */
};

struct starter_kernel {
	const struct ptx_func *f;         /* NULL: a function in C */
	const struct scan_kernel *source; /* NULL: not found in the source */
	struct starter_macro *macros;
	size_t n_macros;
	bool bounds_vary; /* those of its block follow a macro */
};

struct starter {
	const char *source;    /* path relative to the spec */
	const char *language;  /* "cuda", "opencl", "c", "ptx" */
	const char *toolchain; /* to be named in the spec; NULL: not */
	const char *device;    /* the same */
	const char *const
		*includes; /* -I folders relative to the spec; NULL-terminated */
	const struct ptx_module *ptx; /* NULL: in C */
	size_t dynamic_shared_bytes;  /* of an element; 0: not known */
};

/* Entries that the module defines; at most max are stored. */
size_t starter_entries(const struct ptx_module *m, const struct ptx_func **v, size_t max);

/* The whole spec for n kernels.  False with a reason when one takes a parameter that a
 * spec cannot express (a structure by value). */
bool starter_write(struct arena *a, const struct starter *s,
	const struct starter_kernel *v, size_t n, struct str *out, struct str *why);
/* What a spec calls the types of a function's arguments (model/signature.h); false with a
 * reason when it cannot. */
bool starter_signature(
	struct arena *a, const struct scan_kernel *k, struct str *out, struct str *why);

/* A value to try for a macro that has to be defined: 128 for sizes of tiles and blocks, 4
 * for what looks like a factor. */
int64_t starter_guess(struct str macro);

#endif
