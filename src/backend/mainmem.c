#include "backend/mainmem.h"

#include "backend/fill.h"

#include <sys/mman.h>
#include <unistd.h>

static size_t
round_up(size_t n, size_t to)
{
	return (n + to - 1) / to * to;
}

static size_t
page_bytes(void)
{
	long n = sysconf(_SC_PAGESIZE);
	return n > 0 ? (size_t)n : 4096;
}

void
mainmem_begin(struct mainmem *m, struct arena *a)
{
	m->pattern = pool_pattern(a, m->before + page_bytes() + m->align);
}

struct mainmem_buffer *
mainmem_buffer(const struct mainmem *m, const struct pool *p, size_t arg)
{
	return (void *)((char *)p->buffers + arg * m->pools.ops->buffer_bytes);
}

/* --- one buffer --------------------------------------------------------------------- */

/* Its end lies at the end of what can be touched, up to its alignment. */
static bool
fenced_make(const struct mainmem *m, const struct arg *v, struct fenced *b)
{
	size_t bytes = (size_t)(v->count * dtype_bytes(v->type));
	size_t room = round_up(bytes, m->align);
	size_t home_bytes = round_up(m->before + room, page_bytes());
	size_t map_bytes = home_bytes + 2 * (size_t)MAINMEM_GUARD;
	int kind = MAP_PRIVATE | MAP_ANONYMOUS;
	/* cppcheck-suppress invalidFunctionArg */
	void *map = mmap(NULL, map_bytes, PROT_NONE, kind, -1, 0);
	if (map == MAP_FAILED)
		return false;
	b->map = map;
	b->map_bytes = map_bytes;
	b->home = b->map + MAINMEM_GUARD;
	b->home_bytes = home_bytes;
	b->at = b->home + home_bytes - room;
	b->bytes = bytes;
	return mprotect(b->home, home_bytes, PROT_READ | PROT_WRITE) == 0;
}

static void
fenced_free(struct fenced *b)
{
	if (b->map)
		munmap(b->map, b->map_bytes);
	*b = (struct fenced){0};
}

static void
zones_set(const struct mainmem *m, const struct fenced *b)
{
	unsigned char *end = b->at + b->bytes;
	memcpy(b->home, m->pattern, (size_t)(b->at - b->home));
	memcpy(end, m->pattern, (size_t)(b->home + b->home_bytes - end));
}

static size_t
changed(const struct mainmem *m, const unsigned char *zone, size_t n)
{
	size_t sum = 0;
	for (size_t i = 0; i < n && memcmp(zone, m->pattern, n) != 0; i++)
		sum += zone[i] != m->pattern[i];
	return sum;
}

static bool
zones_check(const struct mainmem *m, const struct arg *v, const struct fenced *b)
{
	const unsigned char *end = b->at + b->bytes;
	size_t before = changed(m, b->home, (size_t)(b->at - b->home));
	size_t after = changed(m, end, (size_t)(b->home + b->home_bytes - end));
	return (!before && !after) ||
	       pool_wrote_outside(m->pools.call, v, before ? before : after, before == 0);
}

static struct hash
sum_of(const struct fenced *b)
{
	return hash_bytes((struct str){(const char *)b->at, b->bytes});
}

/* --- one argument ------------------------------------------------------------------- */

static void
copy_fill(const struct mainmem *m, const struct pool *p, size_t i, const struct fenced *b)
{
	const struct arg *v = &p->args[i];
	const struct fenced *first = mainmem_buffer(m, p, i)->copy;
	if (m->protects)
		(void)mprotect(b->home, b->home_bytes, PROT_READ | PROT_WRITE);
	zones_set(m, b);
	if (b != first)
		memcpy(b->at, first->at, b->bytes);
	else if (pool_is_input(v))
		fill_all(v, fill_stream(p->seed, i), 0, v->count, b->at);
	if (m->protects && pool_is_input(v))
		(void)mprotect(b->home, b->home_bytes, PROT_READ);
}

static bool
fill_one(struct mainmem *m, struct pool *p, size_t i, unsigned env)
{
	const struct arg *v = &p->args[i];
	struct mainmem_buffer *b = mainmem_buffer(m, p, i);
	(void)env;
	if (pool_is_inout(v))
		fill_all(v, fill_stream(p->seed, i), 0, v->count, b->pristine);
	for (unsigned c = 0; c < p->copies; c++)
		copy_fill(m, p, i, &b->copy[c]);
	if (pool_is_input(v))
		b->sum = sum_of(&b->copy[0]);
	return true;
}

