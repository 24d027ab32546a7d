#include "base/arena.h"
#include "base/die.h"
#include "model/launch.h"
#include "perf/rank.h"
#include "report/hazard_text.h"
#include "report/report.h"
#include "report/show.h"

#include <math.h>

static void
line_of(struct buf *b, size_t indent, struct str text)
{
	buf_pad(b, ' ', indent);
	show_wrap(b, text, indent, indent);
}

static void
fact(struct buf *b, const char *name, struct str text)
{
	buf_addf(b, "%-10s ", name);
	show_wrap(b, text, 11, 11);
}

/* --- head ----------------------------------------------------------------------------
 */

static bool
any_kind(const struct report *r, bool estimated)
{
	for (size_t k = 0; k < r->n_kernels; k++)
		for (size_t z = 0; z < r->kernels[k].r->n_sizes; z++) {
			const struct rank_size *s = &r->kernels[k].r->sizes[z];
			if (s->any && (s->kind == RESULT_ESTIMATED) == estimated)
				return true;
		}
	return false;
}

static struct str
device_text(struct arena *a, const struct ranking *r)
{
	struct buf b = {.a = a};

	buf_addf(&b, "%.*s, compute capability %.*s", STR_ARG(r->device),
		STR_ARG(r->compute_capability));
	if (r->described)
		buf_adds(&b, " (described, not here)");
	if (r->device_uuid.n)
		buf_addf(&b, ", %.*s", STR_ARG(r->device_uuid));
	if (r->driver.n)
		buf_addf(&b, ", driver %.*s", STR_ARG(r->driver));
	return buf_str(&b);
}

static void
head(struct buf *b, const struct report *r)
{
	const struct ranking *first = r->kernels[0].r;
	struct str toolchain = json_get_str(first->pins, "toolchain");
	struct str assembler = json_get_str(first->pins, "assembler");
	bool measured = any_kind(r, false), estimated = any_kind(r, true);

	fact(b, "device", device_text(b->a, first));
	if (toolchain.n)
		fact(b, "toolchain",
			str_fmt(b->a, "%.*s%s%.*s", STR_ARG(toolchain),
				assembler.n ? ", " : "", STR_ARG(assembler)));
	if (estimated && !measured)
		fact(b, "times",
			STR_LIT("ESTIMATED by a model: nothing was run, no time "
				"below was ever measured"));
	else if (estimated)
		fact(b, "times",
			STR_LIT("MEASURED for some kernels and ESTIMATED for "
				"others, as each section says"));
	else if (measured)
		fact(b, "times", STR_LIT("MEASURED: median of batches, 95 % interval"));
}

/* --- one size: the champion ----------------------------------------------------------
 */

static struct str
interval_text(struct arena *a, const struct rank_entry *e, const struct time_unit *u)
{
	if (!isfinite(e->low_ns) || !isfinite(e->high_ns))
		return (struct str){0};
	return str_fmt(a, " [%.*s, %.*s]", STR_ARG(time_number(a, u, e->low_ns)),
		STR_ARG(time_number(a, u, e->high_ns)));
}

static struct str
trust_text(struct arena *a, const struct rank_entry *e)
{
	if (e->kind == RESULT_ESTIMATED)
		return STR_LIT("ESTIMATED, never run");
	return str_fmt(a, "%s, %s%.*s",
		e->kind == RESULT_CACHED ? "measured earlier" : "measured",
		e->verified ? "outputs verified by " : "outputs NOT VERIFIED: ",
		STR_ARG(e->verified_by));
}

static struct str
shape_text(struct arena *a, const struct rank_entry *e)
{
	struct buf b = {.a = a};
	struct launch l;

	if (!launch_parse(e->launch, &l))
		return e->launch;
	buf_addf(&b, "block %.*s, grid %.*s", STR_ARG(dim_text(a, l.block)),
		STR_ARG(dim_text(a, l.grid)));
	if (dim_volume(l.cluster) > 1)
		buf_addf(&b, ", cluster %.*s", STR_ARG(dim_text(a, l.cluster)));
	buf_addf(&b, ", %.*s of shared memory", STR_ARG(bytes_text(a, e->shared_bytes)));
	if (e->registers >= 0)
		buf_addf(&b, ", %lld registers", (long long)e->registers);
	if (e->spill_bytes > 0)
		buf_addf(&b, ", SPILLS %.*s", STR_ARG(bytes_text(a, e->spill_bytes)));
	buf_addf(&b, ", occupancy %.2f", e->occupancy);
	return buf_str(&b);
}

