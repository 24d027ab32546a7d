/* The value of one kernel argument: text to the bytes of its parameter. */
#ifndef CMD_CHECK_VALUE_H
#define CMD_CHECK_VALUE_H

#include "gate/gate.h"

/* A number, bytes:HEX, ptr or unknown; false with *why when v cannot hold it. */
bool check_value(struct arena *a, const struct ptx_var *v, struct str text,
	struct gate_arg *out, struct str *why);

#endif
