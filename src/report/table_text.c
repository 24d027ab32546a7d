#include "report/table_text.h"

#include "base/arena.h"
#include "report/report.h"
#include "report/show.h"

#include <math.h>

struct table {
	struct time_unit u;
	double best_ns, best_cost; /* of the champion in the screening */
	bool estimated, bytes, flops;
	bool gpu;               /* its facts are known */
	bool finalists, others; /* some were in the final, some were not */
	bool final;             /* so both are told apart */
	bool tie, spill, baseline, caveat, unverified, met,
		out;       /* marks of the rows that are shown */
	bool paired;       /* ratios of the final are */
	const char *times; /* head of their column */
	bool values;       /* labels are too long: "128,4" under "BLOCK,TILE" */
	size_t width;      /* of the candidates' column */
};

static bool
unverified(const struct rank_entry *e)
{
	return !e->verified && e->kind != RESULT_ESTIMATED;
}

static bool
in_final(const struct rank_entry *e)
{
	return e->standing.n > 0;
}

/* Of TOP rows (0: all) the champion and the baseline are shown wherever they are. */
static bool
is_shown(const struct rank_size *s, size_t i, size_t top)
{
	return !top || i < top || s->v[i].champion || s->v[i].baseline;
}

static void
scan_marks(struct table *t, const struct rank_entry *e)
{
	t->tie |= e->tie && !e->champion;
	t->spill |= e->spill_bytes > 0;
	t->baseline |= e->baseline;
	t->caveat |= e->verdict == VERDICT_CAVEAT;
	t->unverified |= unverified(e);
	t->met |= in_final(e);
	t->out |= e->screened_out;
	t->paired |= isfinite(e->ratio) && !e->champion;
}

static void
scan(struct table *t, const struct rank_entry *e)
{
	t->bytes |= isfinite(e->bytes);
	t->flops |= isfinite(e->flops);
	t->finalists |= in_final(e);
	t->others |= !in_final(e);
	t->gpu |= !isnan(e->occupancy);
	t->width = e->label.n > t->width ? e->label.n : t->width;
}

/* Columns of everything but the candidates: see table_row. */
static size_t
other_columns(const struct table *t)
{
	return 8 + 12 + (t->estimated ? 0 : 8) + 9 + (t->bytes ? 8 : 0) +
	       (t->flops ? 9 : 0) + (t->gpu ? 6 + 8 + 6 : 0) +
	       2 * ((size_t)t->spill + t->baseline + t->caveat + t->unverified +
			   t->final + t->out);
}

static struct str
joined(struct arena *a, const struct rank_entry *e, bool names)
{
	struct buf b = {.a = a};

	json_each(p, e->assignment)
	{
		buf_adds(&b, b.n ? "," : "");
		if (names)
			buf_addstr(&b, p->key);
		else if (p->kind == JSON_NUMBER)
			buf_addf(&b, "%.10g", p->number);
		else if (p->kind == JSON_BOOL)
			buf_adds(&b, p->boolean ? "true" : "false");
		else
			buf_addstr(&b, p->string);
	}
	return buf_str(&b);
}

static struct table
table_of(struct arena *a, const struct rank_size *s, size_t top)
{
	struct table t = {.width = 9, .estimated = s->kind == RESULT_ESTIMATED};
	size_t room;

	t.times = t.estimated                   ? "estimate"
		  : s->kind == RESULT_SIMULATED ? "simulated"
						: "median";
	t.best_ns = rank_screening_ns(rank_champion(s));
	t.best_cost = rank_screening_cost(rank_champion(s));
	t.u = time_unit_for(rank_champion(s)->median_ns);
	for (size_t i = 0; i < s->n_ranked; i++) {
		scan(&t, &s->v[i]);
		if (is_shown(s, i, top))
			scan_marks(&t, &s->v[i]);
	}
	t.final = t.finalists && t.others;
	room = REPORT_COLUMNS - other_columns(&t);
	if (t.width <= room)
		return t;
	t.values = true;
	t.width = joined(a, &s->v[0], true).n;
	for (size_t i = 0; i < s->n_ranked; i++) {
		size_t n = joined(a, &s->v[i], false).n;
		t.width = n > t.width ? n : t.width;
	}
	if (t.width > room)
		t.width = room;
	return t;
}

static void
table_head(struct buf *b, const struct rank_size *s, const struct table *t)
{
	buf_adds(b, "\n     #  ");
	show_cell(b, t->values ? joined(b->a, &s->v[0], true) : STR_LIT("candidate"),
		t->width);
	buf_addf(b, "%9s %-2s", t->times, t->u.name);
	if (!t->estimated)
		buf_addf(b, "%8s", "95 %");
	buf_addf(b, "%9s", "vs best");
	if (t->bytes)
		buf_addf(b, "%8s", t->estimated ? "~GB/s" : "GB/s");
	if (t->flops)
		buf_addf(b, "%9s", t->estimated ? "~GFLOP/s" : "GFLOP/s");
	if (t->gpu)
		buf_addf(b, "%6s%8s%6s", "regs", "shared", "occ");
	buf_addc(b, '\n');
}