static struct str
baseline_text(struct arena *a, const struct rank_size *s)
{
	const struct rank_entry *c = rank_champion(s), *e = rank_baseline(s);

	if (!e)
		return (struct str){0};
	if (e == c)
		return STR_LIT("it is the baseline");
	if (e->status != RESULT_OK)
		return str_fmt(a, "the baseline %.*s is no help to compare with: %s",
			STR_ARG(e->label), result_status_name(e->status));
	if (rank_tie(c, e))
		return str_fmt(a, "cannot be told from the baseline %.*s (%.*s)",
			STR_ARG(e->label), STR_ARG(time_text(a, e->median_ns)));
	if (c->kind == RESULT_ESTIMATED)
		return str_fmt(a,
			"%.2f x the speed of the baseline %.*s (%.*s), estimated",
			s->speedup, STR_ARG(e->label),
			STR_ARG(time_text(a, e->median_ns)));
	return str_fmt(a,
		"%.2f x the speed of the baseline %.*s (%.*s); 95 %%: %.2f to %.2f",
		s->speedup, STR_ARG(e->label), STR_ARG(time_text(a, e->median_ns)),
		s->speedup_low, s->speedup_high);
}

static struct str
ties_text(struct arena *a, const struct rank_size *s)
{
	struct buf b = {.a = a};
	size_t n = 0;

	for (size_t i = 0; i < s->n_ranked; i++) {
		if (!s->v[i].tie || s->v[i].champion)
			continue;
		if (n < 6)
			buf_addf(&b, "%s%.*s", n ? " " : "", STR_ARG(s->v[i].label));
		n++;
	}
	if (!n)
		return (struct str){0};
	if (n > 6)
		buf_addf(&b, " and %zu more", n - 6);
	return str_fmt(a,
		"ties with %zu: %.*s; chosen among them by the smaller footprint", n,
		STR_ARG(buf_str(&b)));
}

static void
champion_text(struct buf *b, const struct rank_size *s)
{
	const struct rank_entry *c = rank_champion(s);
	struct time_unit u = time_unit_for(c->median_ns);
	struct str more[] = {
		shape_text(b->a, c), baseline_text(b->a, s), ties_text(b->a, s)};
	struct str time = str_fmt(b->a, "%s%.*s %s%.*s   %.*s",
		c->kind == RESULT_ESTIMATED ? "~" : "",
		STR_ARG(time_number(b->a, &u, c->median_ns)), u.name,
		STR_ARG(interval_text(b->a, c, &u)), STR_ARG(trust_text(b->a, c)));

	buf_adds(b, "  CHAMPION ");
	show_wrap(b, c->label, 11, 11);
	line_of(b, 11, time);
	for (size_t i = 0; i < sizeof more / sizeof *more; i++)
		if (more[i].n)
			line_of(b, 11, more[i]);
	if (c->verdict == VERDICT_CAVEAT)
		line_of(b, 11, STR_LIT("admitted with a caveat: see CAVEATS below"));
	if (c->note.n)
		line_of(b, 11, c->note);
}

/* --- one size: the table -------------------------------------------------------------
 */

struct table {
	struct time_unit u;
	double best_ns; /* of the champion */
	bool estimated, bytes, flops;
	size_t width; /* of the candidates' column */
};

static struct table
table_of(const struct rank_size *s)
{
	struct table t = {.width = 9, .best_ns = rank_champion(s)->median_ns};
	size_t used, longest = 0;

	t.u = time_unit_for(t.best_ns);
	t.estimated = s->kind == RESULT_ESTIMATED;
	for (size_t i = 0; i < s->n_ranked; i++) {
		t.bytes |= isfinite(s->v[i].bytes);
		t.flops |= isfinite(s->v[i].flops);
		longest = s->v[i].label.n > longest ? s->v[i].label.n : longest;
	}
	used = 56 + (t.bytes ? 8 : 0) + (t.flops ? 9 : 0);
	if (longest > t.width)
		t.width = longest;
	if (t.width > REPORT_COLUMNS - used)
		t.width = REPORT_COLUMNS - used;
	return t;
}

