#include "base/die.h"

#include "base/shown.h"

#include <stdlib.h>

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
	struct str all = {text, size};
	if (size <= MESSAGE_MAX) {
		shown_print(to, all);
	} else {
		size_t head = str_boundary(all, MESSAGE_MAX / 2);
		size_t tail = str_boundary(all, size - MESSAGE_MAX / 2);
		shown_print(to, str_sub(all, 0, head));
		fputs("...", to);
		shown_print(to, str_sub(all, tail, size));
	}
	free(text);
}

/* With one write, so that lines of several processes do not mix. */
static void PRINTF(2, 0) say(const char *kind, const char *fmt, va_list ap)
{
	char *text = NULL;
	size_t size = 0;
	FILE *line = open_memstream(&text, &size);

	fflush(stdout);
	if (line) {
		fprintf(line, "lanewise: %s: ", kind);
		message_print(line, fmt, ap);
		fputc('\n', line);
		fclose(line);
	}
	if (text)
		fwrite(text, 1, size, stderr);
	free(text);
}

void
die(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	say("error", fmt, ap);
	va_end(ap);
	exit(EXIT_TROUBLE);
}

void
warn(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	say("warning", fmt, ap);
	va_end(ap);
}

void
die_bug(const char *file, int line, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	fprintf(stderr, "%s:%d: ", file, line);
	say("bug", fmt, ap);
	va_end(ap);
	abort();
}
