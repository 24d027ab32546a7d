#include "graph/progress.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/tty.h"
#include "graph/printer.h"
#include "node/event.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const stage_node[N_STAGES] = {"lower", "gate", "compile", "bench"};

struct progress
progress_begin(struct arena *a, const struct plan *p, bool draw)
{
	struct stat st;
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

void
progress_event(struct progress *p, struct str line)
{
	struct event e;
	if (!event_parse(p->a, line, &e))
		return;
	int s = stage_of(e.node);
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
	if (e.ns > 0 && (p->best_ns <= 0 || e.ns < p->best_ns)) {
		p->best_ns = e.ns;
		p->best = str_dup(p->a, e.name);
	}
}

static void
read_new(struct progress *p)
{
	char tmp[1 << 16];
	int fd = open(EVENTS_FILE, O_RDONLY | O_CLOEXEC);
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

static const char *
best_text(struct progress *p)
{
	double ns = p->best_ns;
	const char *unit = ns < 1e3 ? "ns" : ns < 1e6 ? "us" : "ms";
	double v = ns < 1e3 ? ns : ns < 1e6 ? ns * 1e-3 : ns * 1e-6;
	return str_fmt(
		p->a, "%s%.4g %s", plan_measures(p->plan) ? "" : "estimated ", v, unit)
		.s;
}

static bool
one_problem(const struct plan *p)
{
	return p->n_kernels == 1 && p->kernels[0].k->n_sizes == 1;
}

static void
draw(struct progress *p)
{
	size_t total[N_STAGES];
	struct arena_mark m = arena_mark(p->a);
	struct buf b = {.a = p->a};
	double elapsed = (double)(clock_ns() - p->start_ns) * 1e-9;
	totals(p, total);
	for (int i = 0; i < N_STAGES; i++)
		if (p->done[i])
			buf_addf(&b, "%s%s %zu/%zu", b.n ? "  " : "",
				i == STAGE_BENCH && !plan_measures(p->plan)
					? "estimate"
					: stage_node[i],
				p->done[i],
				i == STAGE_BENCH ? total[i] - p->refused : total[i]);
	if (p->refused)
		buf_addf(&b, "  refused %zu", p->refused);
	if (p->best_ns > 0 && one_problem(p->plan))
		buf_addf(&b, "  best %s %.*s", best_text(p), STR_ARG(p->best));
	buf_adds(&b, "  ");
	add_time(&b, elapsed);
	size_t benched = p->done[STAGE_BENCH], judged = p->done[STAGE_GATE];
	if (benched && judged == total[STAGE_GATE] && plan_measures(p->plan)) {
		double left =
			(double)(total[STAGE_BENCH] - p->refused - p->error - benched) *
			p->bench_ms * 1e-3 / (double)benched;
		buf_adds(&b, ", about ");
		add_time(&b, left > 0 ? left : 0);
		buf_adds(&b, " left");
	}
	int width = tty_width(2) - 1;
	fprintf(stderr, "\r%.*s\033[K", (int)b.n < width ? (int)b.n : width, buf_c(&b));
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
