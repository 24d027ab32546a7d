#include "base/die.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char *program = "lanewise";

void
die_set_program(const char *name)
{
	program = name;
}

/* Where a character of UTF-8 begins, at or before `at`. */
static size_t
whole_characters(const char *text, size_t at)
{
	while (at > 0 && ((unsigned char)text[at] & 0xc0) == 0x80)
		at--;
	return at;
}

static void
print_shown(FILE *to, const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)text[i];
		bool shown = (c >= 0x20 && c != 0x7f) || c == '\n' || c == '\t';
		fputc(shown ? c : '?', to);
	}
}

void
message_print(FILE *to, const char *fmt, va_list ap)
{
	char *text = NULL;
	size_t size = 0;
	FILE *memory = open_memstream(&text, &size);

	if (memory) {
		vfprintf(memory, fmt, ap);
		fclose(memory);
	}
	if (!text)
		return;
	if (size <= MESSAGE_MAX || strchr(text, '\n')) {
		print_shown(to, text, size);
	} else {
		size_t tail = whole_characters(text, size - MESSAGE_MAX / 2);
		print_shown(to, text, whole_characters(text, MESSAGE_MAX / 2));
		fputs("...", to);
		print_shown(to, text + tail, size - tail);
	}
	free(text);
}

static void PRINTF(2, 0) say(const char *kind, const char *fmt, va_list ap)
{
	fflush(stdout);
	fprintf(stderr, "%s: %s", program, kind);
	message_print(stderr, fmt, ap);
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
