#include "backend/host_session.h"

#include "backend/fill.h"
#include "base/rng.h"

#include <sys/mman.h>
#include <unistd.h>

static size_t
round_up(uint64_t n, size_t to)
{
	return (size_t)((n + to - 1) / to * to);
}

static bool
is_pure_input(const struct arg *v)
{
	return v->pointer && v->input && !v->output;
}

static bool
is_inout(const struct arg *v)
{
	return v->pointer && v->input && v->output;
}

static struct host_buffer *
buffer_of(const struct host_pool *p, unsigned copy, size_t arg)
{
	return &p->buffer[copy * p->n_args + arg];
}

/* --- one buffer --------------------------------------------------------------------- */

static bool
buffer_protect(const struct host_buffer *b, int rights)
{
	return mprotect(b->map + HOST_GUARD, b->map_bytes - 2 * (size_t)HOST_GUARD,
		       rights) == 0;
}

/* Its end lies at the end of what can be touched, up to its alignment. */
static bool
buffer_map(struct session *s, const struct arg *v, struct host_buffer *b)
{
	size_t page = s->page_bytes, room, guards = 2 * (size_t)HOST_GUARD;

	b->bytes = (size_t)(v->count * dtype_bytes(v->type));
	room = round_up(b->bytes, HOST_ALIGN);
	b->map_bytes = round_up(room, page) + page + guards;
	int kind = MAP_PRIVATE | MAP_ANONYMOUS;
	/* cppcheck-suppress invalidFunctionArg */
	void *map = mmap(NULL, b->map_bytes, PROT_NONE, kind, -1, 0);
	if (map == MAP_FAILED)
		return false;
	b->map = map;
	b->at = b->map + b->map_bytes - HOST_GUARD - room;
	return buffer_protect(b, PROT_READ | PROT_WRITE);
}

static void
buffer_unmap(struct host_buffer *b)
{
	if (b->map)
		munmap(b->map, b->map_bytes);
	*b = (struct host_buffer){0};
}

struct zone {
	char *at;
	size_t n;
};

static struct zone
zone_of(const struct host_buffer *b, bool after)
{
	char *begin = b->map + HOST_GUARD, *end = b->map + b->map_bytes - HOST_GUARD;

	return after ? (struct zone){b->at + b->bytes, (size_t)(end - b->at) - b->bytes}
		     : (struct zone){begin, (size_t)(b->at - begin)};
}

static void
zones_set(const struct session *s, const struct host_buffer *b)
{
	for (int after = 0; after < 2; after++) {
		struct zone z = zone_of(b, after);
		memcpy(z.at, s->pattern, z.n);
	}
}

static bool
zones_check(struct session *s, const struct arg *v, const struct host_buffer *b)
{
	for (int after = 0; after < 2; after++) {
		struct zone z = zone_of(b, after);
		size_t changed = 0;
		if (memcmp(z.at, s->pattern, z.n) == 0)
			continue;
		for (size_t i = 0; i < z.n; i++)
			changed += (unsigned char)z.at[i] != s->pattern[i];
		return host_refuse(s, RESULT_WRONG,
			str_fmt(s->call.a,
				"wrote outside '%.*s': %zu bytes %s it changed",
				STR_ARG(v->name), changed, after ? "after" : "before"));
	}
	return true;
}

/* --- contents ----------------------------------------------------------------------- */

static void
input_fill(const struct host_pool *p, size_t i, void *to)
{
	fill_all(&p->args[i], fill_stream(p->seed, i), 0, p->args[i].count, to);
}

/* All of one copy as it is before the first launch. */
static void
copy_fill(const struct session *s, const struct host_pool *p, unsigned copy)
{
	for (size_t i = 0; i < p->n_args; i++) {
		const struct host_buffer *b = buffer_of(p, copy, i),
					 *first = buffer_of(p, 0, i);
		if (!b->map)
			continue;
		(void)buffer_protect(b, PROT_READ | PROT_WRITE);
		zones_set(s, b);
		if (copy)
			memcpy(b->at, first->at, b->bytes);
		else if (is_pure_input(&p->args[i]))
			input_fill(p, i, b->at);
		if (is_pure_input(&p->args[i]))
			(void)buffer_protect(b, PROT_READ);
	}
}

