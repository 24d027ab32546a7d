/*
 * Whether two compilations of a source, with different values of a macro, made the same
 * of a kernel: then the macro is no parameter of it.
 */
#ifndef TOOLCHAIN_SAMECODE_H
#define TOOLCHAIN_SAMECODE_H

#include "ptx/ptx.h"

/* The kernel of this name, what it may call, and the memory that they share: equal
 * instruction by instruction.  False also when one has no such kernel. */
bool same_code(const struct ptx_module *m, const struct ptx_module *n, struct str name);

#endif
