/*
 * Functions whose use is a compile error: unbounded writes, silent conversions,
 * hidden state.  Included on every compiler command line (-include).
 */
#ifndef BASE_BANNED_H
#define BASE_BANNED_H

/* The headers come first: poisoning a name before its declaration would break them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#pragma GCC poison strcpy strcat strncpy strncat strtok sprintf vsprintf atoi atol atof
#pragma GCC poison system popen rand srand gmtime localtime ctime asctime mktemp tmpnam

#endif
