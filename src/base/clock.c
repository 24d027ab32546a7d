#include "base/clock.h"

#include "base/str.h"

#include <stdlib.h>
#include <time.h>

int64_t
clock_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void
clock_sleep_ns(int64_t ns)
{
	struct timespec t = {ns / 1000000000, ns % 1000000000};
	nanosleep(&t, NULL);
}

void
clock_date(char out[CLOCK_DATE + 1])
{
	const char *given = getenv("SOURCE_DATE_EPOCH");
	int64_t seconds;
	if (!given || !str_to_i64(str_of(given), &seconds) || seconds < 0 ||
		seconds > 253402300799) /* the year 9999 ends */
		seconds = (int64_t)time(NULL);
	time_t t = (time_t)seconds;
	struct tm tm;
	if (!gmtime_r(&t, &tm) ||
		!strftime(out, CLOCK_DATE + 1, "%Y-%m-%dT%H:%M:%SZ", &tm))
		memcpy(out, "1970-01-01T00:00:00Z", CLOCK_DATE + 1);
}

bool
clock_is_date(const char *s, size_t n)
{
	static const char form[] = "9999-19-39T29:59:59Z"; /* each digit's largest */
	if (n != CLOCK_DATE)
		return false;
	for (size_t i = 0; i < n; i++) {
		bool digit = form[i] >= '0' && form[i] <= '9';
		if (digit ? s[i] < '0' || s[i] > form[i] : s[i] != form[i])
			return false;
	}
	return true;
}