static bool
check_one(struct mainmem *m, struct pool *p, size_t i, unsigned copies)
{
	const struct arg *v = &p->args[i];
	const struct mainmem_buffer *b = mainmem_buffer(m, p, i);
	for (unsigned c = 0; c < copies; c++) {
		if (!zones_check(m, v, &b->copy[c]))
			return false;
		struct hash now = pool_is_input(v) ? sum_of(&b->copy[c]) : b->sum;
		if (now.hi != b->sum.hi || now.lo != b->sum.lo)
			return pool_wrote_input(m->pools.call, v);
	}
	return true;
}

static bool
restore_one(struct mainmem *m, struct pool *p, size_t i, unsigned copies)
{
	const struct mainmem_buffer *b = mainmem_buffer(m, p, i);
	for (unsigned c = 0; c < copies && pool_is_inout(&p->args[i]); c++)
		memcpy(b->copy[c].at, b->pristine, b->copy[c].bytes);
	return true;
}

static bool
poison_one(struct mainmem *m, struct pool *p, size_t i, unsigned byte)
{
	const struct fenced *b = mainmem_buffer(m, p, i)->copy;
	if (!p->args[i].input)
		memset(b->at, (int)byte, b->bytes);
	return true;
}

/* --- all arguments ------------------------------------------------------------------ */

/* work() on each buffer while it is ours; the first fault is the one that is told. */
static bool
each_buffer(struct mainmem *m, struct pool *p, unsigned env,
	bool (*work)(struct mainmem *, struct pool *, size_t, unsigned))
{
	for (size_t i = 0; i < p->n_args; i++) {
		struct mainmem_buffer *b = mainmem_buffer(m, p, i);
		if (!p->args[i].pointer)
			continue;
		if (m->hold && !m->hold(m->pools.s, b))
			return false;
		bool ok = work(m, p, i, env);
		struct fault said = *m->pools.call->f;
		if (m->let_go && !m->let_go(m->pools.s, b))
			return false;
		if (!ok) {
			*m->pools.call->f = said;
			return false;
		}
	}
	return true;
}

bool
mainmem_fill(struct mainmem *m, struct pool *p)
{
	return each_buffer(m, p, 0, fill_one);
}

bool
mainmem_check(struct mainmem *m, struct pool *p)
{
	return each_buffer(m, p, p->rotated ? p->copies : 1, check_one);
}

bool
mainmem_restore(struct mainmem *m, struct pool *p, unsigned copies)
{
	return each_buffer(m, p, copies, restore_one);
}

bool
mainmem_poison(struct mainmem *m, struct pool *p, unsigned char byte)
{
	return each_buffer(m, p, byte, poison_one);
}

bool
mainmem_read(struct mainmem *m, struct pool *p, size_t arg, void *to)
{
	struct mainmem_buffer *b = mainmem_buffer(m, p, arg);
	if (m->hold && !m->hold(m->pools.s, b))
		return false;
	memcpy(to, b->copy[0].at, b->copy[0].bytes);
	return !m->let_go || m->let_go(m->pools.s, b);
}

/* --- making ------------------------------------------------------------------------- */

static bool
copy_make(struct mainmem *m, struct pool *p, unsigned c)
{
	for (size_t i = 0; i < p->n_args; i++) {
		struct mainmem_buffer *b = mainmem_buffer(m, p, i);
		if (p->args[i].pointer && !fenced_make(m, &p->args[i], &b->copy[c]))
			return false;
	}
	return true;
}

bool
mainmem_make(struct mainmem *m, struct pool *p)
{
	for (size_t i = 0; i < p->n_args; i++)
		if (pool_is_inout(&p->args[i]))
			mainmem_buffer(m, p, i)->pristine = arena_raw(&p->a,
				(size_t)p->args[i].count, dtype_bytes(p->args[i].type));
	return copy_make(m, p, 0);
}

static void
copy_free(struct mainmem *m, struct pool *p, unsigned c)
{
	for (size_t i = 0; i < p->n_args; i++)
		fenced_free(&mainmem_buffer(m, p, i)->copy[c]);
}

void
mainmem_free(struct mainmem *m, struct pool *p)
{
	for (unsigned c = 0; c < p->copies; c++)
		copy_free(m, p, c);
}

bool
mainmem_copy(struct mainmem *m, struct pool *p)
{
	unsigned c = p->copies;
	if (c == POOL_COPIES_MAX || !copy_make(m, p, c)) {
		if (c < POOL_COPIES_MAX)
			copy_free(m, p, c);
		return false;
	}
	for (size_t i = 0; i < p->n_args; i++)
		if (p->args[i].pointer)
			copy_fill(m, p, i, &mainmem_buffer(m, p, i)->copy[c]);
	p->copies++;
	return true;
}
