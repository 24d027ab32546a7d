/*
 * The starter spec of `lanewise init`: what can be read from the PTX and the source, with
 * guesses marked "check" where neither says.  The text is accepted by spec_read as it is.
 */
#ifndef TOOLCHAIN_STARTER_H
#define TOOLCHAIN_STARTER_H

#include "ptx/ptx.h"
#include "toolchain/cuscan.h"

struct starter {
	const char *source;    /* path relative to the spec */
	const char *language;  /* "cuda", "ptx" */
	const char *toolchain; /* to be named in the spec; NULL: not */
	const char *const
		*includes; /* -I folders relative to the spec; NULL-terminated */
	const struct ptx_module *ptx;
	struct scan scan;          /* of the source; empty for PTX */
	struct scan_macro *macros; /* compile parameters and the values that were used */
	size_t n_macros;
};

/* Entries that the module defines; at most max are stored. */
size_t starter_entries(const struct ptx_module *m, const struct ptx_func **v, size_t max);

/* The whole spec for n entries.  False with a reason when a kernel takes a parameter that
 * a spec cannot express (a structure by value). */
bool starter_write(struct arena *a, const struct starter *s,
	const struct ptx_func *const *v, size_t n, struct str *out, struct str *why);

/* A value to try for a macro that has to be defined: 128 for sizes of tiles and blocks, 4
 * for what looks like a factor. */
int64_t starter_guess(struct str macro);

#endif
