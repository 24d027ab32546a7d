#include "backend/opencl_session.h"

#include "backend/fill.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <emmintrin.h>
#endif

static size_t
round_up(size_t n, size_t to)
{
	return (n + to - 1) / to * to;
}

/* --- the host at a buffer ----------------------------------------------------------- */

static bool
hold(struct session *s, const struct opencl_buffer *b)
{
	ocl_int e = OCL_OK;
	void *at = s->api.map(s->queue, b->whole, 1, OCL_MAP_READ | OCL_MAP_WRITE, 0,
		b->home_bytes, 0, NULL, NULL, &e);
	return (e == OCL_OK && at == b->home) ||
	       opencl_fault(s, OCL_RUN, e, "mapping a buffer");
}

static bool
let_go(struct session *s, const struct opencl_buffer *b)
{
	ocl_int e = s->api.unmap(s->queue, b->whole, b->home, 0, NULL, NULL);
	if (e == OCL_OK)
		e = s->api.finish(s->queue);
	return e == OCL_OK || opencl_fault(s, OCL_RUN, e, "unmapping a buffer");
}

/* work() on each buffer, while it is the host's. */
static bool
each_buffer(struct session *s, struct opencl_pool *p, void *env,
	bool (*work)(struct session *, struct opencl_pool *, size_t, void *))
{
	for (size_t i = 0; i < p->n_args; i++) {
		const struct opencl_buffer *b = &p->buffer[i];
		if (!p->args[i].pointer)
			continue;
		if (!hold(s, b))
			return false;
		bool ok = work(s, p, i, env);
		struct fault said = *s->call.f;
		if (!let_go(s, b))
			return false;
		if (!ok) {
			*s->call.f = said;
			return false;
		}
	}
	return true;
}

/* --- guard zones -------------------------------------------------------------------- */

static void
zones_set(const struct session *s, const struct opencl_buffer *b)
{
	size_t end = b->at + b->bytes;
	memcpy(b->home, s->pattern, b->at);
	memcpy(b->home + end, s->pattern, b->home_bytes - end);
}

static size_t
changed(const struct session *s, const unsigned char *zone, size_t n)
{
	size_t sum = 0;
	for (size_t i = 0; i < n && memcmp(zone, s->pattern, n) != 0; i++)
		sum += zone[i] != s->pattern[i];
	return sum;
}

static bool
zones_check(struct session *s, const struct opencl_pool *p, size_t i)
{
	const struct opencl_buffer *b = &p->buffer[i];
	size_t end = b->at + b->bytes;
	size_t before = changed(s, b->home, b->at);
	size_t after = changed(s, b->home + end, b->home_bytes - end);
	if (!before && !after)
		return true;
	return opencl_refuse(s, RESULT_WRONG,
		str_fmt(s->call.a, "wrote outside '%.*s': %zu bytes %s it changed",
			STR_ARG(p->args[i].name), before ? before : after,
			before ? "before" : "after"));
}

/* --- inputs ------------------------------------------------------------------------- */

static bool
is_pure_input(const struct arg *v)
{
	return v->pointer && v->input && !v->output && v->count;
}

static bool
is_inout(const struct arg *v)
{
	return v->pointer && v->input && v->output && v->count;
}

static struct hash
sum_of(const struct opencl_buffer *b)
{
	return hash_bytes((struct str){(const char *)b->home + b->at, b->bytes});
}

static bool
fill_one(struct session *s, struct opencl_pool *p, size_t i, void *env)
{
	const struct arg *v = &p->args[i];
	struct opencl_buffer *b = &p->buffer[i];
	(void)env;
	zones_set(s, b);
	if (!v->input || !v->count)
		return true;
	unsigned char *to = is_inout(v) ? b->pristine : b->home + b->at;
	fill_all(v, fill_stream(p->seed, i), 0, v->count, to);
	b->sum = sum_of(b);
	return true;
}

static bool
pool_fill(struct session *s, struct opencl_pool *p)
{
	p->filled = each_buffer(s, p, NULL, fill_one);
	return p->filled;
}

static bool
restore_one(struct session *s, struct opencl_pool *p, size_t i, void *env)
{
	const struct opencl_buffer *b = &p->buffer[i];
	(void)s;
	(void)env;
	if (is_inout(&p->args[i]))
		memcpy(b->home + b->at, b->pristine, b->bytes);
	return true;
}

bool
opencl_pool_restore(struct session *s, struct opencl_pool *p)
{
	return each_buffer(s, p, NULL, restore_one);
}

