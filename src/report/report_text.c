#include "base/arena.h"
#include "base/die.h"
#include "base/map.h"
#include "perf/rank_final.h"
#include "report/hazard_text.h"
#include "report/report.h"
#include "report/show.h"
#include "report/size_text.h"

#include <math.h>
#include <stdlib.h>

static void
fact(struct buf *b, const char *name, struct str text)
{
	buf_addf(b, "%-10s ", name);
	show_wrap(b, text, 11, 11);
}

/* --- head ------------------------------------------------------------------------ */

/* One of enum result_kind; what was recalled counts as measured. */
static bool
any_kind(const struct report *r, enum result_kind kind)
{
	for (size_t k = 0; k < r->n_kernels; k++)
		for (size_t z = 0; z < r->kernels[k].r->n_sizes; z++) {
			const struct rank_size *s = &r->kernels[k].r->sizes[z];
			if (s->any &&
				(s->kind == kind || (kind == RESULT_MEASURED &&
							    s->kind == RESULT_CACHED)))
				return true;
		}
	return false;
}

/* Is there a time of this very kind?  A size of RESULT_CACHED may have fresh ones too. */
static bool
any_time(const struct report *r, enum result_kind kind)
{
	for (size_t k = 0; k < r->n_kernels; k++)
		for (size_t z = 0; z < r->kernels[k].r->n_sizes; z++) {
			const struct rank_size *s = &r->kernels[k].r->sizes[z];
			for (size_t i = 0; i < s->n_ranked; i++)
				if (s->v[i].kind == kind)
					return true;
		}
	return false;
}

static struct str
measured_text(const struct report *r)
{
	if (!any_time(r, RESULT_CACHED))
		return STR_LIT("MEASURED: median of batches, 95 % interval");
	if (!any_time(r, RESULT_MEASURED))
		return STR_LIT("MEASURED EARLIER (cached): median of batches, 95 % "
			       "interval");
	return STR_LIT("MEASURED, some EARLIER (cached): median of batches, 95 % "
		       "interval");
}

/* Its device may be no GPU; the compute capability is of the PTX that is judged. */
static bool
is_opencl(const struct ranking *r)
{
	return str_is(r->backend, "opencl");
}

static struct str
device_text(struct arena *a, const struct ranking *r)
{
	struct buf b = {.a = a};

	buf_addstr(&b, r->device);
	if (r->compute_capability.n && !is_opencl(r))
		buf_addf(&b, ", compute capability %.*s", STR_ARG(r->compute_capability));
	if (r->described)
		buf_adds(&b, " (described, not here)");
	if (r->driver.n)
		buf_addf(&b, ", driver %.*s", STR_ARG(r->driver));
	return buf_str(&b);
}

static bool
is_host(const struct ranking *r)
{
	return !r->compute_capability.n;
}

/* Without ptxas the driver assembles, when there is one. */
static struct str
assembler_text(struct str pin)
{
	return pin.n && !str_is(pin, "none") ? pin : STR_LIT("no assembler here");
}

/* --- the state of the device ----------------------------------------------------- */

static void
add_state(struct rank_state *to, const struct rank_state *s)
{
	to->sharing = rank_sharing(to->sharing, s->sharing);
	to->drift = fmax(to->drift, s->drift);
	to->n_windows += s->n_windows;
	to->n_drifted += s->n_drifted;
	to->n_readings += s->n_readings;
	to->n_slow_clock += s->n_slow_clock;
	to->n_throttled += s->n_throttled;
	to->n_shared += s->n_shared;
	to->n_taken_again += s->n_taken_again;
}

static void
add_void(struct buf *b, const char *why, int64_t n)
{
	if (n)
		buf_addf(b, ", %lld %s", (long long)n, why);
}

static struct str
readings_text(struct arena *a, const struct rank_state *s)
{
	struct buf b = {.a = a};

	buf_addf(&b, "%lld readings", (long long)s->n_readings);
	add_void(&b, "void for a slow clock", s->n_slow_clock);
	add_void(&b, "void for THROTTLING", s->n_throttled);
	add_void(&b, "void for SHARING", s->n_shared);
	add_void(&b, "void and taken again, as the device drifted", s->n_taken_again);
	if (isfinite(s->drift))
		buf_addf(&b, "; drift up to %.2f %% in %lld windows", s->drift * 100,
			(long long)s->n_windows);
	if (s->n_drifted)
		buf_addf(&b, ", %lld of them DRIFTED by more than 2 %%",
			(long long)s->n_drifted);
	return buf_str(&b);
}

static void
problem_text(struct buf *b, const struct ranking *r, const struct rank_size *s)
{
	struct str at =
		str_fmt(b->a, "%.*s at %.*s", STR_ARG(r->kernel), STR_ARG(s->name));

	if (s->final.ran && s->final.control_exists && !s->final.control_ok)
		fact(b, "CONTROL",
			str_fmt(b->a, "%.*s: %.*s; no claim is made", STR_ARG(at),
				STR_ARG(s->claim_why)));
	if (s->final.audit_failed.n)
		fact(b, "AUDIT",
			str_fmt(b->a,
				"%.*s: %.*s was screened out and is not "
				"slower",
				STR_ARG(at), STR_ARG(s->final.audit_failed)));
}

