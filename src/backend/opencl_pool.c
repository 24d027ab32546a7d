#include "backend/opencl_session.h"

#include <errno.h>
#include <string.h>
#if defined(__x86_64__)
#include <emmintrin.h>
#endif

struct opencl_buffer *
opencl_buffer(const struct session *s, const struct pool *p, size_t arg)
{
	return (struct opencl_buffer *)mainmem_buffer(&s->mainmem, p, arg);
}

/* --- the host at a buffer ----------------------------------------------------------- */

static bool
hold(struct session *s, struct mainmem_buffer *m)
{
	const struct opencl_buffer *b = (struct opencl_buffer *)m;
	ocl_int e = OCL_OK;
	void *at = s->api.map(s->queue, b->whole, 1, OCL_MAP_READ | OCL_MAP_WRITE, 0,
		m->copy[0].home_bytes, 0, NULL, NULL, &e);
	return (e == OCL_OK && at == m->copy[0].home) ||
	       opencl_fault(s, OCL_RUN, e, "mapping a buffer");
}

static bool
let_go(struct session *s, struct mainmem_buffer *m)
{
	const struct opencl_buffer *b = (struct opencl_buffer *)m;
	ocl_int e = s->api.unmap(s->queue, b->whole, m->copy[0].home, 0, NULL, NULL);
	if (e == OCL_OK)
		e = s->api.finish(s->queue);
	return e == OCL_OK || opencl_fault(s, OCL_RUN, e, "unmapping a buffer");
}

/* --- memory ------------------------------------------------------------------------- */

static bool
buffer_make(struct session *s, const struct arg *v, struct opencl_buffer *b)
{
	const struct fenced *m = b->mainmem.copy;
	ocl_int e = OCL_OK;
	struct {
		size_t at, bytes;
	} region = {(size_t)(m->at - m->home), m->bytes};
	if (!m->bytes) { /* a region has at least one byte */
		region.at = 0;
		region.bytes = 1;
	}
	b->whole = s->api.buffer_create(s->context, OCL_READ_WRITE | OCL_HOST_POINTER,
		m->home_bytes, m->home, &e);
	if (e == OCL_OK)
		b->part = s->api.buffer_part(
			b->whole, OCL_READ_WRITE, OCL_REGION, &region, &e);
	return e == OCL_OK || opencl_fault(s, OCL_MEMORY, e,
				      str_fmt(s->call.a, "argument '%.*s' (%zu bytes)",
					      STR_ARG(v->name), m->bytes)
					      .s);
}

static bool
make(struct session *s, struct pool *p)
{
	pools_evict(&s->mainmem.pools);
	if (!mainmem_make(&s->mainmem, p))
		return opencl_refuse(s, RESULT_OOM,
			str_fmt(s->call.a, "no memory for the arguments: %s",
				strerror(errno)));
	for (size_t i = 0; i < p->n_args; i++)
		if (p->args[i].pointer &&
			!buffer_make(s, &p->args[i], opencl_buffer(s, p, i)))
			return false;
	return true;
}

static void
release(struct session *s, struct pool *p)
{
	for (size_t i = 0; i < p->n_args; i++) {
		const struct opencl_buffer *b = opencl_buffer(s, p, i);
		if (b->part)
			(void)s->api.buffer_release(b->part);
		if (b->whole)
			(void)s->api.buffer_release(b->whole);
	}
	mainmem_free(&s->mainmem, p);
}

static bool
fill(struct session *s, struct pool *p)
{
	return mainmem_fill(&s->mainmem, p);
}

static bool
check(struct session *s, struct pool *p)
{
	return mainmem_check(&s->mainmem, p);
}

void
opencl_pools_begin(struct session *s, size_t align)
{
	static const struct pool_ops ops = {
		sizeof(struct opencl_buffer), make, release, fill, check};
	s->mainmem = (struct mainmem){.pools = {s, &ops, &s->call, NULL},
		.align = align,
		.before = OCL_CANARY,
		.hold = hold,
		.let_go = let_go};
	mainmem_begin(&s->mainmem, s->a);
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
	const struct pool *pool;
	const struct mainmem *mainmem;
	size_t line_bytes;
};

/* On a thread of the runtime. */
static void
cool(void *env)
{
	const struct cooling *c = env;
	for (size_t i = 0; i < c->pool->n_args; i++) {
		const struct fenced *b = mainmem_buffer(c->mainmem, c->pool, i)->copy;
		for (size_t k = 0; k < b->bytes; k += c->line_bytes)
			line_flush(b->at + k);
	}
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* Caches of a device of its own are as cold as they are. */
bool
opencl_pool_cool(struct session *s, struct pool *p)
{
	struct cooling c = {p, &s->mainmem, s->line_bytes}; /* the runtime keeps a copy */
	ocl_int e = s->cools ? s->api.native(s->queue, cool, &c, sizeof c, 0, NULL, NULL,
				       0, NULL, NULL)
			     : OCL_OK;
	return e == OCL_OK || opencl_fault(s, OCL_RUN, e, "emptying the caches");
}