static void
table_head(struct buf *b, const struct table *t)
{
	buf_adds(b, "\n     #  ");
	show_cell(b, STR_LIT("candidate"), t->width);
	buf_addf(b, "%9s %s", t->estimated ? "estimate" : "median", t->u.name);
	buf_addf(b, "%8s%9s", t->estimated ? "" : "95 %", "vs best");
	if (t->bytes)
		buf_addf(b, "%8s", "GB/s");
	if (t->flops)
		buf_addf(b, "%9s", "GFLOP/s");
	buf_addf(b, "%6s%8s%6s\n", "regs", "shared", "occ");
}

static struct str
spread_text(struct arena *a, const struct rank_entry *e)
{
	if (!isfinite(e->low_ns) || !isfinite(e->high_ns))
		return STR_LIT("");
	return str_fmt(a, "+-%.1f%%", (e->high_ns - e->low_ns) / 2 / e->median_ns * 100);
}

static struct str
against_text(struct arena *a, const struct rank_entry *e, double best_ns)
{
	double ratio = e->median_ns / best_ns;

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

	buf_addf(b, " %c %3zu  ", e->champion ? '*' : e->tie ? '=' : ' ', rank);
	show_cell(b, e->label, t->width);
	buf_addf(b, "%9.*s %*s", STR_ARG(time_number(a, &t->u, e->median_ns)),
		(int)strlen(t->u.name), "");
	buf_addf(b, "%8.*s", STR_ARG(spread_text(a, e)));
	buf_addf(b, "%9.*s", STR_ARG(against_text(a, e, t->best_ns)));
	if (t->bytes)
		buf_addf(b, "%8.*s", STR_ARG(amount_text(a, rank_gbps(e))));
	if (t->flops)
		buf_addf(b, "%9.*s", STR_ARG(amount_text(a, rank_gflops(e))));
	buf_addf(b, "%6.*s%8lld%6.2f", STR_ARG(regs), (long long)e->shared_bytes,
		e->occupancy);
	buf_adds(b, e->spill_bytes > 0 ? " S" : "");
	buf_adds(b, e->baseline ? " B" : "");
	buf_adds(b, e->verdict == VERDICT_CAVEAT ? " C" : "");
	buf_adds(b, e->verified || t->estimated ? "" : " U");
	buf_addc(b, '\n');
}

static void
table_legend(struct buf *b, const struct rank_size *s, const struct table *t)
{
	bool tie = false, spill = false, base = false, caveat = false, unverified = false;

	for (size_t i = 0; i < s->n_ranked; i++) {
		const struct rank_entry *e = &s->v[i];
		tie |= e->tie && !e->champion;
		spill |= e->spill_bytes > 0;
		base |= e->baseline;
		caveat |= e->verdict == VERDICT_CAVEAT;
		unverified |= !e->verified && !t->estimated;
	}
	line_of(b, 5,
		str_fmt(b->a, "* champion%s%s%s%s%s",
			tie ? "   = cannot be told from the fastest" : "",
			base ? "   B baseline" : "", spill ? "   S spills" : "",
			caveat ? "   C caveat" : "",
			unverified ? "   U outputs not verified" : ""));
}

static void
table_text(struct buf *b, const struct rank_size *s, size_t top)
{
	struct table t = table_of(s);
	size_t left = 0;

	table_head(b, &t);
	for (size_t i = 0; i < s->n_ranked; i++) {
		const struct rank_entry *e = &s->v[i];
		if (!top || i < top || e->champion || e->baseline)
			table_row(b, &t, e, i + 1);
		else
			left++;
	}
	if (left)
		line_of(b, 8,
			str_fmt(b->a,
				"and %zu slower ones, up to %.*s (report --top 0 shows "
				"all)",
				left,
				STR_ARG(time_text(
					b->a, s->v[s->n_ranked - 1].median_ns))));
	table_legend(b, s, &t);
}

/* --- one size ------------------------------------------------------------------------
 */