static bool
poison_one(struct session *s, struct opencl_pool *p, size_t i, void *env)
{
	const struct opencl_buffer *b = &p->buffer[i];
	(void)s;
	if (!p->args[i].input)
		memset(b->home + b->at, *(unsigned char *)env, b->bytes);
	return true;
}

bool
opencl_pool_poison(struct session *s, struct opencl_pool *p, unsigned char byte)
{
	return each_buffer(s, p, &byte, poison_one);
}

static bool
check_one(struct session *s, struct opencl_pool *p, size_t i, void *env)
{
	const struct opencl_buffer *b = &p->buffer[i];
	(void)env;
	if (!zones_check(s, p, i)) {
		zones_set(s, b);
		/* Who wrote beside a buffer may have written into the next one. */
		p->filled = false;
		return false;
	}
	struct hash now = is_pure_input(&p->args[i]) ? sum_of(b) : b->sum;
	if (now.hi == b->sum.hi && now.lo == b->sum.lo)
		return true;
	p->filled = false;
	return opencl_refuse(s, RESULT_WRONG,
		str_fmt(s->call.a,
			"wrote into '%.*s', which is an input only (if that is meant, "
			"declare it as input and output)",
			STR_ARG(p->args[i].name)));
}

/* Damage is repaired, now or when the next candidate is loaded. */
bool
opencl_pool_check(struct session *s, struct opencl_pool *p)
{
	if (!each_buffer(s, p, NULL, check_one))
		return false;
	p->used = false;
	return true;
}

/* What a candidate that nobody looked at afterwards left behind. */
static bool
pool_recover(struct session *s, struct opencl_pool *p)
{
	if (!p->used)
		return true;
	if (!opencl_pool_check(s, p) && s->call.f->status != RESULT_WRONG)
		return false;
	*s->call.f = (struct fault){0};
	p->used = false;
	return true;
}

bool
opencl_pool_read(struct session *s, struct opencl_pool *p, size_t arg, void *to)
{
	const struct opencl_buffer *b = &p->buffer[arg];
	if (!hold(s, b))
		return false;
	memcpy(to, b->home + b->at, b->bytes);
	return let_go(s, b);
}

/* --- memory ------------------------------------------------------------------------- */

static void
buffer_free(struct session *s, struct opencl_buffer *b)
{
	if (b->part)
		(void)s->api.buffer_release(b->part);
	if (b->whole)
		(void)s->api.buffer_release(b->whole);
	if (b->pages)
		munmap(b->pages, b->pages_bytes);
}

/* The buffer's end lies at the end of the pages, up to its alignment. */
static bool
pages_make(struct session *s, struct opencl_buffer *b)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), room = round_up(b->bytes, s->align);
	b->home_bytes = round_up(OCL_CANARY + room, page);
	b->at = b->home_bytes - room;
	/* The zone before it is as long as the pattern at most: start there. */
	size_t spare = (b->at - OCL_CANARY) / s->align * s->align;
	b->pages_bytes = b->home_bytes + 2 * page;
	int kind = MAP_PRIVATE | MAP_ANONYMOUS;
	/* cppcheck-suppress invalidFunctionArg */
	void *at = mmap(NULL, b->pages_bytes, PROT_NONE, kind, -1, 0);
	if (at == MAP_FAILED)
		return false;
	b->pages = at;
	if (mprotect(b->pages + page, b->home_bytes, PROT_READ | PROT_WRITE) != 0)
		return false;
	b->home = b->pages + page + spare;
	b->home_bytes -= spare;
	b->at -= spare;
	return true;
}

static bool
buffer_make(struct session *s, struct opencl_pool *p, size_t i)
{
	const struct arg *v = &p->args[i];
	struct opencl_buffer *b = &p->buffer[i];
	ocl_int e = OCL_OK;
	b->bytes = v->count * dtype_bytes(v->type);
	if (!pages_make(s, b))
		return opencl_refuse(s, RESULT_OOM,
			str_fmt(s->call.a, "argument '%.*s' (%zu bytes): %s",
				STR_ARG(v->name), b->bytes, strerror(errno)));
	struct {
		size_t at, bytes;
	} region = {b->at, b->bytes ? b->bytes : 1};
	if (!b->bytes) { /* a region has at least one byte */
		region.at = 0;
	}
	b->whole = s->api.buffer_create(s->context, OCL_READ_WRITE | OCL_HOST_POINTER,
		b->home_bytes, b->home, &e);
	if (e == OCL_OK)
		b->part = s->api.buffer_part(
			b->whole, OCL_READ_WRITE, OCL_REGION, &region, &e);
	if (e != OCL_OK)
		return opencl_fault(s, OCL_MEMORY, e,
			str_fmt(s->call.a, "argument '%.*s' (%zu bytes)",
				STR_ARG(v->name), b->bytes)
				.s);
	if (is_inout(v))
		b->pristine = arena_raw(&p->a, b->bytes, 1);
	return true;
}

