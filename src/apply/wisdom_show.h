/* Wisdom for people. */
#ifndef APPLY_WISDOM_SHOW_H
#define APPLY_WISDOM_SHOW_H

#include "apply/wisdom.h"

/* A line an entry, under a heading for each kernel on each device. */
struct str wisdom_table(struct arena *a, const struct wisdom *w);

#endif
