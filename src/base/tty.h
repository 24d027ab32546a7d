/* The terminal: is a stream one, how wide is it. */
#ifndef BASE_TTY_H
#define BASE_TTY_H

#include <stdbool.h>

/* True when fd is a terminal that understands cursor movement (TERM is not "dumb"). */
bool tty_is(int fd);
/* Columns; 80 when unknown. */
int tty_width(int fd);

#endif