static struct str
spread_text(struct arena *a, const struct rank_entry *e)
{
	if (!isfinite(e->low_ns) || !isfinite(e->high_ns))
		return STR_LIT("");
	double half = (e->high_ns - e->low_ns) / 2 / e->median_ns * 100;

	return half >= 100 ? STR_LIT(">+-100%") : str_fmt(a, "+-%.1f%%", half);
}

static struct str
against_text(struct arena *a, const struct rank_entry *e, const struct table *t)
{
	/* Who was not in the final can be compared in the screening alone. */
	double ratio = isfinite(e->ratio) ? e->ratio
		       : e->cost > 0      ? e->cost / t->best_cost
					  : e->median_ns / t->best_ns;

	if (e->champion)
		return STR_LIT("");
	if (ratio >= 10)
		return str_fmt(a, "x %.1f", ratio);
	return str_fmt(a, "%+.1f%%", (ratio - 1) * 100);
}

static void
table_row(struct buf *b, const struct table *t, const struct rank_entry *e, size_t rank)
{
	struct arena *a = b->a;
	struct str regs = e->registers >= 0 ? str_fmt(a, "%lld", (long long)e->registers)
					    : STR_LIT("?");

	buf_addf(b, " %c%4zu  ", e->champion ? '*' : e->tie ? '=' : ' ', rank);
	show_cell(b, t->values ? joined(a, e, false) : e->label, t->width);
	buf_addf(b, "%12.*s", STR_ARG(time_number(a, &t->u, e->median_ns)));
	if (!t->estimated)
		buf_addf(b, "%8.*s", STR_ARG(spread_text(a, e)));
	buf_addf(b, "%9.*s", STR_ARG(against_text(a, e, t)));
	if (t->bytes)
		buf_addf(b, "%8.*s", STR_ARG(amount_text(a, rank_gbps(e))));
	if (t->flops)
		buf_addf(b, "%9.*s", STR_ARG(amount_text(a, rank_gflops(e))));
	if (t->gpu)
		buf_addf(b, "%6.*s%8lld%6.2f", STR_ARG(regs), (long long)e->shared_bytes,
			e->occupancy);
	buf_adds(b, e->spill_bytes > 0 ? " S" : "");
	buf_adds(b, e->baseline ? " B" : "");
	buf_adds(b, e->verdict == VERDICT_CAVEAT ? " C" : "");
	buf_adds(b, unverified(e) ? " U" : "");
	buf_adds(b, t->final && in_final(e) ? " F" : "");
	buf_adds(b, e->screened_out ? " O" : "");
	buf_addc(b, '\n');
}

static void
indented(struct buf *b, size_t indent, struct str text)
{
	buf_pad(b, ' ', indent);
	show_wrap(b, text, indent, indent);
}

static void
table_legend(struct buf *b, const struct table *t)
{
	indented(b, 5,
		str_fmt(b->a, "* champion%s%s%s%s%s%s%s",
			t->tie ? "   = cannot be told from the fastest" : "",
			t->baseline ? "   B baseline" : "", t->spill ? "   S spills" : "",
			t->caveat ? "   C caveat" : "",
			t->unverified ? "   U outputs not verified" : "",
			t->final && t->met ? "   F timed in the final" : "",
			t->out ? "   O out of the race: its screening stopped early"
			       : ""));
	if (t->paired)
		indented(b, 5,
			str_fmt(b->a,
				"vs best%s: the final's pairs side by side, not the "
				"quotient of the medians",
				t->final ? " of F" : ""));
}

void
table_text(struct buf *b, const struct rank_size *s, size_t top)
{
	struct table t = table_of(b->a, s, top);
	const struct rank_entry *last = &s->v[s->n_ranked - 1];
	size_t left = 0;

	table_head(b, s, &t);
	for (size_t i = 0; i < s->n_ranked; i++) {
		const struct rank_entry *e = &s->v[i];
		if (is_shown(s, i, top))
			table_row(b, &t, e, i + 1);
		else
			left++;
	}
	if (left)
		indented(b, 8,
			str_fmt(b->a,
				"and %zu more, up to %s%.*s%s (report --top 0 shows all)",
				left, result_kind_mark(last->kind),
				STR_ARG(time_text(b->a, last->median_ns)),
				result_kind_shout(last->kind)));
	table_legend(b, &t);
}
