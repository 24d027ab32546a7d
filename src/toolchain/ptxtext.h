/* Text that claims to be PTX. */
#ifndef TOOLCHAIN_PTXTEXT_H
#define TOOLCHAIN_PTXTEXT_H

#include "base/str.h"

/* Does it start like a PTX module: comments, then .version and .target?  If not, *why
 * says what it is instead (a cubin, LLVM IR, nothing, ...). */
bool ptx_text_check(struct arena *a, struct str text, struct str *why);

#endif
