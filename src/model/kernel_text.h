/*
 * What the spec says of one kernel that decides what its candidates are, how they are
 * made, judged and launched, and what is looked for; in one order and without the user's
 * formatting.  Nothing of a device is in it: machines with different ones agree on it.
 */
#ifndef MODEL_KERNEL_TEXT_H
#define MODEL_KERNEL_TEXT_H

#include "model/spec.h"

struct str kernel_text(struct arena *a, const struct kernel *k);
/* Its hash, as pins.json has it. */
struct str kernel_text_hash(struct arena *a, const struct kernel *k);

#endif
