#include "base/diag.h"

#include "base/shown.h"

#include <stdarg.h>

struct place
source_place(const struct source *src, size_t offset)
{
	struct place at = {src, 1, 1};
	if (offset > src->text.n)
		offset = src->text.n;
	for (size_t i = 0; i < offset; i++) {
		at.col++;
		if (src->text.s[i] == '\n')
			at.line++, at.col = 1;
	}
	return at;
}

struct str
source_line(const struct source *src, unsigned line)
{
	struct str rest = src->text, l = {0};
	for (unsigned i = 0; i < line; i++)
		if (!str_line(&rest, &l))
			return (struct str){0};
	return l;
}

static void
show_excerpt(FILE *to, struct place at)
{
	enum { WIDTH = 200 };
	struct str l = source_line(at.src, at.line);
	if (str_ends(l, "\r"))
		l.n--;
	if (!l.n || at.col > WIDTH)
		return;
	fprintf(to, "%5u | ", at.line);
	shown_print_lines(to, str_sub(l, 0, str_boundary(l, WIDTH)));
	fprintf(to, "\n      | ");
	shown_print_blank(to, str_sub(l, 0, at.col - 1));
	fprintf(to, "^\n");
}

static void PRINTF(4, 0) say(
	struct diag *d, const char *kind, struct place at, const char *fmt, va_list ap)
{
	FILE *to = d->to ? d->to : stderr;
	shown_print(to, str_of(at.src ? at.src->name : "lanewise"));
	if (at.src && at.line)
		fprintf(to, ":%u:%u", at.line, at.col);
	fprintf(to, ": %s: ", kind);
	message_print(to, fmt, ap);
	fputc('\n', to);
	if (at.src && at.line)
		show_excerpt(to, at);
}

void
diag_error(struct diag *d, struct place at, const char *fmt, ...)
{
	unsigned limit = d->limit ? d->limit : 20;
	d->errors++;
	d->blamed = at.src ? at.src->name : NULL;
	if (d->quiet)
		return;
	if (d->errors == limit + 1)
		fprintf(d->to ? d->to : stderr, "(more errors are not shown)\n");
	if (d->errors > limit)
		return;
	va_list ap;
	va_start(ap, fmt);
	say(d, "error", at, fmt, ap);
	va_end(ap);
}

void
diag_warn(struct diag *d, struct place at, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	say(d, "warning", at, fmt, ap);
	va_end(ap);
}

void
diag_note(struct diag *d, struct place at, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	say(d, "note", at, fmt, ap);
	va_end(ap);
}
