/* The table behind symbol.h. */
#ifndef GATE_INTERN_H
#define GATE_INTERN_H

#include "gate/symbol.h"

void intern_init(struct domain *d, struct arena *mem);

#endif
