#include "graph/progress.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/shown.h"
#include "base/tty.h"
#include "graph/printer.h"
#include "node/event.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LOG_MAX = 16 << 20 };

static const char *const stage_node[N_STAGES] = {"lower", "gate", "compile", "bench"};

struct progress
progress_begin(struct arena *a, const struct plan *p, bool draw)
{
	struct stat st;
	/* A log of old runs tells nothing any more; between runs nobody writes it. */
	if (stat(EVENTS_FILE, &st) == 0 && st.st_size > LOG_MAX)
		fs_remove(EVENTS_FILE);
	return (struct progress){
		.a = a,
		.plan = p,
		.offset = stat(EVENTS_FILE, &st) == 0 ? st.st_size : 0,
		.start_ns = clock_ns(),
		.tty = draw && tty_is(2),
	};
}

/* "3 clean, 0 caveat, 8 refused, 0 error" */
static void
count_verdicts(struct progress *p, struct str detail)
{
	struct str piece, number;
	size_t *const to[] = {&p->clean, &p->caveat, &p->refused, &p->error};
	for (size_t i = 0; i < 4 && str_split(&detail, ',', &piece); i++) {
		uint64_t n;
		piece = str_trim(piece);
		if (str_split(&piece, ' ', &number) && str_to_u64(number, &n))
			*to[i] += n;
	}
}

static int
stage_of(struct str node)
{
	if (str_is(node, "estimate"))
		return STAGE_BENCH;
	for (int i = 0; i < N_STAGES; i++)
		if (str_is(node, stage_node[i]))
			return i;
	return -1;
}

/* "BLOCK=64@1M" of kernel reduce is a candidate for the problem "reduce@1M". */
static void
keep_best(struct progress *p, const struct event *e)
{
	size_t at = str_find(e->name, '@');
	struct str size = str_sub(e->name, at, e->name.n);
	struct str problem = str_fmt(p->a, "%.*s%.*s", STR_ARG(e->kernel), STR_ARG(size));
	bool added;
	p->problems.a = p->a;
	size_t i = map_put(&p->problems, problem, &added);
	if (added)
		arena_grow(p->a, p->best, i, p->cap_best);
	if (!added && p->best[i].ns <= e->ns)
		return;
	p->best[i] =
		(struct progress_best){str_dup(p->a, str_sub(e->name, 0, at)), e->ns};
	p->latest = i;
}

/* Two nodes that wait for one worker say the same. */
static void
say_waits(struct progress *p, struct str why)
{
	if (str_eq(why, p->waits))
		return;
	p->waits = str_dup(p->a, why);
	if (p->drawn)
		fputs("\r\033[K", stderr);
	shown_print(stderr, why);
	fputc('\n', stderr);
	p->drawn = false;
}

void
progress_event(struct progress *p, struct str line)
{
	struct event e;
	if (!event_parse(p->a, line, &e))
		return;
	int s = stage_of(e.node);
	if (str_is(e.status, "waits"))
		say_waits(p, e.detail);
	if (s < 0)
		return;
	p->done[s]++;
	if (str_is(e.status, "cached"))
		p->cached[s]++;
	else if (!str_is(e.status, "ok"))
		p->failed[s]++;
	if (s == STAGE_GATE)
		count_verdicts(p, e.detail);
	if (s != STAGE_BENCH)
		return;
	p->bench_ms += e.ms;
	if (e.ns > 0)
		keep_best(p, &e);
}