static struct str
size_title(struct arena *a, const struct ranking *r, const struct rank_size *s)
{
	struct buf b = {.a = a};

	buf_addf(&b, "%.*s at %.*s", STR_ARG(r->kernel), STR_ARG(s->name));
	json_each(v, s->values)
	{
		buf_addf(&b, "%s%.*s=", v == s->values->child ? ": " : ", ",
			STR_ARG(v->key));
		if (v->kind == JSON_NUMBER)
			buf_addf(&b, "%.17g", v->number);
		else
			buf_addstr(&b, v->string);
	}
	return buf_str(&b);
}

static struct str
counts_text(struct arena *a, const struct rank_counts *c)
{
	struct buf b = {.a = a};

	buf_addf(&b, "%lld candidates: %lld clean", (long long)c->points,
		(long long)c->clean);
	if (c->caveat)
		buf_addf(&b, ", %lld with a caveat", (long long)c->caveat);
	buf_addf(&b, ", %lld refused", (long long)c->refused);
	if (c->error)
		buf_addf(&b, ", %lld could not be judged", (long long)c->error);
	buf_addf(
		&b, "; %lld ranked, %lld failed", (long long)c->ok, (long long)c->failed);
	return buf_str(&b);
}

static void
failed_text(struct buf *b, const struct rank_size *s)
{
	if (!s->n_failed)
		return;
	buf_adds(b, "\n  FAILED\n");
	for (size_t i = s->n_ranked; i < s->n_ranked + s->n_failed; i++) {
		const struct rank_entry *e = &s->v[i];
		struct str rest = e->reason, first = {0};
		if (i >= s->n_ranked + 20) {
			line_of(b, 5,
				str_fmt(b->a, "and %zu more (all in report.json)",
					s->n_failed - 20));
			return;
		}
		/* A compiler's log has many lines; the first says it. */
		str_line(&rest, &first);
		line_of(b, 5,
			str_fmt(b->a, "%.*s  %s%s%.*s", STR_ARG(e->label),
				result_status_name(e->status), first.n ? ": " : "",
				STR_ARG(first)));
	}
}

static void
size_text(struct buf *b, const struct ranking *r, const struct rank_size *s, size_t top)
{
	buf_addc(b, '\n');
	show_rule(b, '-', size_title(b->a, r, s));
	line_of(b, 2, counts_text(b->a, &s->counts));
	buf_addc(b, '\n');
	if (s->n_ranked) {
		champion_text(b, s);
		table_text(b, s, top);
	} else {
		line_of(b, 2,
			STR_LIT("NO CHAMPION: no candidate is both admitted and "
				"working"));
	}
	failed_text(b, s);
}

/* --- the refused ---------------------------------------------------------------------
 */

static void
faster_line(struct buf *b, const struct rank_size *s, const struct rank_entry *e)
{
	const struct rank_entry *c = rank_champion(s);
	bool measured = e->unsafe && c->kind != RESULT_ESTIMATED;
	double own = measured ? e->median_ns : e->estimate_ns;
	double other = measured ? c->median_ns : e->champion_estimate_ns;

	line_of(b, 5,
		str_fmt(b->a, "%.*s at %.*s: %s %s%.*s, the champion %s%.*s (%.2f x)",
			STR_ARG(e->label), STR_ARG(s->name),
			measured ? "MEASURED" : "ESTIMATED", measured ? "" : "~",
			STR_ARG(time_text(b->a, own)), measured ? "" : "~",
			STR_ARG(time_text(b->a, other)), other / own));
}

/* Measured ones first: they are known. */
static void
faster_lines(struct buf *b, const struct ranking *r, bool unsafe, size_t *n)
{
	for (size_t z = 0; z < r->n_sizes; z++) {
		const struct rank_size *s = &r->sizes[z];
		for (size_t i = s->n_ranked + s->n_failed; i < rank_size_n(s); i++)
			if (s->v[i].faster && s->v[i].unsafe == unsafe &&
				++*n <= REPORT_TOP)
				faster_line(b, s, &s->v[i]);
	}
}

