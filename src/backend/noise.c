#include "backend/noise.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/cpu.h"
#include "base/fs.h"

#include <math.h>
#include <unistd.h>

static const double INTERVAL_S = 0.5;
static const double MANY_OTHERS = 0.25, FEW_OTHERS = 0.125;
static const double MUCH_STEAL = 0.05, LITTLE_STEAL = 0.02;

/* "cpu user nice system idle iowait irq softirq steal ...": proc(5). */
enum { IDLE = 3, IOWAIT = 4, STEAL = 7, N_COUNTERS = 8 };

static bool
read_counters(struct arena *a, struct noise_watch *w)
{
	struct str text, line, word;
	double v[N_COUNTERS] = {0}, hz = (double)sysconf(_SC_CLK_TCK);
	size_t n = 0;

	if (!fs_try_read(a, "/proc/stat", &text) || !str_line(&text, &line) ||
		!str_split(&line, ' ', &word) || !str_is(word, "cpu"))
		return false;
	while (n < N_COUNTERS && str_split(&line, ' ', &word))
		if (word.n && !str_to_f64(word, &v[n++]))
			return false;
	w->all_s = 0;
	for (size_t i = 0; i < n; i++)
		w->all_s += v[i] / hz;
	w->steal_s = v[STEAL] / hz;
	w->busy_s = w->all_s - (v[IDLE] + v[IOWAIT] + v[STEAL]) / hz;
	return w->all_s > 0;
}

static double
own_s(void)
{
	struct timespec t;

	if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t) != 0)
		return 0;
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void
look_at_counters(struct arena *a, struct noise_watch *w, int cpus)
{
	struct noise_watch now = *w;

	if (!read_counters(a, &now)) {
		w->others = w->steal = (double)NAN;
		return;
	}
	now.own_s = own_s();
	now.begun = true;
	double all = now.all_s - w->all_s;
	if (!w->begun) {
		now.others = now.steal = (double)NAN;
	} else if (all < INTERVAL_S * cpus) {
		return;
	} else {
		double others = now.busy_s - w->busy_s - (now.own_s - w->own_s);
		now.others = fmax(0, others / all * cpus);
		now.steal = (now.steal_s - w->steal_s) / all;
	}
	*w = now;
}

static double
read_load(struct arena *a)
{
	struct str text, word;
	double load;

	if (!fs_try_read(a, "/proc/loadavg", &text) || !str_split(&text, ' ', &word) ||
		!str_to_f64(word, &load))
		return (double)NAN;
	return load;
}

void
noise_look(struct arena *a, struct noise_watch *w, struct noise *out)
{
	static const char governor[] =
		"/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor";
	struct str text;

	*out = (struct noise){.cpus = (int)cpu_online(), .load = read_load(a)};
	look_at_counters(a, w, out->cpus);
	out->others = w->others;
	out->steal = w->steal;
	if (fs_try_read(a, governor, &text))
		out->governor = str_trim(text);
}

/* Not told compares false: then nothing changes. */
static bool
is_shared(const struct noise_watch *w, const struct noise *n)
{
	if (n->others > MANY_OTHERS || n->steal > MUCH_STEAL)
		return true;
	if (n->others < FEW_OTHERS && n->steal < LITTLE_STEAL)
		return false;
	return w->shared;
}

struct str
noise_text(struct arena *a, struct noise_watch *w, const struct noise *n)
{
	struct buf b = {.a = a};
	bool told = !isnan(n->others);

	w->shared = is_shared(w, n);
	buf_adds(&b, w->shared ? "shared: " : told ? "exclusive: " : "unknown: ");
	if (told)
		buf_addf(&b, "others %.2f of %d CPUs", n->others, n->cpus);
	else
		buf_addf(&b, "%d CPUs", n->cpus);
	if (!isnan(n->load))
		buf_addf(&b, ", load %.2f", n->load);
	if (!isnan(n->steal))
		buf_addf(&b, ", steal %.1f %%", n->steal * 100);
	if (n->governor.n)
		buf_addf(&b, ", governor %.*s", STR_ARG(n->governor));
	return buf_str(&b);
}