static void
read_new(struct progress *p)
{
	char tmp[1 << 16];
	int fd = open(EVENTS_FILE, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return;
	for (;;) {
		ssize_t n = pread(fd, tmp, sizeof tmp, p->offset);
		struct str rest = {tmp, n > 0 ? (size_t)n : 0};
		size_t whole = rest.n;
		while (whole && tmp[whole - 1] != '\n')
			whole--; /* a line still being written is read next time */
		if (!whole && rest.n == sizeof tmp)
			whole = rest.n; /* no line of ours: without this it would block
					   the rest */
		if (!whole)
			break;
		rest.n = whole;
		p->offset += (int64_t)whole;
		struct str line;
		while (str_line(&rest, &line))
			progress_event(p, line);
	}
	close(fd);
}

static void
totals(const struct progress *p, size_t total[N_STAGES])
{
	memset(total, 0, N_STAGES * sizeof *total);
	for (size_t i = 0; i < p->plan->n_kernels; i++) {
		const struct plan_kernel *k = &p->plan->kernels[i];
		total[STAGE_LOWER] += k->n_specializations;
		total[STAGE_GATE] += k->n_specializations;
		total[STAGE_COMPILE] += k->n_specializations;
		total[STAGE_BENCH] += k->n_points;
	}
}

static void
add_time(struct buf *b, double s)
{
	long t = (long)(s + 0.5);
	if (t >= 3600)
		buf_addf(b, "%ld:%02ld:%02ld", t / 3600, t / 60 % 60, t % 60);
	else
		buf_addf(b, "%ld:%02ld", t / 60, t % 60);
}

static void
add_best(struct buf *b, const struct progress *p)
{
	if (!p->problems.n)
		return;
	const struct progress_best *best = &p->best[p->latest];
	double ns = best->ns;
	const char *unit = ns < 1e3 ? "ns" : ns < 1e6 ? "us" : "ms";
	double v = ns < 1e3 ? ns : ns < 1e6 ? ns * 1e-3 : ns * 1e-6;
	buf_addf(b, "  best %.*s %s%.4g %s %.*s", STR_ARG(p->problems.keys[p->latest]),
		plan_measures(p->plan) ? "" : "~", v, unit, STR_ARG(best->candidate));
}

static void
add_stages(struct buf *b, const struct progress *p, const size_t total[N_STAGES])
{
	bool measured = plan_measures(p->plan);
	for (int i = 0; i < N_STAGES; i++) {
		if (!p->done[i])
			continue;
		buf_addf(b, "%s%s %zu", b->n ? "  " : "",
			i == STAGE_BENCH && !measured ? "estimate" : stage_node[i],
			p->done[i]);
		/* How many specializations are admitted is not known before the end. */
		if (i != STAGE_COMPILE)
			buf_addf(b, "/%zu",
				i == STAGE_BENCH ? total[i] - p->refused : total[i]);
	}
}

static void
add_time_left(struct buf *b, const struct progress *p, const size_t total[N_STAGES])
{
	size_t benched = p->done[STAGE_BENCH];
	if (!benched || p->done[STAGE_GATE] < total[STAGE_GATE] ||
		!plan_measures(p->plan))
		return;
	double left =
		(double)total[STAGE_BENCH] - (double)(p->refused + p->error + benched);
	buf_adds(b, ", about ");
	add_time(b, left > 0 ? left * p->bench_ms * 1e-3 / (double)benched : 0);
	buf_adds(b, " left");
}

static void
draw(struct progress *p)
{
	size_t total[N_STAGES];
	struct arena_mark m = arena_mark(p->a);
	struct buf b = {.a = p->a};
	double elapsed = (double)(clock_ns() - p->start_ns) * 1e-9;
	totals(p, total);
	add_stages(&b, p, total);
	if (p->refused)
		buf_addf(&b, "  refused %zu", p->refused);
	add_best(&b, p);
	buf_adds(&b, "  ");
	add_time(&b, elapsed);
	add_time_left(&b, p, total);
	struct str line = shown_text(p->a, buf_str(&b));
	int width = tty_width(2) - 1;
	if ((int)line.n > width)
		line.n = str_boundary(line, width > 0 ? (size_t)width : 0);
	fprintf(stderr, "\r%.*s\033[K", STR_ARG(line));
	fflush(stderr);
	p->drawn = true;
	arena_pop(p->a, m);
}

void
progress_tick(void *progress)
{
	struct progress *p = progress;
	read_new(p);
	if (p->tty)
		draw(p);
}

void
progress_end(struct progress *p)
{
	read_new(p);
	if (p->drawn)
		fprintf(stderr, "\r\033[K");
	struct buf b = {.a = p->a};
	for (int i = 0; i < N_STAGES; i++) {
		if (!p->done[i])
			continue;
		const char *name = i == STAGE_BENCH && !plan_measures(p->plan)
					   ? "estimate"
					   : stage_node[i];
		buf_addf(&b, "%s%s %zu", b.n ? ", " : "", name, p->done[i]);
		if (p->cached[i])
			buf_addf(&b, " (%zu cached)", p->cached[i]);
	}
	if (!b.n)
		return;
	buf_adds(&b, " in ");
	add_time(&b, (double)(clock_ns() - p->start_ns) * 1e-9);
	fprintf(stderr, "%s\n", buf_c(&b));
}
