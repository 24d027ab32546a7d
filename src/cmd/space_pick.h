/* Assignments that are written on the command line: "BLOCK=64,TILE=128". */
#ifndef CMD_SPACE_PICK_H
#define CMD_SPACE_PICK_H

#include "model/spec.h"

/* Per parameter the index of the value that the text gives it, or -1; values as labels
 * write them. False after a diag_error that names the option and its text. */
bool space_pick(struct arena *a, const struct kernel *k, const char *option,
	const char *text, long *only, struct diag *d);
/* Has the kernel all parameters that the text names? */
bool space_pick_fits(const struct kernel *k, const char *text);

#endif