static void
state_text(struct buf *b, const struct report *r)
{
	struct rank_state all = {.drift = (double)NAN};

	for (size_t k = 0; k < r->n_kernels; k++)
		for (size_t z = 0; z < r->kernels[k].r->n_sizes; z++)
			add_state(&all, &r->kernels[k].r->sizes[z].state);
	if (all.sharing.n)
		fact(b, "sharing", all.sharing);
	if (all.n_readings)
		fact(b, "readings", readings_text(b->a, &all));
	for (size_t k = 0; k < r->n_kernels; k++)
		for (size_t z = 0; z < r->kernels[k].r->n_sizes; z++)
			problem_text(b, r->kernels[k].r, &r->kernels[k].r->sizes[z]);
}

/* Each once: problems may be spread over several. */
static void
fact_devices(struct buf *b, const struct report *r)
{
	struct map seen = {.a = b->a};

	if (r->kernels[0].r->device_uuid.n)
		map_put(&seen, r->kernels[0].r->device_uuid, NULL);
	for (size_t k = 0; k < r->n_kernels; k++)
		for (size_t z = 0; z < r->kernels[k].r->n_sizes; z++)
			if (r->kernels[k].r->sizes[z].device_uuid.n)
				map_put(&seen, r->kernels[k].r->sizes[z].device_uuid,
					NULL);
	for (size_t i = 0; i < seen.n; i++)
		fact(b, "", seen.keys[i]);
}

static void
head(struct buf *b, const struct report *r)
{
	const struct ranking *first = r->kernels[0].r;
	struct str toolchain = json_get_str(first->pins, "toolchain");
	struct str assembler = json_get_str(first->pins, "assembler");
	bool measured = any_kind(r, RESULT_MEASURED);
	bool estimated = any_kind(r, RESULT_ESTIMATED);

	fact(b, "device", device_text(b->a, first));
	fact_devices(b, r);
	if (toolchain.n && (is_host(first) || is_opencl(first)))
		fact(b, "toolchain", toolchain);
	else if (toolchain.n)
		fact(b, "toolchain",
			str_fmt(b->a, "%.*s, %.*s", STR_ARG(toolchain),
				STR_ARG(assembler_text(assembler))));
	if (any_kind(r, RESULT_SIMULATED))
		fact(b, "times",
			STR_LIT("SIMULATED by a scripted device: nothing was run, no "
				"time below says anything about a GPU"));
	else if (estimated && !measured)
		fact(b, "times",
			STR_LIT("ESTIMATED by a model: nothing was run, no time "
				"below was ever measured and no output checked"));
	else if (estimated)
		fact(b, "times",
			STR_LIT("MEASURED for some kernels and ESTIMATED for "
				"others, as each section says"));
	else if (measured)
		fact(b, "times", measured_text(r));
	state_text(b, r);
}

/* --- the refused ----------------------------------------------------------------- */

static void
faster_line(struct buf *b, const struct rank_size *s, const struct rank_entry *e)
{
	const struct rank_entry *c = rank_champion(s);
	bool measured = e->unsafe && c->kind != RESULT_ESTIMATED;
	const char *word = !measured                     ? "ESTIMATED"
			   : c->kind == RESULT_SIMULATED ? "SIMULATED"
							 : "MEASURED";
	double own = measured ? e->median_ns : e->estimate_ns;
	double other = measured ? rank_screening_ns(c) : e->champion_estimate_ns;

	show_line(b, 5,
		str_fmt(b->a, "%.*s at %.*s: %s %s%.*s, the champion%s%.*s (%.2f x)",
			STR_ARG(e->label), STR_ARG(s->name), word, measured ? "" : "~",
			STR_ARG(time_text(b->a, own)),
			measured                      ? " "
			: c->kind == RESULT_ESTIMATED ? " ~"
						      : "'s estimate ~",
			STR_ARG(time_text(b->a, other)), other / own));
}

struct gain {
	const struct rank_entry *e;
	double ns;
};

static int
by_gain(const void *p, const void *q)
{
	const struct gain *x = p, *y = q;

	return x->ns != y->ns ? (x->ns < y->ns ? -1 : 1) : str_cmp(x->e->id, y->e->id);
}