static void
pool_fill(const struct session *s, struct host_pool *p)
{
	for (size_t i = 0; i < p->n_args; i++)
		if (is_inout(&p->args[i]))
			input_fill(p, i, p->pristine[i]);
	for (unsigned copy = 0; copy < p->copies; copy++)
		copy_fill(s, p, copy);
	p->filled = true;
}

void
host_pool_restore(struct host_pool *p, unsigned copies)
{
	for (size_t i = 0; i < p->n_args; i++)
		for (unsigned c = 0; is_inout(&p->args[i]) && c < copies; c++)
			memcpy(buffer_of(p, c, i)->at, p->pristine[i],
				buffer_of(p, c, i)->bytes);
}

void
host_pool_poison(struct host_pool *p, unsigned char byte)
{
	for (size_t i = 0; i < p->n_args; i++)
		if (p->args[i].pointer && !p->args[i].input)
			memset(buffer_of(p, 0, i)->at, byte, buffer_of(p, 0, i)->bytes);
}

/* Damage is repaired when the next candidate is loaded. */
bool
host_pool_check(struct session *s, struct host_pool *p)
{
	unsigned copies = p->rotated ? p->copies : 1;

	for (size_t i = 0; i < copies * p->n_args; i++) {
		const struct host_buffer *b = &p->buffer[i];
		if (!b->map || zones_check(s, &p->args[i % p->n_args], b))
			continue;
		p->filled = false;
		return false;
	}
	p->rotated = false;
	return true;
}

/* --- pools -------------------------------------------------------------------------- */

static void
pool_free(struct host_pool *p)
{
	for (size_t i = 0; i < p->copies * p->n_args; i++)
		buffer_unmap(&p->buffer[i]);
	struct arena a = p->a; /* it holds p */
	arena_release(&a);
}

/* Memory of argument lists that nobody uses now. */
static bool
pools_evict(struct session *s)
{
	bool any = false;

	for (struct host_pool **at = &s->pools; *at;) {
		struct host_pool *p = *at;
		if (p->users) {
			at = &p->next;
			continue;
		}
		*at = p->next;
		pool_free(p);
		any = true;
	}
	return any;
}

/* Memory is given out freely and taken by force (the kernel kills), so what is free is
 * asked for first; half of it is left to others. */
static bool
memory_has(uint64_t bytes)
{
	long pages = sysconf(_SC_AVPHYS_PAGES), page = sysconf(_SC_PAGESIZE);

	return pages < 0 || bytes < (uint64_t)pages * (uint64_t)page / 2;
}

static uint64_t
bytes_of(const struct arg *args, size_t n)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < n; i++)
		if (args[i].pointer)
			bytes += args[i].count * dtype_bytes(args[i].type) *
				 (is_inout(&args[i]) ? 2 : 1);
	return bytes;
}

static bool
copy_map(struct session *s, struct host_pool *p, unsigned copy)
{
	for (size_t i = 0; i < p->n_args; i++)
		if (p->args[i].pointer &&
			!buffer_map(s, &p->args[i], buffer_of(p, copy, i)))
			return false;
	return true;
}

static struct host_pool *
pool_make(struct session *s, const struct bench_request *q, struct str key)
{
	struct arena a = {0};
	struct host_pool *p = arena_new(&a, struct host_pool);
	struct arg *args = arena_news(&a, q->n_args + 1, struct arg);

	for (size_t i = 0; i < q->n_args; i++)
		args[i] = arg_keep(&a, &q->args[i]);
	*p = (struct host_pool){.key = str_dup(&a, key),
		.args = args,
		.n_args = q->n_args,
		.seed = q->seed,
		.buffer = arena_news(
			&a, HOST_COPIES_MAX * (q->n_args + 1), struct host_buffer),
		.pristine = arena_news(&a, q->n_args + 1, void *),
		.copies = 1};
	for (size_t i = 0; i < q->n_args; i++)
		if (is_inout(&args[i]))
			p->pristine[i] = arena_raw(
				&a, (size_t)args[i].count, dtype_bytes(args[i].type));
	p->a = a;
	if (copy_map(s, p, 0)) {
		p->next = s->pools;
		s->pools = p;
		return p;
	}
	pool_free(p);
	return NULL;
}

