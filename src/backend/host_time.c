#include "backend/host_session.h"

#include <math.h>
#include <unistd.h>

/*
 * A kernel of one processor is timed by the processor time of the process: what others
 * do on the same processor in the meantime is not in it (the wall clock doubles when
 * another process has its turns).  A kernel of several is timed by the wall clock,
 * because they wait for each other.
 */

/* A clock that moves in larger steps is of no use for batches of a millisecond. */
static const int64_t STEP_MAX_NS = 10000;

static int64_t
read_clock(clockid_t clock)
{
	struct timespec t = {0, 0};

	clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* The smallest of some steps. */
static int64_t
step_of(clockid_t clock)
{
	enum { STEPS = 5, TRIES = 1 << 20 };
	int64_t least = INT64_MAX;

	for (int i = 0; i < STEPS; i++) {
		int64_t from = read_clock(clock), to = from;
		for (int t = 0; to == from && t < TRIES; t++)
			to = read_clock(clock);
		if (to > from && to - from < least)
			least = to - from;
	}
	return least;
}

clockid_t
host_clock_choose(void)
{
	return step_of(CLOCK_PROCESS_CPUTIME_ID) <= STEP_MAX_NS ? CLOCK_PROCESS_CPUTIME_ID
								: CLOCK_MONOTONIC;
}

/* --- a batch ------------------------------------------------------------------------ */

struct series {
	const struct loaded *l;
	int64_t n;
	unsigned copies;
	bool warm; /* one launch goes before */
	clockid_t clock;
	int64_t ns, wall_ns;
};

static void
run_series(void *arg)
{
	struct series *t = arg;

	if (t->warm)
		host_launch(t->l, 0);
	int64_t wall = read_clock(CLOCK_MONOTONIC), from = read_clock(t->clock);
	for (int64_t i = 0, copy = 0; i < t->n; i++) {
		host_launch(t->l, (unsigned)copy);
		copy = copy + 1 == t->copies ? 0 : copy + 1;
	}
	t->ns = read_clock(t->clock) - from;
	t->wall_ns = read_clock(CLOCK_MONOTONIC) - wall;
}

/* Reads what is twice as large as the cache, a line at a time. */
static void
empty_cache(struct session *s)
{
	volatile char *p;
	char sum = 0;

	if (!s->flush) {
		s->flush_bytes = (size_t)(2 * s->l2_bytes);
		s->flush = arena_raw(s->a, s->flush_bytes + 1, 1);
		memset(s->flush, 1, s->flush_bytes);
	}
	p = s->flush;
	for (size_t i = 0; i < s->flush_bytes; i += HOST_ALIGN)
		sum = (char)(sum + p[i]);
	(void)sum;
}

static void
make_cold(struct session *s, struct loaded *l, struct series *t)
{
	t->warm = false;
	host_pool_rotate(s, l->pool);
	t->copies = l->pool->copies;
	l->pool->rotated |= t->copies > 1;
	empty_cache(s);
}

bool
host_batch(
	struct session *s, struct loaded *l, const struct batch *b, struct reading *out)
{
	struct series t = {
		.l = l, .n = b->launches, .copies = 1, .warm = b->launches > 1};

	if (!host_bind(s, l->threads))
		return false;
	t.clock = l->threads == 1 ? s->busy_clock : CLOCK_MONOTONIC;
	if (b->cache == CACHE_COLD)
		make_cold(s, l, &t);
	host_params(s, l, t.copies);
	l->pool->used = true;
	if (!mainmem_restore(&s->mainmem, l->pool, t.copies))
		return false;
	host_library_ready(l);
	if (!host_guarded(s, "while it was timed", run_series, &t) ||
		!host_library_answer(s, l))
		return false;
	if (t.ns <= 0)
		return host_refuse(s, RESULT_TROUBLE, STR_LIT("the clock did not move"));
	*out = (struct reading){.ns = (double)t.ns / (double)t.n,
		.host_ns = (double)t.wall_ns / (double)t.n,
		.sm_mhz = (double)NAN,
		.power_w = (double)NAN,
		.celsius = (double)NAN};
	return true;
}

/* --- the floor ---------------------------------------------------------------------- */

static void
nothing(void *const *args)
{
	(void)args;
}

double
host_floor(struct session *s)
{
	enum { CALLS = 100000 };
	struct loaded empty = {.function = nothing};
	void *none[] = {NULL};
	struct series t = {.l = &empty,
		.n = CALLS,
		.copies = 1,
		.warm = true,
		.clock = s->busy_clock};

	empty.params = none;
	run_series(&t);
	return t.ns > 0 ? (double)t.ns / CALLS : (double)NAN;
}
