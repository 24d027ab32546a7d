#include "base/die.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static const char *program = "lanewise";

void
die_set_program(const char *name)
{
	program = name;
}

static void PRINTF(2, 0) say(const char *kind, const char *fmt, va_list ap)
{
	fflush(stdout);
	fprintf(stderr, "%s: %s", program, kind);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
}

void
die(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	say("", fmt, ap);
	va_end(ap);
	exit(EXIT_TROUBLE);
}

void
warn(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	say("warning: ", fmt, ap);
	va_end(ap);
}

void
die_bug(const char *file, int line, const char *fmt, ...)
{
	va_list ap;
	fprintf(stderr, "%s:%d: ", file, line);
	va_start(ap, fmt);
	say("bug: ", fmt, ap);
	va_end(ap);
	abort();
}
