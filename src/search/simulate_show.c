/* A simulation for people and for programs. */
#include "search/simulate.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/shown.h"

#include <math.h>

enum { ROWS = 12, COLUMNS = 64 };

/* --- table -------------------------------------------------------------------------- */

static double
percent_over(const struct simulation *s, double ms)
{
	/* A mean of times that are all the optimum may round to below it. */
	return fmax(0, 100 * (ms / s->optimum_ms - 1));
}

static void
add_label(struct arena *a, struct buf *b, const struct recorded *r, size_t row)
{
	for (size_t i = 0; i < r->n_params; i++) {
		buf_adds(b, i ? "," : "");
		shown_add(b, r->params[i].name);
		buf_addc(b, '=');
		shown_add(b, value_text(a, r->params[i].values[r->rows[row].choice[i]]));
	}
}

static void
add_head(struct arena *a, struct buf *b, const struct simulation *s)
{
	const struct recorded *r = s->ask.recorded;
	if (r->kernel.n) {
		shown_add(b, r->kernel);
		buf_adds(b, r->device.n ? " on " : "");
		shown_add(b, r->device);
		buf_adds(b, ": ");
	}
	buf_addf(b, "%zu candidates: %zu with a time, %zu failed, %zu refused\n", r->n,
		s->n_timed, s->n_failed, s->n_refused);
	buf_addf(b, "optimum %.6g ms, %zu within 1 %%: ", s->optimum_ms, s->n_near);
	add_label(a, b, r, s->optimum);
	buf_addf(b, "\n%zu seed%s, %llu evaluations, batches of %zu\n\n", s->ask.seeds,
		str_plural(s->ask.seeds), (unsigned long long)s->ask.budget,
		s->ask.batch);
}

static void
add_table(struct buf *b, const struct simulation *s)
{
	size_t last = s->ask.budget - 1;
	buf_adds(
		b, "     strategy    score  evaluations to 1 %       over the optimum\n");
	buf_addf(b, "  .  random     %6.3f  %8.1f expected       %10.2f %%\n", 0.0,
		s->random_near, percent_over(s, s->random_ms[last]));
	for (size_t i = 0; i < s->ask.n_strategies; i++) {
		const struct simulate_curve *c = &s->curves[i];
		bool all = c->n_near == s->ask.seeds;
		buf_addf(b, "  %c  %-10s %6.3f  %c%7.1f %3zu of %-3zu       %10.2f %%\n",
			(char)('A' + i % 26), c->strategy->name, c->score,
			all ? ' ' : '>', c->near, c->n_near, s->ask.seeds,
			percent_over(s, c->best_ms[last]));
	}
}

/* --- plot --------------------------------------------------------------------------- */

/* Down to a tenth of a percent over the optimum, logarithmic. */
static int
row_of(const struct simulation *s, double ms, double top)
{
	static const double BOTTOM = 0.1;
	double p = fmax(percent_over(s, ms), BOTTOM);
	double part = log(p / BOTTOM) / log(top / BOTTOM);
	return (int)lround((ROWS - 1) * (1 - fmin(part, 1)));
}

static void
draw(char grid[ROWS][COLUMNS], const struct simulation *s, const double *ms, double top,
	char mark)
{
	for (size_t x = 0; x < COLUMNS; x++) {
		size_t e = x * (s->ask.budget - 1) / (COLUMNS - 1);
		char *cell = &grid[row_of(s, ms[e], top)][x];
		if (*cell == ' ' || *cell == '.')
			*cell = mark;
	}
}

static void
add_plot(struct buf *b, const struct simulation *s)
{
	char grid[ROWS][COLUMNS];
	double top = fmax(1, percent_over(s, s->random_ms[0]));
	for (size_t i = 0; i < s->ask.n_strategies; i++)
		top = fmax(top, percent_over(s, s->curves[i].best_ms[0]));
	memset(grid, ' ', sizeof grid);
	draw(grid, s, s->random_ms, top, '.');
	for (size_t i = 0; i < s->ask.n_strategies; i++)
		draw(grid, s, s->curves[i].best_ms, top, (char)('A' + i % 26));
	buf_adds(b, "\n  % over the optimum\n");
	for (int y = 0; y < ROWS; y++) {
		double p = 0.1 * pow(top / 0.1, 1 - y / (ROWS - 1.0));
		buf_addf(b, "%9.2f |", p);
		size_t n = COLUMNS;
		while (n && grid[y][n - 1] == ' ')
			n--;
		buf_add(b, grid[y], n);
		buf_addc(b, '\n');
	}
	buf_adds(b, "          +");
	buf_pad(b, '-', COLUMNS);
	buf_addf(b, "\n           1%*llu evaluations\n", COLUMNS - 13,
		(unsigned long long)s->ask.budget);
}

struct str
simulation_text(struct arena *a, const struct simulation *s)
{
	struct buf b = {.a = a};
	add_head(a, &b, s);
	add_table(&b, s);
	add_plot(&b, s);
	return buf_str(&b);
}

/* --- JSON --------------------------------------------------------------------------- */

static void
put_curve(struct json_out *o, const double *ms, uint64_t n)
{
	json_open_array(o, "best_ms", true);
	for (uint64_t e = 0; e < n; e++)
		json_put_f64(o, NULL, ms[e]);
	json_close_array(o);
}

static void
put_strategies(struct json_out *o, const struct simulation *s)
{
	json_open_array(o, "strategies", false);
	for (size_t i = 0; i < s->ask.n_strategies; i++) {
		const struct simulate_curve *c = &s->curves[i];
		json_open_object(o, NULL);
		json_put_c(o, "name", c->strategy->name);
		json_put_f64(o, "score", c->score);
		json_put_f64(o, "evaluations_to_1_percent", c->near);
		json_put_i64(o, "runs_within_1_percent", (int64_t)c->n_near);
		put_curve(o, c->best_ms, s->ask.budget);
		json_close_object(o);
	}
	json_close_array(o);
}

struct str
simulation_json(struct arena *a, const struct simulation *s)
{
	struct json_out o = {.b = {.a = a}};
	const struct recorded *r = s->ask.recorded;
	json_open_object(&o, NULL);
	json_put_c(&o, "schema", "lanewise/simulate.v1");
	json_put_str(&o, "kernel", r->kernel);
	json_put_str(&o, "device", r->device);
	json_put_i64(&o, "candidates", (int64_t)r->n);
	json_put_i64(&o, "timed", (int64_t)s->n_timed);
	json_put_i64(&o, "failed", (int64_t)s->n_failed);
	json_put_i64(&o, "refused", (int64_t)s->n_refused);
	json_put_i64(&o, "within_1_percent", (int64_t)s->n_near);
	json_put_f64(&o, "optimum_ms", s->optimum_ms);
	json_put_i64(&o, "budget", (int64_t)s->ask.budget);
	json_put_i64(&o, "seeds", (int64_t)s->ask.seeds);
	json_put_i64(&o, "seed", (int64_t)s->ask.seed);
	json_put_i64(&o, "batch", (int64_t)s->ask.batch);
	json_open_object(&o, "random");
	json_put_f64(&o, "evaluations_to_1_percent", s->random_near);
	put_curve(&o, s->random_ms, s->ask.budget);
	json_close_object(&o);
	put_strategies(&o, s);
	json_close_object(&o);
	return json_done(&o);
}
