/* Time: monotonic nanoseconds, and the date for records that people date. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

int64_t clock_ns(void);
void clock_sleep_ns(int64_t ns);
/* Now in UTC as "2026-01-31T23:59:59Z" into out; the time that SOURCE_DATE_EPOCH holds,
 * if it is set (reproducible-builds.org). */
enum { CLOCK_DATE = 20 };
void clock_date(char out[CLOCK_DATE + 1]);
/* True for such a text. */
bool clock_is_date(const char *s, size_t n);

#endif
