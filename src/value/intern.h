/* The table behind symbol.h. */
#ifndef VALUE_INTERN_H
#define VALUE_INTERN_H

#include "value/symbol.h"

void intern_init(struct domain *d, struct arena *mem);

#endif