static struct host_pool *
pool_new(struct session *s, const struct bench_request *q, struct str key)
{
	uint64_t bytes = bytes_of(q->args, q->n_args);
	struct host_pool *p = NULL;

	if (memory_has(bytes) || (pools_evict(s) && memory_has(bytes)))
		p = pool_make(s, q, key);
	if (!p)
		host_refuse(s, RESULT_OOM,
			str_fmt(s->call.a,
				"the arguments (%llu bytes) do not fit into half of the "
				"memory that is free",
				(unsigned long long)bytes));
	return p;
}

bool
host_pool_get(struct session *s, struct loaded *l)
{
	struct str key = str_fmt(l->a, "%llu/%.*s", (unsigned long long)l->q->seed,
		STR_ARG(args_input_text(l->a, l->q->args, l->q->n_args)));
	struct host_pool *p = s->pools;
	struct fault unheard = {.fatal = false}, *told = s->call.f;

	while (p && !str_eq(p->key, key))
		p = p->next;
	if (!p)
		p = pool_new(s, l->q, key);
	if (!p)
		return false;
	/* What a candidate that nobody looked at afterwards left behind. */
	s->call.f = &unheard;
	if (p->filled)
		(void)host_pool_check(s, p);
	s->call.f = told;
	if (!p->filled)
		pool_fill(s, p);
	p->users++;
	l->pool = p;
	return true;
}

void
host_pool_drop(struct loaded *l)
{
	if (l->pool)
		l->pool->users--;
	l->pool = NULL;
}

/* So many that three times the cache of a processor lies between two uses of a buffer. */
static unsigned
copies_wanted(const struct session *s, uint64_t bytes)
{
	uint64_t n = bytes ? (3 * s->l2_bytes + bytes - 1) / bytes : 1;

	if (bytes && n < 2)
		n = 2;
	if (n > HOST_COPIES_MAX)
		n = HOST_COPIES_MAX;
	while (n > 1 && !memory_has(n * bytes))
		n--;
	return (unsigned)n;
}

bool
host_pool_rotate(struct session *s, struct host_pool *p)
{
	unsigned wanted = copies_wanted(s, bytes_of(p->args, p->n_args));

	while (p->copies < wanted) {
		if (!copy_map(s, p, p->copies)) {
			for (size_t i = 0; i < p->n_args; i++)
				buffer_unmap(buffer_of(p, p->copies, i));
			break;
		}
		copy_fill(s, p, p->copies++);
	}
	return true;
}

/* --- what an address is ------------------------------------------------------------- */

static struct str
explain(struct session *s, struct arena *a, const struct arg *v,
	const struct host_buffer *b, const char *address, bool *input)
{
	const char *end = b->at + b->bytes;

	(void)s;
	if (address < b->at)
		return str_fmt(a, "what lies %td bytes before '%.*s'", b->at - address,
			STR_ARG(v->name));
	if (address >= end)
		return str_fmt(a, "what lies %td bytes after the end of '%.*s'",
			address - end, STR_ARG(v->name));
	*input = is_pure_input(v);
	return str_fmt(a,
		*input ? "wrote into '%.*s', which is an input only (if that is meant, "
			 "declare it as input and output)"
		       : "'%.*s'",
		STR_ARG(v->name));
}

struct str
host_pool_explain(struct session *s, struct arena *a, const void *address, bool *input)
{
	const char *c = address;

	for (const struct host_pool *p = s->pools; c && p; p = p->next)
		for (size_t i = 0; i < p->copies * p->n_args; i++) {
			const struct host_buffer *b = &p->buffer[i];
			if (b->map && c >= b->map && c < b->map + b->map_bytes)
				return explain(
					s, a, &p->args[i % p->n_args], b, c, input);
		}
	return (struct str){0};
}