/* Measured ones first: they are known.  Then size by size, the fastest first. */
static void
faster_lines(struct buf *b, const struct ranking *r, bool unsafe, size_t *n)
{
	for (size_t z = 0; z < r->n_sizes; z++) {
		const struct rank_size *s = &r->sizes[z];
		struct gain *v = arena_news(b->a, s->n_refused, struct gain);
		size_t found = 0;
		for (size_t i = s->n_ranked + s->n_failed; i < rank_size_n(s); i++) {
			const struct rank_entry *e = &s->v[i];
			if (e->faster && e->unsafe == unsafe)
				v[found++] = (struct gain){
					e, unsafe ? e->median_ns : e->estimate_ns};
		}
		if (found)
			qsort(v, found, sizeof *v, by_gain);
		for (size_t i = 0; i < found; i++)
			if (++*n <= REPORT_TOP)
				faster_line(b, s, v[i].e);
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
		show_line(b, 5,
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

/* "what they did: 12 ran with the right outputs, 3 hung" */
static struct str
outcomes_text(struct arena *a, const struct ranking *r)
{
	struct map seen = {.a = a};
	size_t n[N_RESULT_STATUSES + 3] = {0};
	struct buf b = {.a = a};

	for (size_t z = 0; z < r->n_sizes; z++) {
		const struct rank_size *s = &r->sizes[z];
		for (size_t i = s->n_ranked + s->n_failed; i < rank_size_n(s); i++) {
			const struct rank_entry *e = &s->v[i];
			struct str did = e->reason;
			if (e->unsafe)
				did = str_fmt(a, "%s, outputs %s",
					e->kind == RESULT_SIMULATED ? "simulated" : "ran",
					e->verified ? "right" : "not verified");
			size_t at =
				map_put(&seen, did.n ? did : STR_LIT("not run"), NULL);
			if (at < sizeof n / sizeof *n)
				n[at]++;
		}
	}
	for (size_t i = 0; i < seen.n && i < sizeof n / sizeof *n; i++)
		buf_addf(&b, "%s%zu %.*s", i ? "; " : "what they did: ", n[i],
			STR_ARG(seen.keys[i]));
	return buf_str(&b);
}

static bool
any_simulated(const struct ranking *r)
{
	for (size_t z = 0; z < r->n_sizes; z++)
		if (r->sizes[z].any && r->sizes[z].kind == RESULT_SIMULATED)
			return true;
	return false;
}

static void
refusals_text(struct buf *b, const struct report_kernel *k)
{
	size_t n = refused_points(k->r);
	bool clean = is_host(k->r) && !n && !k->caveats.n && !k->errors.n;

	if (clean || n || k->caveats.n || k->errors.n) {
		buf_addc(b, '\n');
		show_rule(b, '-', str_fmt(b->a, "%.*s: safety", STR_ARG(k->r->kernel)));
	}
	if (clean)
		show_line(b, 2,
			STR_LIT("host code of one thread: there is no barrier to "
				"decide, and nothing else of it was judged"));
	if (k->errors.n) {
		buf_adds(b, "  NOT JUDGED: neither compiled to machine code nor run\n");
		hazards_text(b, &k->errors);
		if (n)
			buf_addc(b, '\n');
	}
	if (n)
		buf_addf(b, "  REFUSED %zu of %zu points%s\n", n, points(k->r),
			k->r->unsafe_reason.n
				? ""
				: ": not compiled to machine code, not run");
	if (n && k->r->unsafe_reason.n)
		show_line(b, 2,
			str_fmt(b->a, "%s in spite of it, by --allow-unsafe: %.*s",
				any_simulated(k->r) ? "simulated" : "measured",
				STR_ARG(k->r->unsafe_reason)));
	if (n && k->r->unsafe_reason.n)
		show_line(b, 2, outcomes_text(b->a, k->r));
	hazards_text(b, &k->refused);
	if (k->refused.n)
		show_line(b, 9,
			str_fmt(b->a, "'lanewise explain %.*s' says more",
				STR_ARG(k->refused.v[0].example->rule)));
	faster_text(b, k->r);
	if (k->caveats.n) {
		buf_adds(b, "\n  CAVEATS: what the gate cannot decide\n");
		hazards_text(b, &k->caveats);
	}
}

/* --- the whole ------------------------------------------------------------------- */

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
			show_line(b, 2,
				c ? str_fmt(b->a, "%.*s: %.*s, %s%.*s%s", STR_ARG(name),
					    STR_ARG(c->label), result_kind_mark(c->kind),
					    STR_ARG(time_text(b->a, c->median_ns)),
					    c->kind == RESULT_CACHED
						    ? " measured earlier (cached)"
						    : result_kind_shout(c->kind))
				  : str_fmt(b->a, "%.*s: no champion", STR_ARG(name)));
		}
	if (r->exit_status == EXIT_NO)
		show_line(b, 2,
			STR_LIT("a refused candidate was measured to be faster (exit "
				"status 1)"));
	if (r->exit_status == EXIT_TROUBLE)
		show_line(b, 2,
			STR_LIT("a kernel is not what the spec says: its 'entry' or its "
				"'args' are wrong (exit status 2)"));
	if (r->exit_status == EXIT_UNSURE)
		show_line(b, 2,
			STR_LIT("somewhere no candidate is both admitted and working "
				"(exit status 3)"));
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
