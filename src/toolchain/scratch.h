/*
 * A private folder for the files of one compiler run, below $TMPDIR or /tmp.  Its name is
 * random, so it must not reach an output: scratch_hide() takes it out of a text.
 */
#ifndef TOOLCHAIN_SCRATCH_H
#define TOOLCHAIN_SCRATCH_H

#include "base/str.h"

/* Absolute path of a new folder; dies if none can be made. */
char *scratch_make(struct arena *a);
/* Removes the folder and the plain files in it. */
void scratch_remove(struct arena *a, const char *dir);
/* text without any "DIR/". */
struct str scratch_hide(struct arena *a, struct str text, const char *dir);

#endif
