/* Decoding the spelling of an opcode; see ptx_ops.h for the tables. */
#ifndef PTX_FORM_H
#define PTX_FORM_H

#include "ptx/ptx.h"

/* text is kept in the form. */
struct ptx_form form_decode(struct str text);

/* A type, space or special register by its name without dot or percent; NONE/UNKNOWN. */
enum ptx_type ptx_type_of(struct str name);
enum ptx_space ptx_space_of(struct str name);
enum ptx_sreg ptx_sreg_of(struct str name);

#endif
