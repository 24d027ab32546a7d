#include "base/diag.h"

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
	if (!l.n || at.col > WIDTH)
		return;
	fprintf(to, "%5u | ", at.line);
	for (size_t i = 0, n; i < l.n && i < WIDTH; i += n) {
		n = l.s[i] == '\t' ? 1 : str_shown_length(str_sub(l, i, l.n));
		if (n)
			fwrite(l.s + i, 1, n, to);
		else
			fputc('?', to);
		n += !n;
	}
	fprintf(to, "\n      | ");
	for (size_t i = 0, n; i + 1 < at.col && i < l.n; i += n) {
		n = str_shown_length(str_sub(l, i, l.n));
		fputc(l.s[i] == '\t' ? '\t' : ' ', to);
		n += !n;
	}
	fprintf(to, "^\n");
}

static void PRINTF(4, 0) say(
	struct diag *d, const char *kind, struct place at, const char *fmt, va_list ap)
{
	FILE *to = d->to ? d->to : stderr;
	if (at.src && at.line)
		fprintf(to, "%s:%u:%u: ", at.src->name, at.line, at.col);
	else if (at.src)
		fprintf(to, "%s: ", at.src->name);
	fprintf(to, "%s: ", kind);
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
