#include "backend/host_session.h"

#include <unistd.h>

/* Memory is given out freely and taken by force (the kernel kills), so what is free is
 * asked for first; half of it is left to others. */
static bool
memory_has(uint64_t bytes)
{
	long pages = sysconf(_SC_AVPHYS_PAGES), page = sysconf(_SC_PAGESIZE);

	return pages < 0 || bytes < (uint64_t)pages * (uint64_t)page / 2;
}

static uint64_t
bytes_of(const struct pool *p)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < p->n_args; i++)
		if (p->args[i].pointer)
			bytes += p->args[i].count * dtype_bytes(p->args[i].type) *
				 (pool_is_inout(&p->args[i]) ? 2 : 1);
	return bytes;
}

static bool
make(struct session *s, struct pool *p)
{
	uint64_t bytes = bytes_of(p);
	bool has = memory_has(bytes) ||
		   (pools_evict(&s->mainmem.pools) && memory_has(bytes));

	return (has && mainmem_make(&s->mainmem, p)) ||
	       host_refuse(s, RESULT_OOM,
		       str_fmt(s->call.a,
			       "the arguments (%llu bytes) do not fit into half of the "
			       "memory that is free",
			       (unsigned long long)bytes));
}

static void
release(struct session *s, struct pool *p)
{
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
host_pools_begin(struct session *s, size_t before)
{
	static const struct pool_ops ops = {
		sizeof(struct mainmem_buffer), make, release, fill, check};

	s->mainmem = (struct mainmem){.pools = {s, &ops, &s->call, NULL},
		.align = HOST_ALIGN,
		.before = before,
		.protects = true};
	mainmem_begin(&s->mainmem, s->a);
}

void
host_pool_rotate(struct session *s, struct pool *p)
{
	uint64_t bytes = bytes_of(p);
	unsigned wanted = pool_copies_wanted(s->l2_bytes, bytes);

	while (wanted > 1 && !memory_has(wanted * bytes))
		wanted--;
	while (p->copies < wanted && mainmem_copy(&s->mainmem, p))
		;
}

/* --- what an address is ------------------------------------------------------------- */

static struct str
explain(struct arena *a, const struct arg *v, const struct fenced *b,
	const unsigned char *address, bool *input)
{
	const unsigned char *end = b->at + b->bytes;

	if (address < b->at)
		return str_fmt(a, "what lies %td bytes before '%.*s'", b->at - address,
			STR_ARG(v->name));
	if (address >= end)
		return str_fmt(a, "what lies %td bytes after the end of '%.*s'",
			address - end, STR_ARG(v->name));
	*input = pool_is_input(v);
	return *input ? pool_input_text(a, v) : str_fmt(a, "'%.*s'", STR_ARG(v->name));
}

struct str
host_pool_explain(struct session *s, struct arena *a, const void *address, bool *input)
{
	const unsigned char *at = address;

	for (const struct pool *p = s->mainmem.pools.first; at && p; p = p->next)
		for (size_t i = 0; i < p->copies * p->n_args; i++) {
			size_t arg = i % p->n_args;
			const struct fenced *b =
				&mainmem_buffer(&s->mainmem, p, arg)->copy[i / p->n_args];
			if (b->map && at >= b->map && at < b->map + b->map_bytes)
				return explain(a, &p->args[arg], b, at, input);
		}
	return (struct str){0};
}
