/*
 * How a kernel in C is called.  Its types, in the order of the spec's arguments, as one
 * word of the graph:
 *
 *     f32*,f32*,f32*,i32        a buffer ends in '*'
 *
 * A shared object has, beside the kernel, one function of our own that calls it:
 *
 *     void lanewise_host_call(void *const *lanewise_args)
 *
 * lanewise_args[i] is a buffer, or the address of a scalar.
 */
#ifndef MODEL_SIGNATURE_H
#define MODEL_SIGNATURE_H

#include "model/spec.h"

#define HOST_SYMBOL "lanewise_host_call"

/* What the compiler calls that text: errors in it are about the spec. */
#define SIGNATURE_CALL_NAME "the-arguments-of-the-spec"
/* The line there of the first argument; each has one of its own. */
enum { SIGNATURE_FIRST_LINE = 8 };
/* How the reason ends when the entry cannot be one. */
#define SIGNATURE_NO_NAME " is no name of a function in C"

struct str signature_text(struct arena *a, const struct kernel *k);

/*
 * The text of that function, to be compiled behind the kernel's own source, so that the
 * compiler checks the kernel's declaration against the spec.  False with a reason when
 * the signature is malformed or has a scalar that C has no type for (f16, bf16, ...).
 */
bool signature_call(struct arena *a, struct str signature, struct str entry,
	struct str *text, struct str *why);

#endif
