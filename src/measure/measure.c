#include "measure/measure_parts.h"

#include "base/arena.h"

#include <math.h>

/* Compiling PTX takes up to a minute; data ten seconds, and ten seconds a gigabyte. */
static const int64_t LOAD_NS = 60 * MEASURE_S, BYTES_NS = 10 * MEASURE_S;
static const double BYTES_PER_NS = 0.1;
static const int64_t REWARM_MAX_NS = 50 * MEASURE_MS;

/* --- time that is allowed ---------------------------------------------------------- */

void
measure_step(struct measure *m, const char *name, int64_t allowed_ns)
{
	char text[200];

	if (!m->watch.step)
		return;
	/* When it never ends, its name says whose fault that was. */
	(void)snprintf(text, sizeof text, "%s%s%.*s", name, m->subject.n ? " " : "",
		STR_ARG(m->subject));
	m->watch.step(m->watch.arg, text, allowed_ns + MEASURE_S);
}

int64_t
measure_now(struct measure *m)
{
	return m->ops->now(m->s);
}

/* Clocks have fallen after a gap; some work brings them back. */
void
measure_begin(struct measure *m)
{
	int64_t gap = measure_now(m) - m->busy_at, owed = gap / 4;

	if (owed > REWARM_MAX_NS)
		owed = REWARM_MAX_NS;
	if (gap > IDLE_NS && owed > m->owed_ns)
		m->owed_ns = owed;
}

void
measure_end(struct measure *m)
{
	m->busy_at = measure_now(m);
}

int64_t
measure_first_ns(const struct bench_request *q, double usual_ns)
{
	double least = 2e9, most = (double)q->timeout_ns;

	if (!(usual_ns > 0))
		return q->timeout_ns;
	return (int64_t)fmin(most, fmax(least, 100 * usual_ns));
}

int64_t
measure_later_ns(double predicted_ns)
{
	/* What is not known yet may take as long as it likes for a minute. */
	if (!(predicted_ns > 0))
		return 60 * MEASURE_S;
	return (int64_t)(4 * predicted_ns) + 5 * MEASURE_S;
}

int64_t
measure_bytes_ns(double bytes)
{
	return BYTES_NS + (int64_t)(bytes / BYTES_PER_NS);
}

bool
measure_fail(struct fault *f, enum result_status status, struct str reason)
{
	*f = (struct fault){status, reason, false};
	return false;
}

/* --- the device -------------------------------------------------------------------- */

static double
bytes_moved(const struct bench_request *q)
{
	double bytes = (double)q->artifact.n;

	for (size_t i = 0; i < q->n_args; i++)
		if (q->args[i].pointer)
			bytes += (double)q->args[i].count *
				 (double)dtype_bytes(q->args[i].type);
	return bytes;
}

struct loaded *
measure_load(struct measure *m, struct arena *a, const struct bench_request *q,
	struct fault *f)
{
	measure_step(m, "load", LOAD_NS + measure_bytes_ns(bytes_moved(q)));
	return m->ops->load(m->s, a, q, f);
}

double
measure_floor(struct measure *m, const struct bench_request *q, const struct timed *t)
{
	struct arena_mark mark = arena_mark(m->a);
	struct str key = str_fmt(m->a, "%s %.*s", launch_mode_name(t->batch.launch),
		STR_ARG(launch_text(m->a, &q->launch)));
	long known = map_find(&m->floors, key);

	if (known != MAP_NONE) {
		arena_pop(m->a, mark);
		return m->floor_ns[known];
	}
	size_t n = m->floors.n;
	arena_grow(m->a, m->floor_ns, n, m->cap_floors);
	(void)map_put(&m->floors, key, NULL);
	measure_step(m, "floor", measure_later_ns(0));
	m->floor_ns[n] = m->ops->floor(m->s, t->l, t->batch.launch);
	return m->floor_ns[n];
}

bool
measure_shared_now(struct measure *m)
{
	struct arena scratch = {0};
	struct device_state d;
	bool before = str_starts(m->sharing, "shared");

	m->ops->state(m->s, &scratch, &d);
	if (!str_eq(m->sharing, d.sharing))
		m->sharing = str_dup(m->a, d.sharing);
	arena_release(&scratch);
	return !before && str_starts(m->sharing, "shared");
}

struct measure *
measure_open(struct arena *a, const struct backend *b, const struct device *dev,
	struct measure_watch watch, struct fault *f)
{
	struct measure *m = arena_new(a, struct measure);

	*m = (struct measure){
		.a = a, .backend = b, .ops = b->ops, .dev = dev, .watch = watch};
	m->floors.a = a;
	measure_step(m, "open", LOAD_NS);
	m->s = m->ops->open(a, dev, f);
	if (!m->s)
		return NULL;
	(void)measure_shared_now(m);
	return m;
}

/* --- candidates -------------------------------------------------------------------- */

static void
identify(struct measure *m, const struct job *j, struct result *r)
{
	struct str point = j->member[0].point;
	size_t at = point.n;

	while (at > 0 && point.s[at - 1] != '@')
		at--;
	*r = result_none();
	r->kernel = j->kernel;
	r->size = j->size;
	r->candidate = at ? str_sub(point, 0, at - 1) : point;
	r->kind = m->backend->kind;
	r->device = m->dev->name;
	r->device_uuid = m->dev->uuid;
	r->driver = m->dev->driver;
}

/* What was claimed on the way holds only if the end was reached. */
static void
withdraw(struct result *r, const struct fault *f)
{
	r->status = f->status;
	r->reason = f->reason;
	r->median_ns = r->low_ns = r->high_ns = (double)NAN;
	r->n_readings = r->n_singles = 0;
	r->launches_per_batch = -1;
	r->window = result_none().window;
	r->verified = false;
}

bool
measure_candidate(
	struct measure *m, struct arena *a, const struct job *j, struct result *r)
{
	struct fault f = {RESULT_TROUBLE, {0}, false};

	identify(m, j, r);
	r->status = RESULT_OK;
	bool ok = j->kind == JOB_SCREEN ? screen(m, a, j, r, &f) : once(m, a, j, r, &f);
	r->window.sharing = str_dup(a, m->sharing);
	if (ok)
		return !m->lost;
	withdraw(r, &f);
	m->lost = m->lost || f.fatal;
	return !m->lost;
}
