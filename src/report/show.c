#include "report/show.h"

#include "base/arena.h"
#include "base/shown.h"

#include <math.h>

enum { COLUMNS = 100 };

struct time_unit
time_unit_for(double ns)
{
	static const struct time_unit units[] = {
		{"ns", 1, 0}, {"us", 1e3, 0}, {"ms", 1e6, 0}, {"s", 1e9, 0}};
	size_t i = 0;
	struct time_unit u;
	double v;

	while (i < 3 && ns >= units[i + 1].ns)
		i++;
	u = units[i];
	v = ns / u.ns;
	u.decimals = v < 10 ? 3 : v < 100 ? 2 : 1;
	return u;
}

struct str
time_number(struct arena *a, const struct time_unit *u, double ns)
{
	return isfinite(ns) ? str_fmt(a, "%.*f", u->decimals, ns / u->ns) : STR_LIT("-");
}

struct str
time_text(struct arena *a, double ns)
{
	struct time_unit u = time_unit_for(ns);

	return str_fmt(a, "%.*s %s", STR_ARG(time_number(a, &u, ns)), u.name);
}

struct str
amount_text(struct arena *a, double v)
{
	if (!isfinite(v))
		return STR_LIT("-");
	return str_fmt(a, "%.*f", v < 10 ? 2 : v < 100 ? 1 : 0, v);
}

struct str
bytes_text(struct arena *a, int64_t n)
{
	if (n >= 10240 && n % 1024 == 0)
		return str_fmt(a, "%lld KiB", (long long)(n / 1024));
	return str_fmt(a, "%lld B", (long long)n);
}

void
show_cell(struct buf *b, struct str s, size_t width)
{
	struct str shown = shown_text(b->a, s);

	if (shown.n > width && width > 2) {
		shown.n = str_boundary(shown, width - 2);
		buf_addstr(b, shown);
		buf_adds(b, "..");
		return;
	}
	buf_addstr(b, shown);
	buf_pad(b, ' ', shown.n < width ? width - shown.n : 0);
}

void
show_wrap(struct buf *b, struct str s, size_t at, size_t indent)
{
	struct str word;
	bool first = true;

	while (str_split(&s, ' ', &word)) {
		if (!first && at + 1 + word.n > COLUMNS) {
			buf_addc(b, '\n');
			buf_pad(b, ' ', indent);
			at = indent;
		} else if (!first) {
			buf_addc(b, ' ');
			at++;
		}
		shown_add(b, word);
		at += word.n;
		first = false;
	}
	buf_addc(b, '\n');
}

void
show_line(struct buf *b, size_t indent, struct str s)
{
	buf_pad(b, ' ', indent);
	show_wrap(b, s, indent, indent);
}

void
show_rule(struct buf *b, char c, struct str title)
{
	size_t used = 4 + title.n;

	buf_pad(b, c, 2);
	buf_addc(b, ' ');
	shown_add(b, title);
	buf_addc(b, ' ');
	buf_pad(b, c, used < COLUMNS ? COLUMNS - used : 0);
	buf_addc(b, '\n');
}
