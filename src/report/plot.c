#include "report/plot.h"

#include "base/arena.h"
#include "report/show.h"

#include <math.h>

struct plot {
	char cell[PLOT_ROWS][PLOT_COLUMNS];
	size_t columns;
	double low, high;
};

static void
mark(struct plot *p, const struct reading *v, size_t n, size_t i)
{
	double span = p->high - p->low;
	double part = span > 0 ? (v[i].ns - p->low) / span : 0;
	size_t row = (size_t)lround((1 - part) * (PLOT_ROWS - 1));
	size_t column = n <= PLOT_COLUMNS ? i : i * PLOT_COLUMNS / n;
	char *c = &p->cell[row][column];

	if (*c != 'x')
		*c = v[i].cause == READING_GOOD ? 'o' : 'x';
}

void
plot_readings(struct buf *b, size_t indent, const struct reading *v, size_t n)
{
	struct plot p = {.columns = n < PLOT_COLUMNS ? n : PLOT_COLUMNS};
	struct time_unit u;

	if (!n)
		return;
	p.low = p.high = v[0].ns;
	for (size_t i = 1; i < n; i++) {
		p.low = fmin(p.low, v[i].ns);
		p.high = fmax(p.high, v[i].ns);
	}
	memset(p.cell, ' ', sizeof p.cell);
	for (size_t i = 0; i < n; i++)
		mark(&p, v, n, i);
	u = time_unit_for(p.low);
	for (size_t r = 0; r < PLOT_ROWS; r++) {
		struct str at = r == 0               ? time_number(b->a, &u, p.high)
				: r == PLOT_ROWS - 1 ? time_number(b->a, &u, p.low)
						     : STR_LIT("");
		size_t end = p.columns;
		while (end && p.cell[r][end - 1] == ' ')
			end--;
		buf_pad(b, ' ', indent);
		buf_addf(b, "%9.*s %s |%.*s\n", STR_ARG(at), at.n ? u.name : "  ",
			(int)end, p.cell[r]);
	}
}
