/*
 * @file@: the configuration that lanewise chose for the kernel '@kernel@'.
 * Written by 'lanewise apply'; it is overwritten, so change the spec instead.
 *
@pins@ */
#ifndef @guard@
#define @guard@

@macros@
/* The same as data, one entry a size. */
struct @name@_choice {
	const char *size;
@fields@	unsigned block[3], grid[3], cluster[3];
	unsigned long long shared_bytes; /* dynamic */
	int cooperative;
};

enum { @upper@_CHOICES = @count@ };

#ifdef __cplusplus
static constexpr
#else
static const
#endif
struct @name@_choice @name@_choices[@upper@_CHOICES] = {
@entries@};

#endif
