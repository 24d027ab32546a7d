/* A PTX file read and one of its kernels made ready for the gate. */
#ifndef CMD_CHECK_KERNEL_H
#define CMD_CHECK_KERNEL_H

#include "gate/gate.h"

struct check_kernel {
	const char *path;
	const struct ptx_module *m;
	const struct ptx_func *f;
	const struct gate_kernel *k;
};

/* NULL with *why when it cannot be read, and with *why empty after a diag_error. */
const struct ptx_module *check_read(
	struct arena *a, const char *path, struct diag *d, struct str *why);
/* entry as in gate_prepare.  False with *why. */
bool check_prepare(struct arena *a, const struct ptx_module *m, struct str entry,
	struct check_kernel *out, struct str *why);
/* Both; what is wrong with the file ends the program (exit 2). */
struct check_kernel check_open(struct arena *a, const char *path, const char *entry);

/* Many launches follow: the memory of one is kept for the next. */
void check_keep_memory(void);

#endif
