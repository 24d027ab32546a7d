/* Time: monotonic nanoseconds, never wall-clock time of day. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

int64_t clock_ns(void);
void clock_sleep_ns(int64_t ns);

#endif
