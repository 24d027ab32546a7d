/*
 * @file@: the configurations that lanewise chose for the kernel '@kernel@'.
 * Written by 'lanewise apply'; it is overwritten, so change the spec instead.
 * C99 and C++11 or later, without CUDA.
 *
@pins@ */
#ifndef @upper@_TUNED_H
#define @upper@_TUNED_H

/* In what a choice is not exactly what was asked for: a sum of these, 0 for none. */
#define LANEWISE_OTHER_SIZE 1
#define LANEWISE_OTHER_DEVICE 2
#define LANEWISE_OTHER_CC 4
#define LANEWISE_NOT_MEASURED 8

/*
 * At compile time: macros, of the device that the build names: @upper@_TARGET as one of
 * these, or LANEWISE_CC as its compute capability without the dot (90).  Of a capability
 * that is not here, the next lower one is taken, else the lowest.
 * @upper@_TARGET_MATCH says how well it fits; with LANEWISE_STRICT, anything but 0 is an
 * error.
 */
@target@#if defined LANEWISE_STRICT && @upper@_TARGET_MATCH != 0
#error "@name@: no measured choice for this LANEWISE_CC; see @upper@_TARGET_MATCH"
#endif

@macros@
/* At run time: a table, and @name@_select(), which takes the nearest of it. */
struct @name@_size {
@size_fields@};

struct @name@_choice {
	const char *device;
	int cc;           /* compute capability: 90 is 9.0; 0: no GPU */
	const char *size; /* its name */
	struct @name@_size at;
	int measured;      /* 0: a model or a script says so, nothing was run */
	const char *claim; /* proven, observed or none; else simulated or estimated */
@param_fields@	unsigned block[3], grid[3], cluster[3]; /* of size `at` */
	unsigned long long shared_bytes; /* dynamic */
	int cooperative, programmatic;
};

struct @name@_pick {
	const struct @name@_choice *choice;
	int match; /* LANEWISE_...; 0: exactly what was asked for, and measured */
};

enum { @upper@_CHOICES = @count@ };

#ifdef __cplusplus
static constexpr
#else
static const
#endif
struct @name@_choice @name@_choices[@upper@_CHOICES] = {
@entries@};

/* Since C++14 a choice can be a constant of the program. */
#ifndef LANEWISE_INLINE
#if defined __cplusplus && __cplusplus >= 201402L
#define LANEWISE_INLINE static constexpr
#else
#define LANEWISE_INLINE static inline
#endif
#endif

#ifndef LANEWISE_MATCH_TEXT
#define LANEWISE_MATCH_TEXT
/* The gravest of a match in words, for a log. */
LANEWISE_INLINE const char *
lanewise_match_text(int match)
{
	return match & LANEWISE_OTHER_CC ? "tuned on another compute capability"
	       : match & LANEWISE_OTHER_DEVICE
		       ? "tuned on another device of this compute capability"
	       : match & LANEWISE_OTHER_SIZE   ? "tuned at another size"
	       : match & LANEWISE_NOT_MEASURED ? "never measured"
					       : "exact";
}
#endif

LANEWISE_INLINE int
@name@_same_text(const char *x, const char *y)
{
	for (; *x && *x == *y; x++)
		y++;
	return *x == *y;
}

LANEWISE_INLINE int
@name@_same_size(const struct @name@_size *x, const struct @name@_size *y)
{
	return @same_size@;
}

/* How many times one is the other; below 1 counts as 1. */
LANEWISE_INLINE double
@name@_times(double x, double y)
{
	return x < 1 ? (y < 1 ? 1 : y) : y < 1 ? x : x < y ? y / x : x / y;
}

LANEWISE_INLINE double
@name@_apart(const struct @name@_size *x, const struct @name@_size *y)
{
	return @apart@;
}

/* 0: this device; 1: this capability; then lower ones, nearest first, then higher ones. */
LANEWISE_INLINE int
@name@_distance(const struct @name@_choice *c, const char *device, int cc)
{
	if (device && *device && @name@_same_text(c->device, device) && (c->cc == cc || cc <= 0))
		return 0;
	if (c->cc == cc)
		return device && *device ? 1 : 0;
	return c->cc < cc ? 1 + cc - c->cc : 10000 + c->cc - cc;
}

/*
 * The nearest choice.  device: cudaDeviceProp.name, or 0 for any; major, minor: its compute
 * capability, or 0, 0 when it is not known.  The device counts first, then the size: nearest
 * is where the names of the size, each as the ratio of the larger to the smaller, have the
 * smallest product.  Of equals a measured one, then the first of the table.
 */
LANEWISE_INLINE struct @name@_pick
@name@_select(const char *device, int major, int minor, struct @name@_size size)
{
	struct @name@_pick pick = {&@name@_choices[0], 0};
	int cc = 10 * major + minor, best = -1;
	double apart = 0;

	for (int i = 0; i < @upper@_CHOICES; i++) {
		const struct @name@_choice *c = &@name@_choices[i];
		int d = @name@_distance(c, device, cc);
		double s = @name@_same_size(&c->at, &size) ? 0 : @name@_apart(&c->at, &size);
		if (best < 0 || d < best || (d == best && s < apart) ||
			(d == best && !(s > apart) && c->measured > pick.choice->measured)) {
			pick.choice = c;
			best = d;
			apart = s;
		}
	}
	pick.match = (best == 0 ? 0 : best == 1 ? LANEWISE_OTHER_DEVICE : LANEWISE_OTHER_CC) +
		     (apart > 0 ? LANEWISE_OTHER_SIZE : 0) +
		     (pick.choice->measured ? 0 : LANEWISE_NOT_MEASURED);
	return pick;
}

#endif
