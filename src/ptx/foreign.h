/* Files that are no PTX text, told by how they begin: for a message that helps. */
#ifndef PTX_FOREIGN_H
#define PTX_FOREIGN_H

#include "base/str.h"

/* What it is and what to do with it, or NULL when it may be PTX. */
const char *foreign_text(struct str text);

#endif