static void
faster_text(struct buf *b, const struct ranking *r)
{
	struct buf lines = {.a = b->a};
	size_t n = 0;

	faster_lines(&lines, r, true, &n);
	faster_lines(&lines, r, false, &n);
	if (!n)
		return;
	buf_adds(b,
		"\n  FASTER BUT REFUSED: undefined behaviour is no option, a repaired "
		"kernel may be\n");
	buf_addstr(b, buf_str(&lines));
	if (n > REPORT_TOP)
		line_of(b, 5,
			str_fmt(b->a, "and %zu more (all in report.json)",
				n - REPORT_TOP));
}

static size_t
refused_points(const struct ranking *r)
{
	size_t n = 0;

	for (size_t z = 0; z < r->n_sizes; z++)
		n += r->sizes[z].n_refused;
	return n;
}

static size_t
points(const struct ranking *r)
{
	size_t n = 0;

	for (size_t z = 0; z < r->n_sizes; z++)
		n += rank_size_n(&r->sizes[z]);
	return n;
}

static void
hazards_text(struct buf *b, const struct hazards *h)
{
	for (size_t i = 0; i < h->n; i++) {
		if (i)
			buf_addc(b, '\n');
		hazard_text(b, &h->v[i]);
	}
}

static void
refusals_text(struct buf *b, const struct report_kernel *k)
{
	size_t n = refused_points(k->r);

	if (n || k->caveats.n) {
		buf_addc(b, '\n');
		show_rule(b, '-', str_fmt(b->a, "%.*s: safety", STR_ARG(k->r->kernel)));
	}
	if (n)
		buf_addf(b, "  REFUSED %zu of %zu points%s\n", n, points(k->r),
			k->r->unsafe_reason.n
				? ""
				: ": not compiled to machine code, not run");
	if (n && k->r->unsafe_reason.n)
		line_of(b, 2,
			str_fmt(b->a, "measured in spite of it, by --allow-unsafe: %.*s",
				STR_ARG(k->r->unsafe_reason)));
	hazards_text(b, &k->refused);
	faster_text(b, k->r);
	if (k->caveats.n) {
		buf_adds(b, "\n  CAVEATS: what the gate cannot decide\n");
		hazards_text(b, &k->caveats);
	}
}

/* --- the whole -----------------------------------------------------------------------
 */

static void
verdict_text(struct buf *b, const struct report *r)
{
	buf_addc(b, '\n');
	show_rule(b, '=', STR_LIT("result"));
	for (size_t k = 0; k < r->n_kernels; k++)
		for (size_t z = 0; z < r->kernels[k].r->n_sizes; z++) {
			const struct rank_size *s = &r->kernels[k].r->sizes[z];
			const struct rank_entry *c = rank_champion(s);
			struct str name = str_fmt(b->a, "%.*s at %.*s",
				STR_ARG(r->kernels[k].r->kernel), STR_ARG(s->name));
			line_of(b, 2,
				c ? str_fmt(b->a, "%.*s: %.*s, %s%.*s%s", STR_ARG(name),
					    STR_ARG(c->label),
					    c->kind == RESULT_ESTIMATED ? "~" : "",
					    STR_ARG(time_text(b->a, c->median_ns)),
					    c->kind == RESULT_ESTIMATED ? " ESTIMATED"
									: "")
				  : str_fmt(b->a, "%.*s: no admissible candidate",
					    STR_ARG(name)));
		}
	if (r->exit_status == EXIT_NO)
		line_of(b, 2,
			STR_LIT("a refused candidate was measured to be faster (exit "
				"status 1)"));
	if (r->exit_status == EXIT_UNSURE)
		line_of(b, 2,
			STR_LIT("no candidate is admissible somewhere (exit status 3)"));
}

struct str
report_text(struct arena *a, const struct report *r, size_t top)
{
	struct buf b = {.a = a};

	if (!r->n_kernels)
		return STR_LIT("no kernels\n");
	head(&b, r);
	for (size_t k = 0; k < r->n_kernels; k++) {
		const struct ranking *ranking = r->kernels[k].r;
		for (size_t z = 0; z < ranking->n_sizes; z++)
			size_text(&b, ranking, &ranking->sizes[z], top);
		refusals_text(&b, &r->kernels[k]);
	}
	verdict_text(&b, r);
	return buf_str(&b);
}