static void
pool_free(struct session *s, struct opencl_pool *p)
{
	for (size_t i = 0; i < p->n_args; i++)
		buffer_free(s, &p->buffer[i]);
	struct arena a = p->a; /* it holds p */
	arena_release(&a);
}

/* Memory of argument lists that nobody uses now. */
static void
pools_evict(struct session *s)
{
	for (struct opencl_pool **at = &s->pools; *at;) {
		struct opencl_pool *p = *at;
		if (p->users) {
			at = &p->next;
			continue;
		}
		*at = p->next;
		pool_free(s, p);
	}
}

static struct opencl_pool *
pool_make(struct session *s, const struct bench_request *q, struct str key)
{
	struct arena a = {0};
	struct opencl_pool *p = arena_new(&a, struct opencl_pool);
	struct arg *args = arena_news(&a, q->n_args + 1, struct arg);
	for (size_t i = 0; i < q->n_args; i++)
		args[i] = arg_keep(&a, &q->args[i]);
	*p = (struct opencl_pool){.key = str_dup(&a, key),
		.args = args,
		.n_args = q->n_args,
		.seed = q->seed,
		.buffer = arena_news(&a, q->n_args + 1, struct opencl_buffer)};
	p->a = a;
	bool ok = true;
	for (size_t i = 0; ok && i < q->n_args; i++)
		ok = !args[i].pointer || buffer_make(s, p, i);
	if (ok) {
		p->next = s->pools;
		s->pools = p;
		return p;
	}
	pool_free(s, p);
	return NULL;
}

bool
opencl_pool_get(struct session *s, struct loaded *l)
{
	struct str key = str_fmt(l->a, "%llu/%.*s", (unsigned long long)l->q->seed,
		STR_ARG(args_input_text(l->a, l->q->args, l->q->n_args)));
	struct opencl_pool *p = s->pools;
	if (l->q->n_args > OCL_ARGS_MAX)
		return opencl_refuse(s, RESULT_UNLAUNCHABLE,
			str_fmt(l->a, "%zu arguments are too many", l->q->n_args));
	while (p && !str_eq(p->key, key))
		p = p->next;
	if (!p) {
		pools_evict(s);
		p = pool_make(s, l->q, key);
	}
	if (!p || !pool_recover(s, p) || (!p->filled && !pool_fill(s, p)))
		return false;
	p->users++;
	l->pool = p;
	return true;
}

void
opencl_pool_drop(struct loaded *l)
{
	if (l->pool)
		l->pool->users--;
	l->pool = NULL;
}

/* --- caches ------------------------------------------------------------------------- */

/* Out of every cache of the machine. */
static void
line_flush(const unsigned char *at)
{
#if defined(__x86_64__)
	_mm_clflush(at);
#elif defined(__aarch64__)
	__asm__ volatile("dc civac, %0" : : "r"(at) : "memory");
#else
	(void)at;
#endif
}

struct cooling {
	const struct opencl_pool *pool;
	size_t line_bytes;
};

/* On a thread of the runtime. */
static void
cool(void *env)
{
	const struct cooling *c = env;
	for (size_t i = 0; i < c->pool->n_args; i++) {
		const struct opencl_buffer *b = &c->pool->buffer[i];
		for (size_t k = 0; k < b->bytes; k += c->line_bytes)
			line_flush(b->home + b->at + k);
	}
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* Caches of a device of its own are as cold as they are. */
bool
opencl_pool_cool(struct session *s, struct opencl_pool *p)
{
	struct cooling c = {p, s->line_bytes}; /* the runtime keeps a copy */
	ocl_int e = s->cools ? s->api.native(s->queue, cool, &c, sizeof c, 0, NULL, NULL,
				       0, NULL, NULL)
			     : OCL_OK;
	return e == OCL_OK || opencl_fault(s, OCL_RUN, e, "emptying the caches");
}
